//! A real server, a scripted model and the real Recipe Vault: every request and every response fits
//! the document.

use std::cell::RefCell;
use std::collections::BTreeSet;

use parlor_testkit::Script;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use super::Document;
use super::administration::{administration, visits};
use super::conversations::{branches, everything, keeping, links};
use super::notifications::notifications;
use super::person_logins;
use super::recipes::recipes;
use crate::apps::ClockServer;
use crate::mcp_logins::{GuardedServer, sent_back};
use crate::people;
use crate::routes::{HANDSHAKE, filled};
use crate::streams::{Event, Events};
use crate::test_app::{ADMIN_KEY, PASSWORD, Settings, TestApp};

/// Protocols of others have shapes and tests of their own.
const EXTERNAL: &str = "External clients";

/// Only a server at an https address has it.
const NOT_HERE: &str = "GET /oauth/client.json";

pub(super) const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";

/// A server whose answers are compared with the document.
pub(super) struct Api {
    pub(super) app: TestApp,
    pub(super) document: Document,
    /// The operations that succeeded.
    called: RefCell<BTreeSet<String>>,
    /// Has the logo.
    _dir: tempfile::TempDir,
}

impl Api {
    async fn start() -> Self {
        let (mail, called) = (GuardedServer::start().await, RefCell::default());
        let clock = ClockServer::start().await;
        let dir = tempfile::tempdir().unwrap();
        let look = crate::looks::section(dir.path());
        let budgets = "[tenants.home]\nshare_links = \"anyone\"\n[tenants.home.budgets.person.day]\ntokens = 1_000_000_000\n\
             [tenants.home.projects.recipes.budget.day]\ntokens = 1_000_000_000\n\
             [tenants.home.projects.recipes.embed]\norigins = [\"https://shop.example\"]";
        let clock_section = clock.section("apps = true");
        let notes = mail.section_of_people().replace("mcp.mail", "mcp.notes");
        let more = format!("{}\n{notes}\n{clock_section}\n{look}\n{budgets}", mail.section());
        let limits = "messages_per_minute = 1000";
        let settings = Settings { limits, vault: true, more: &more, ..Settings::default() };
        let app = TestApp::configured(settings).await;
        Self { app, document: Document::load(), called, _dir: dir }
    }

    /// Calls an address with the admin's key and returns the body. Parameters of the path are ids
    /// of the tenant `home`, and `{id}` is this one.
    pub(super) async fn call(
        &self,
        method: &str,
        path: &str,
        id: &str,
        body: Value,
        status: u16,
    ) -> Value {
        let mut request = self.app.admin(method, &filled(path, id));
        if !body.is_null() {
            request = request.json(&body);
            if status < 400 {
                self.document.assert_request(method, template(path), &body);
            }
        }
        self.checked(method, path, request, status).await
    }

    pub(super) async fn get(&self, path: &str, id: &str) -> Value {
        self.call("GET", path, id, Value::Null, 200).await
    }

    /// Sends a request and compares the response.
    pub(super) async fn checked(
        &self,
        method: &str,
        path: &str,
        request: RequestBuilder,
        status: u16,
    ) -> Value {
        let response = request.send().await.unwrap();
        let schema = self.head(method, template(path), &response);
        let given = response.status();
        let is_json =
            response.headers().get("content-type").is_some_and(|it| it == "application/json");
        // After an upgrade there is no body to read.
        let text = if given == 101 { String::new() } else { response.text().await.unwrap() };
        assert_eq!(given, status, "{method} {path}: {text}");
        let value =
            if is_json { serde_json::from_str(&text).unwrap() } else { Value::String(text) };
        if let Some(schema) = schema {
            self.document.assert_fits(&format!("{method} {path} {status}"), schema, &value);
        }
        value
    }

    /// The schema of a response, whose status and content type are compared.
    pub(super) fn head(&self, method: &str, path: &str, response: &Response) -> Option<&Value> {
        if response.status().as_u16() < 400 {
            self.called.borrow_mut().insert(format!("{method} {path}"));
        }
        self.document.response_schema(method, path, response)
    }

    /// Sends a message, whose turn streams.
    pub(super) async fn send(&self, body: Value) -> Events {
        self.document.assert_request("POST", "/api/chat", &body);
        let response = self.app.send(&body).await;
        self.head("POST", "/api/chat", &response);
        Events::of(response)
    }

