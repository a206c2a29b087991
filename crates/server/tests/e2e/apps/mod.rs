//! Apps of MCP servers (I-6): their pages, and what these pages call.

mod clock_server;

use std::time::Duration;

pub(crate) use clock_server::ClockServer;
use parlor_testkit::{Script, ScriptedModel};
use reqwest::Response;
use serde_json::{Value, json};

use crate::server_process::{Server, free_port};
use crate::streams::{Event, Events};
use crate::test_app::{PATIENCE, refusal};

struct Scene {
    clock: ClockServer,
    model: ScriptedModel,
    data: tempfile::TempDir,
    port: u16,
}

/// A result that an app shows.
struct Shown {
    conversation: String,
    message: Value,
}

impl Scene {
    async fn new() -> Self {
        Self {
            clock: ClockServer::start().await,
            model: ScriptedModel::start().await.unwrap(),
            data: tempfile::tempdir().unwrap(),
            port: free_port(),
        }
    }

    async fn start(&self, more: &str) -> Server {
        let section = self.clock.section(more);
        let server = Server::start_at(self.port, self.data.path(), &self.model, &section).await;
        server.until_mcp_is_ready("clock").await;
        server
    }

    /// The model calls the tool that has a page.
    async fn shown(&self, server: &Server) -> Shown {
        self.model.push(Script::answer().tool_use("t1", "clock_show", &json!({"zone": "UTC"})));
        self.model.push(Script::answer().text("There it is."));
        let events = Events::of(server.send(&json!({"message": "The time?"})).await).rest().await;
        let message = result_in(&events).expect("there is a result");
        let conversation = message["conversation_id"].as_str().unwrap().to_owned();
        Shown { conversation, message }
    }
}

fn result_in(events: &[Event]) -> Option<Value> {
    let messages = events.iter().filter(|event| event.name == "message");
    let mut results = messages.filter(|event| event.data["message_type"] == "tool_result");
    results.next().map(|event| event.data.clone())
}

impl Shown {
    fn path(&self, end: &str) -> String {
        let message = self.message["id"].as_str().unwrap();
        format!("/api/conversations/{}/apps/{message}/{end}", self.conversation)
    }

    async fn call(&self, server: &Server, tool: &str) -> Response {
        let call = json!({"tool": tool, "arguments": {"hour": 3}});
        server.post(&self.path("call")).json(&call).send().await.unwrap()
    }
}

