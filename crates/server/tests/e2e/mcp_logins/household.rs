//! People of one household, each with an account of their own at Parlor and at an MCP server.

use std::sync::{Arc, Mutex};

use parlor_testkit::{Script, ScriptedModel};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use super::{GuardedServer, sent_back};
use crate::server_process::{Server, free_port};
use crate::streams::Events;

pub(super) const OWN: &str = "/api/me/mcp-logins";
pub(super) const MAIL: &str = "/api/me/mcp-logins/recipes/mail";
pub(super) const LOGINS: &str = "/api/admin/mcp/recipes/mail/logins";

/// The mail server that each person logs in to, and a model that calls the tool that a message
/// names, once.
pub(super) struct Household {
    pub(super) mail: GuardedServer,
    pub(super) model: ScriptedModel,
    pub(super) data: tempfile::TempDir,
    /// What the model read last of each request.
    pub(super) told: Told,
    port: u16,
    section: String,
}

type Told = Arc<Mutex<Vec<String>>>;

/// Somebody with an account, by their session.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) cookie: String,
    pub(super) id: String,
    pub(super) name: String,
}

impl Household {
    pub(super) async fn new() -> Self {
        let mail = GuardedServer::start().await;
        let section = mail.section_of_people();
        let told = Told::default();
        Self {
            model: obedient(&told).await,
            told,
            data: tempfile::tempdir().unwrap(),
            port: free_port(),
            mail,
            section,
        }
    }

    /// Calls wait for a yes.
    pub(super) async fn that_asks() -> Self {
        let this = Self::new().await;
        let section = this.section.replace("action = \"allow\"", "action = \"ask\"");
        Self { section, ..this }
    }

    pub(super) async fn start(&self) -> Server {
        Server::start_at(self.port, self.data.path(), &self.model, &self.section).await
    }

    pub(super) fn calls(&self) -> Vec<(String, String)> {
        self.mail.seen(|seen| seen.calls.clone())
    }

    pub(super) fn assert_nothing_broken(&self) {
        assert_eq!(self.mail.seen(|seen| seen.broken.clone()), Vec::<String>::new());
    }
}

/// A model that calls the tool that a message names ("use read"), and is done then.
pub(super) async fn obedient(told: &Told) -> ScriptedModel {
    let told = told.clone();
    let answering = move |request: &Value| {
        let last = request["messages"].as_array().unwrap().last().unwrap();
        let text = last["content"].to_string();
        told.lock().unwrap().push(text.clone());
        if text.contains("tool_result") {
            return Script::answer().text("Done.");
        }
        let tool = if text.contains("use publish") { "mail_publish" } else { "mail_read" };
        Script::answer().tool_use("t1", tool, &json!({}))
    };
    ScriptedModel::answering(answering).await.unwrap()
}

pub(super) async fn body(response: Response) -> Value {
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// Somebody new, who accepts an invitation.
pub(super) async fn join(server: &Server, name: &str) -> Member {
    let invited = server.post("/api/people/invitations").json(&json!({"role": "user"}));
    let link = body(invited.send().await.unwrap()).await["link"].as_str().unwrap().to_owned();
    let path = &link[link.find("/invite/").unwrap()..];
    let password = "a-password-of-their-own";
    let form = format!("name={name}&password={password}&again={password}");
    let form = server.anonymous_post(path).body(form);
    let joined = form.header("content-type", "application/x-www-form-urlencoded").send().await;
    let cookie = joined.unwrap().headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let me = server.anonymous("/api/me").header("cookie", &cookie).send().await.unwrap();
    let id = body(me).await["person"]["id"].as_str().unwrap().to_owned();
    Member { cookie, id, name: name.to_lowercase() }
}

impl Member {
    pub(super) fn post(&self, server: &Server, path: &str) -> RequestBuilder {
        server.anonymous_post(path).header("cookie", &self.cookie)
    }

    pub(super) fn get(&self, server: &Server, path: &str) -> RequestBuilder {
        server.anonymous(path).header("cookie", &self.cookie)
    }

    /// The query that the login page sends this person back with.
    pub(super) async fn at_login_page(&self, server: &Server) -> String {
        let begun = self.post(server, MAIL).send().await.unwrap();
        assert_eq!(begun.status(), 200, "{}", begun.text().await.unwrap());
        let address = body(begun).await["address"].as_str().unwrap().to_owned();
        let back = sent_back(&format!("{address}&account={}", self.name)).await;
        back.split_once('?').unwrap().1.to_owned()
    }

    pub(super) async fn finish(&self, server: &Server, query: &str) -> Response {
        self.post(server, OWN).json(&json!({ "query": query })).send().await.unwrap()
    }

    /// Logs in to the mail server, with their own account there.
    pub(super) async fn log_in(&self, server: &Server) {
        let query = self.at_login_page(server).await;
        let finished = self.finish(server, &query).await;
        assert_eq!(finished.status(), 200, "{}", finished.text().await.unwrap());
        assert_eq!(body(finished).await["person"], self.id.as_str());
    }

    /// How they stand with the mail server.
    pub(super) async fn state(&self, server: &Server) -> String {
        let own = body(self.get(server, OWN).send().await.unwrap()).await;
        let servers = own["servers"].as_array().unwrap();
        assert_eq!((servers.len(), &servers[0]["server"]), (1, &json!("mail")), "{own}");
        servers[0]["state"].as_str().unwrap().to_owned()
    }

    /// Begins a conversation, or goes on with one.
    pub(super) async fn send(&self, server: &Server, message: &Value) -> Events {
        Events::of(self.post(server, "/api/chat").json(message).send().await.unwrap())
    }

    /// The message that shows the result of the tool that is called for these words.
    pub(super) async fn say(&self, server: &Server, words: &str) -> Value {
        let events = self.send(server, &json!({"message": words})).await.rest().await;
        let results = events.iter().map(|event| &event.data);
        let mut results = results.filter(|data| data["message_type"] == "tool_result");
        results.next().unwrap_or_else(|| panic!("no result: {events:?}")).clone()
    }

    /// The account with which the mail server was called for this person, last of all.
    pub(super) async fn reads(&self, household: &Household, server: &Server) -> String {
        let result = self.say(server, "use read").await;
        assert!(result["content"].as_str().unwrap().contains("read is done"), "{result}");
        household.calls().pop().unwrap().0
    }
}

/// Whether a call was not made because of a login.
pub(super) fn needs_login(result: &Value) -> bool {
    let facts = &result["metadata"];
    facts["code"] == "login_needed" && facts["login"] == "mail" && facts["is_error"] == true
}