    /// Compares events until one of this name, and returns its data.
    pub(super) async fn find(&self, events: &mut Events, name: &str) -> Value {
        loop {
            let event = events.next().await.unwrap_or_else(|| panic!("no {name} came"));
            self.document.assert_event(&event);
            if event.name == name {
                return event.data;
            }
        }
    }

    /// Compares the rest of the events.
    pub(super) async fn rest(&self, mut events: Events) -> Vec<Event> {
        let events = events.rest().await;
        events.iter().for_each(|event| self.document.assert_event(event));
        events
    }
}

/// The path in the document.
fn template(path: &str) -> &str {
    path.split('?').next().unwrap()
}

pub(super) fn id_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// I-7: a server answers as the document says, to every operation that it has.
#[tokio::test]
async fn a_real_server_answers_as_the_document_says() {
    let api = Api::start().await;
    approval(&api).await;
    question(&api).await;
    conversation(&api).await;
    everything(&api).await;
    recipes(&api).await;
    administration(&api).await;
    mcp_login(&api).await;
    app(&api).await;
    access(&api).await;
    people(&api).await;
    notifications(&api).await;
    others(&api).await;
    let operations = api.document.operations();
    let ours = operations.iter().filter(|operation| operation.json["tags"][0] != EXTERNAL);
    let ours = ours.map(|operation| format!("{} {}", operation.method, operation.path));
    let called = api.called.borrow();
    let missing: Vec<String> =
        ours.filter(|operation| !called.contains(operation) && operation != NOT_HERE).collect();
    assert!(missing.is_empty(), "not called: {missing:?}");
}

/// An approval: what streams, what can be asked about it, wrong answers, the answer.
async fn approval(api: &Api) {
    let soup = api.get("/api/recipes", "").await["recipes"][0]["id"].clone();
    let input = json!({"recipe_id": soup});
    let call = Script::answer().text("One moment.").tool_use("t1", "delete_recipe", &input);
    api.app.model.push(call);
    api.app.model.push(Script::answer().text("It is gone."));
    let mut events = api.send(json!({"message": "Delete it", "client_message_id": "tab:1"})).await;
    let prompt = api.find(&mut events, "userPrompt").await;
    let id = &id_of(&prompt["messageId"]);
    let conversation = &id_of(&prompt["conversation_id"]);

    let open = api.get("/api/prompts?status=open", "").await;
    assert_eq!(open["prompts"][0]["prompt"], prompt);
    api.get("/api/prompts/{id}", id).await;
    let edited = json!({"input": input});
    api.call("POST", "/api/prompts/{id}/preview", id, edited, 200).await;
    api.call("POST", "/api/prompts/{id}/extend", id, json!({"seconds": 600}), 200).await;
    api.find(&mut events, "userPromptUpdated").await;

    let path = "/api/prompts/{id}/response";
    api.call("POST", path, id, json!({"response": "maybe"}), 422).await;
    api.call("POST", path, id, json!({"remember": "for ever"}), 400).await;
    let more = json!({"message": "And?", "conversation_id": conversation});
    api.call("POST", "/api/chat", "", more, 409).await;
    let yes = json!({"response": "yes", "remember": "conversation"});
    api.call("POST", path, id, yes.clone(), 200).await;
    api.call("POST", path, id, yes, 409).await;
    api.rest(events).await;

    let allowed = api.get("/api/conversations/{id}/allowances", conversation).await;
    assert_eq!(allowed["allowances"][0]["tool"], "delete_recipe");
    let (one, all) =
        ("/api/conversations/{id}/allowances/{tool}", "/api/conversations/{id}/allowances");
    api.call("DELETE", one, conversation, Value::Null, 404).await;
    let allowed = filled(&one.replace("{tool}", "delete_recipe"), conversation);
    api.checked("DELETE", one, api.app.admin("DELETE", &allowed), 204).await;
    api.call("DELETE", all, conversation, Value::Null, 204).await;
    let view = api.get("/api/conversations/{id}", conversation).await;
    assert_eq!(view["prompts"][0]["closed"]["outcome"], "answered");
    api.get("/api/conversations/{id}/export?format=json", conversation).await;
    api.get("/api/conversations/{id}/export", conversation).await;
}