async fn body(response: Response) -> Value {
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// The result of the call of a turn.
async fn result_of(server: &Server, shown: &Shown, turn: &Value) -> Value {
    let looking = async {
        loop {
            let view = server.conversation(&shown.conversation).await;
            let messages = view["messages"].as_array().unwrap().clone();
            let is_result = |message: &&Value| {
                message["turn_id"] == *turn && message["message_type"] == "tool_result"
            };
            if let Some(found) = messages.iter().find(is_result) {
                return found.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.expect("no result came")
}

/// I-6: the result names the app that shows it, with the data for it, masked; the page has a policy
/// of its own; tools for apps alone are not offered to the model.
#[tokio::test]
async fn a_page_shows_a_result() {
    let scene = Scene::new().await;
    let server = scene.start("apps = true").await;
    let shown = scene.shown(&server).await;
    assert_eq!(shown.message["metadata"]["app"], "clock");
    assert_eq!(shown.message["data"]["structured"], json!({"hour": 12, "maker": "[provider]"}));
    let tools = scene.model.requests()[0]["tools"].to_string();
    assert!(tools.contains("clock_show") && tools.contains("clock_wind"), "{tools}");
    assert!(!tools.contains("clock_tick"), "{tools}");

    let page = server.get(&shown.path("page")).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let header = |name: &str| page.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    assert!(
        policy.starts_with("sandbox allow-scripts allow-forms; default-src 'none';"),
        "{policy}"
    );
    assert!(policy.contains("connect-src https://time.example;"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'self'"), "{policy}");
    assert_eq!(header("x-frame-options"), "SAMEORIGIN");
    assert!(header("content-type").starts_with("text/html"));
    assert!(page.text().await.unwrap().contains("12:00"));
}

/// I-6: without the setting nothing of a server's pages is shown or served.
#[tokio::test]
async fn pages_are_shown_only_where_they_are_allowed() {
    let scene = Scene::new().await;
    let server = scene.start("").await;
    let shown = scene.shown(&server).await;
    assert_eq!(shown.message["metadata"]["app"], Value::Null);
    assert_eq!(shown.message["data"]["structured"], Value::Null);
    for response in
        [server.get(&shown.path("page")).send().await.unwrap(), shown.call(&server, "tick").await]
    {
        assert_eq!(refusal(response).await, (404, "not_found".to_owned()));
    }
}

/// I-6: a call that only reads is answered at once, to the page alone.
#[tokio::test]
async fn a_page_reads() {
    let scene = Scene::new().await;
    let server = scene.start("apps = true").await;
    let shown = scene.shown(&server).await;
    let before = server.conversation(&shown.conversation).await["messages"].clone();
    let tick = shown.call(&server, "tick").await;
    assert_eq!(tick.status(), 200);
    let result = body(tick).await["result"].clone();
    assert_eq!(result["content"][0]["text"], "It is noon.");
    assert_eq!(result["structuredContent"], json!({"hour": 12, "maker": "[provider]"}));
    assert_eq!(server.conversation(&shown.conversation).await["messages"], before);
}

/// I-6, P-9: a call that changes something waits for a person, as every call does, over a kill of
/// the server; it runs once, its result is in the log, and the model reads nothing of it.
#[tokio::test]
async fn a_page_asks_before_it_changes_something() {
    let scene = Scene::new().await;
    let project = "apps = true\n[tenants.home.projects.recipes.mcp.clock.tools.set]\n\
                   prompt_timeout_seconds = 0";
    let server = scene.start(project).await;
    let shown = scene.shown(&server).await;
    let set = shown.call(&server, "set").await;
    assert_eq!(set.status(), 202);
    let turn = body(set).await["turn_id"].clone();
    let prompt = server.open_prompt().await;
    assert_eq!(prompt["toolCall"]["name"], "clock_set");
    assert_eq!(prompt["toolCall"]["input"], json!({"hour": 3}));
    assert_eq!(refusal(shown.call(&server, "set").await).await, (409, "turn_running".to_owned()));
    server.kill();
    let server = scene.start(project).await;
    let prompt = server.open_prompt().await;
    assert_eq!(scene.clock.sets(), 0);
    server.answer(&prompt, &json!("yes")).await;
    let result = result_of(&server, &shown, &turn).await;
    assert_eq!(result["data"]["output"], "It is noon.");
    assert_eq!(result["data"]["structured"]["hour"], 12);
    assert_eq!(result["metadata"]["app"], Value::Null, "there is no second page");
    assert_eq!(scene.clock.sets(), 1);

    scene.model.push(Script::answer().text("Hello."));
    let next = json!({"message": "Hello", "conversation_id": shown.conversation});
    Events::of(server.send(&next).await).rest().await;
    let read = scene.model.requests().pop().unwrap()["messages"].to_string();
    assert!(!read.contains("clock_set"), "{read}");
}

/// I-6: a refusal reaches the page, and nothing has run.
#[tokio::test]
async fn a_person_says_no_to_a_page() {
    let scene = Scene::new().await;
    let server = scene.start("apps = true").await;
    let shown = scene.shown(&server).await;
    let turn = body(shown.call(&server, "set").await).await["turn_id"].clone();
    server.answer(&server.open_prompt().await, &json!("no")).await;
    let result = result_of(&server, &shown, &turn).await;
    assert_eq!(result["data"]["is_error"], true);
    assert_eq!(scene.clock.sets(), 0);
}

/// I-6, X-3: a page calls what its own server lets it call, and nobody else's page can be asked for.
#[tokio::test]
async fn a_page_calls_only_what_it_may() {
    let scene = Scene::new().await;
    let server = scene.start("apps = true").await;
    let shown = scene.shown(&server).await;
    for tool in ["wind", "clock_tick", "list_recipes", "delete_recipe", "none"] {
        let answer = refusal(shown.call(&server, tool).await).await;
        assert_eq!(answer, (404, "not_found".to_owned()), "{tool}");
    }
    assert_eq!(refusal(shown.call(&server, "").await).await.0, 400);
    let other = uuid::Uuid::from_u128(1);
    for path in [
        shown.path("page").replace(&shown.conversation, &other.to_string()),
        shown.path("page").replace(shown.message["id"].as_str().unwrap(), &other.to_string()),
        shown.path("page").replace(&shown.conversation, "x"),
    ] {
        assert_eq!(server.get(&path).send().await.unwrap().status(), 404, "{path}");
    }
    assert_eq!(server.anonymous(&shown.path("page")).send().await.unwrap().status(), 401);
}