/// A question that ends its turn: the answer begins the next one, which is followed.
async fn question(api: &Api) {
    let question = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
    api.app.model.push(Script::answer().text(question));
    let image = json!({"data": GIF, "media_type": "image/gif"});
    let mut events = api.send(json!({"message": "Look", "image": image})).await;
    let said = api.find(&mut events, "message").await;
    api.get("/api/images/{id}", &id_of(&said["metadata"]["image"]["id"])).await;
    api.get("/api/files/{id}", &id_of(&said["metadata"]["image"]["id"])).await;
    let prompt = api.find(&mut events, "userPrompt").await;
    api.rest(events).await;
    let id = &id_of(&prompt["messageId"]);
    let soup = json!({"response": "soup"});
    let answered = api.call("POST", "/api/prompts/{id}/response", id, soup, 200).await;
    let conversation = &id_of(&answered["conversation_id"]);

    let path = "/api/conversations/{id}/events";
    let after = format!("{path}?after={}", id_of(&answered["after"]));
    let response = api.app.admin("GET", &filled(&after, conversation)).send().await.unwrap();
    api.head("GET", path, &response);
    api.find(&mut Events::of(response), "done").await;
    api.call("GET", &format!("{path}?after=x"), conversation, Value::Null, 400).await;
}

/// A conversation from its beginning to its end.
async fn conversation(api: &Api) {
    let new = json!({"project": "recipes", "mode": "act", "folder": "/home/ana/soup"});
    let created = api.call("POST", "/api/conversations", "", new, 201).await;
    let id = &id_of(&created["id"]);
    let said = api.rest(api.send(json!({"message": "Hello", "conversation_id": id})).await).await;
    branches(api, id, &said[1].data["id"]).await;
    links(api, id).await;
    keeping(api, id).await;
    let changes = json!({"title": "Soup", "mode": "plan"});
    api.call("PATCH", "/api/conversations/{id}", id, changes, 200).await;
    api.call("PATCH", "/api/conversations/{id}", id, json!({"title": " "}), 400).await;
    let listed = api.get("/api/conversations?q=soup&folder=/home/ana/soup", "").await;
    assert_eq!(listed["conversations"][0]["title"], "Soup");
    api.call("POST", "/api/conversations/{id}/stop", id, Value::Null, 200).await;
    api.call("DELETE", "/api/conversations/{id}", id, Value::Null, 204).await;
    api.call("GET", "/api/conversations/{id}", id, Value::Null, 404).await;
    api.call("POST", "/api/chat", "", json!({"message": 1}), 400).await;
    api.call("POST", "/api/chat", "", json!({"message": ""}), 422).await;
    api.call("POST", "/api/chat", "", json!({"message": "a", "conversation_id": id}), 404).await;
    let text = api.app.admin("POST", "/api/chat").header("content-type", "text/plain").body("a");
    api.checked("POST", "/api/chat", text, 415).await;
}

/// A login to an MCP server that asks for it.
async fn mcp_login(api: &Api) {
    let path = "/api/admin/mcp/{project}/{server}/login";
    let begun = api.call("POST", path, "", Value::Null, 200).await;
    let back = sent_back(begun["address"].as_str().unwrap()).await;
    let query = json!({"query": back.split_once('?').unwrap().1});
    api.call("POST", "/api/admin/mcp/login", "", query.clone(), 200).await;
    api.call("POST", "/api/admin/mcp/login", "", query, 404).await;
    api.get("/api/admin/status", "").await;
    api.call("DELETE", path, "", Value::Null, 204).await;
    api.call("GET", "/oauth/client.json", "", Value::Null, 404).await;
}

/// The page of an MCP server, and a call of it.
async fn app(api: &Api) {
    api.app.model.push(Script::answer().tool_use("t1", "clock_show", &json!({})));
    api.app.model.push(Script::answer().text("There."));
    let events = api.rest(api.send(json!({"message": "The time?"})).await).await;
    let results = events.iter().filter(|event| event.name == "message");
    let mut results = results.filter(|event| event.data["message_type"] == "tool_result");
    let result = &results.next().unwrap().data;
    let message = id_of(&result["id"]);
    let conversation = &id_of(&result["conversation_id"]);
    for (method, end, status) in
        [("GET", "page", 200), ("POST", "call", 200), ("POST", "call", 404)]
    {
        let path = format!("/api/conversations/{{id}}/apps/{{message}}/{end}");
        let address = filled(&path.replace("{message}", &message), conversation);
        let request = api.app.admin(method, &address);
        let request = match (end, status) {
            ("call", 200) => request.json(&json!({"tool": "tick", "arguments": {}})),
            ("call", _) => request.json(&json!({"tool": "none"})),
            _ => request,
        };
        api.checked(method, &path, request, status).await;
    }
}

/// Callers with a key, with a session and with neither.
async fn access(api: &Api) {
    let me = api.get("/api/me", "").await;
    assert!(me["projects"][0]["look"]["accent"]["dark"].is_string(), "{me}");
    api.get("/api/projects/{project}/logo", "").await;
    api.checked("GET", "/api/me", api.app.request("GET", "/api/me"), 401).await;
    let login = |password: &str| {
        let request = api.app.request("POST", "/login");
        request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(password.to_owned())
    };
    api.checked("POST", "/login", login("password=family+password"), 303).await;
    api.checked("POST", "/login", login("password=wrong"), 401).await;
    let cookie = api.app.log_in(PASSWORD).await;
    let me = api.app.request("GET", "/api/me").header("cookie", &cookie);
    assert_eq!(api.checked("GET", "/api/me", me, 200).await["kind"], "session");
    let out = api.app.request("POST", "/logout").header("cookie", &cookie);
    api.checked("POST", "/logout", out, 303).await;
    visits(api).await;
    let bearer = api.app.request("GET", "/api/me").bearer_auth(ADMIN_KEY);
    assert_eq!(api.checked("GET", "/api/me", bearer, 200).await["kind"], "key");
}

/// People with accounts of their own: invited, listed, with sessions, shut out.
async fn people(api: &Api) {
    let invitation = json!({"role": "user", "email": "ana@example.org"});
    let made = api.call("POST", "/api/people/invitations", "", invitation, 201).await;
    let wrong = json!({"email": "ana"});
    api.call("POST", "/api/people/invitations", "", wrong, 400).await;
    let cookie =
        people::join(&api.app, made["link"].as_str().unwrap(), "Ana", "ana's password").await;
    let as_ana = |method: &str, path: &str| api.app.request(method, path).header("cookie", &cookie);
    let me = api.checked("GET", "/api/me", as_ana("GET", "/api/me"), 200).await;
    assert_eq!(me["person"]["name"], "Ana");
    let listed = api.checked("GET", "/api/sessions", as_ana("GET", "/api/sessions"), 200).await;
    let session = id_of(&listed["sessions"][0]["id"]);
    person_logins::all(api, &cookie, &id_of(&me["person"]["id"])).await;
    let change = json!({"current": "ana's password", "new": "another password"});
    let path = "/api/me/password";
    api.checked("POST", path, as_ana("POST", path).json(&change), 204).await;
    api.checked("POST", path, as_ana("POST", path).json(&change), 403).await;
    api.call("DELETE", "/api/sessions/{id}", &session, Value::Null, 204).await;
    api.call("DELETE", "/api/sessions/{id}", &session, Value::Null, 404).await;
    let ana = id_of(&api.get("/api/people", "").await["people"][0]["id"]);
    api.call("PATCH", "/api/people/{id}", &ana, json!({"disabled": true}), 200).await;
    api.call("PATCH", "/api/people/{id}", &ana, json!({}), 400).await;
    api.call("DELETE", "/api/people/{id}/sessions", &ana, Value::Null, 204).await;
}

/// Probes, the document itself, the WebSocket, and the routes of others that answer in JSON.
async fn others(api: &Api) {
    for path in ["/healthz", "/healthz/stream", "/readyz"] {
        api.checked("GET", path, api.app.request("GET", path), 200).await;
    }
    api.checked("GET", "/metrics", api.app.admin("GET", "/metrics"), 200).await;
    let path = "/api/openapi.json";
    let served = api.checked("GET", path, api.app.request("GET", path), 200).await;
    assert_eq!(served, api.document.json);
    let path = "/ws/chat/{tenant}/{project}";
    let mut handshake = api.app.admin("GET", &filled(path, ""));
    for (name, value) in HANDSHAKE {
        handshake = handshake.header(name, value);
    }
    api.checked("GET", path, handshake, 101).await;
    api.call("GET", path, "", Value::Null, 400).await;
    api.get("/agui/{tenant}/info", "").await;
    let stop = "/agui/{tenant}/agent/{project}/stop/{thread}";
    api.call("POST", stop, "", Value::Null, 200).await;
}
