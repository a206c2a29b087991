//! Logging in to an MCP server that asks for it (I-5): an administrator does, in a browser; the
//! login is kept encrypted, survives a kill, and is renewed once by one process.

mod guarded_server;
mod household;
mod people;
mod people_elsewhere;

use std::path::Path;
use std::time::Duration;

pub(crate) use guarded_server::GuardedServer;
use guarded_server::PUBLISH;
use parlor_testkit::{Script, ScriptedModel};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::server_process::{Server, free_port};
use crate::streams::Events;
use crate::test_app::{PATIENCE, refusal};

const LOGIN: &str = "/api/admin/mcp/recipes/mail/login";
const FINISH: &str = "/api/me/mcp-logins";

struct Scene {
    mail: GuardedServer,
    model: ScriptedModel,
    data: tempfile::TempDir,
    port: u16,
}

impl Scene {
    async fn new() -> Self {
        Self {
            mail: GuardedServer::start().await,
            model: ScriptedModel::start().await.unwrap(),
            data: tempfile::tempdir().unwrap(),
            port: free_port(),
        }
    }

    async fn start(&self) -> Server {
        let more = self.mail.section();
        Server::start_at(self.port, self.data.path(), &self.model, &more).await
    }

    /// What the model reads after it called a tool.
    async fn call(&self, server: &Server, tool: &str) -> String {
        let calls = Script::answer().tool_use("t1", &format!("mail_{tool}"), &json!({}));
        self.model.push(calls);
        self.model.push(Script::answer().text("Done."));
        Events::of(server.send(&json!({"message": "go"})).await).rest().await;
        let requests = self.model.requests();
        let last = requests.last().unwrap()["messages"].as_array().unwrap().last().unwrap();
        last["content"][0]["content"].to_string()
    }
}

/// The health of the server, once it is so.
async fn until(server: &Server, is_so: impl Fn(&Value) -> bool) -> Value {
    let looking = async {
        loop {
            let status = server.get("/api/admin/status").send().await.unwrap();
            let status: Value = serde_json::from_str(&status.text().await.unwrap()).unwrap();
            let servers = status["projects"][0]["mcp"].as_array().unwrap().clone();
            let mail = servers.into_iter().find(|server| server["server"] == "mail").unwrap();
            if is_so(&mail) {
                return mail;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.expect("it never was so")
}

/// The address that the login page sends the browser back to.
async fn at_login_page(server: &Server) -> String {
    let begun = server.post(LOGIN).send().await.unwrap();
    assert_eq!(begun.status(), 200);
    let begun: Value = serde_json::from_str(&begun.text().await.unwrap()).unwrap();
    sent_back(begun["address"].as_str().unwrap()).await
}

/// Where a browser is sent that opens a login page.
pub(crate) async fn sent_back(login_page: &str) -> String {
    let browser = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    let page = browser.get(login_page).send().await.unwrap();
    page.headers()["location"].to_str().unwrap().to_owned()
}

async fn finish(server: &Server, back: &str) -> Response {
    let query = back.split_once('?').unwrap().1;
    server.post(FINISH).json(&json!({ "query": query })).send().await.unwrap()
}

async fn log_in(server: &Server) {
    let finished = finish(server, &at_login_page(server).await).await;
    assert_eq!(finished.status(), 200, "{}", finished.text().await.unwrap());
}

fn ready(mail: &Value) -> bool {
    mail["state"] == "ready" && mail["login"] == "logged_in"
}

/// I-5: a server that asks for a login says so to administrators; one of them logs in, and its
/// tools work, after `kill -9` too. The tokens are not in the database as they are.
#[tokio::test]
async fn a_login_survives_a_kill() {
    let scene = Scene::new().await;
    let server = scene.start().await;
    let asks = until(&server, |mail| mail["login"] == "needed").await;
    assert_eq!(asks["state"], "down");
    assert_eq!(asks["problem"], "it asks for a login: an administrator can log in to it");
    let back = at_login_page(&server).await;
    let own = format!("http://127.0.0.1:{}/oauth/callback?", scene.port);
    assert!(back.starts_with(&own), "{back}");
    // The browser comes from another site: the page is shown without the cookie.
    let page = server.anonymous(&back[own.len() - "/oauth/callback?".len()..]);
    let page = page.send().await.unwrap();
    // The code in the address is not told to other sites, nor kept.
    assert_eq!(page.headers()["referrer-policy"], "same-origin");
    assert_eq!(page.headers()["cache-control"], "no-store");
    assert!(page.text().await.unwrap().contains("/assets/mcp_login.js"));
    assert_eq!(finish(&server, &back).await.status(), 200);
    until(&server, ready).await;
    assert!(scene.call(&server, "read").await.contains("read is done"));
    server.kill();
    scene.mail.forget_access_tokens();
    let server = scene.start().await;
    until(&server, ready).await;
    assert!(scene.call(&server, "read").await.contains("read is done"));
    let (broken, logins, renewals, tokens) = scene
        .mail
        .seen(|seen| (seen.broken.clone(), seen.logins, seen.renewals, seen.tokens.clone()));
    assert_eq!((broken, logins), (Vec::new(), 1));
    assert!(renewals >= 1, "the token that was forgotten was renewed");
    for name in ["parlor.db", "parlor.db-wal"] {
        assert_no_token(&scene.data.path().join(name), &tokens);
    }
}

fn assert_no_token(file: &Path, tokens: &[String]) {
    // On PostgreSQL there is no file.
    let bytes = std::fs::read(file).unwrap_or_default();
    for token in tokens {
        let found = bytes.windows(token.len()).any(|part| part == token.as_bytes());
        assert!(!found, "{token} stands in {}", file.display());
    }
}

/// I-5: tokens that last for seconds are renewed before each use, and no refresh token is used
/// twice, however many calls come at once.
#[tokio::test]
async fn short_tokens_are_renewed_one_at_a_time() {
    let scene = Scene::new().await;
    scene.mail.seen(|seen| seen.lifetime = 1);
    let server = scene.start().await;
    until(&server, |mail| mail["login"] == "needed").await;
    log_in(&server).await;
    until(&server, ready).await;
    let ids: Vec<String> = (0..6).map(|number| format!("t{number}")).collect();
    let calls = ids
        .iter()
        .fold(Script::answer(), |script, id| script.tool_use(id, "mail_read", &json!({})));
    scene.model.push(calls);
    scene.model.push(Script::answer().text("Done."));
    Events::of(server.send(&json!({"message": "go"})).await).rest().await;
    let last = scene.model.requests().pop().unwrap().to_string();
    assert_eq!(last.matches("read is done").count(), 6, "{last}");
    let (broken, renewals) = scene.mail.seen(|seen| (seen.broken.clone(), seen.renewals));
    assert_eq!(broken, Vec::<String>::new());
    assert!(renewals >= 6, "{renewals}");
}

/// I-5: a call that the login does not cover does not run, and says what is missing; a new login
/// covers more, and keeps what it covered.
#[tokio::test]
async fn a_login_is_widened() {
    let scene = Scene::new().await;
    let server = scene.start().await;
    until(&server, |mail| mail["login"] == "needed").await;
    log_in(&server).await;
    until(&server, ready).await;
    let told = scene.call(&server, PUBLISH).await;
    assert!(told.contains("did not run") && told.contains("log in to it again"), "{told}");
    until(&server, |mail| mail["login"] == "more_needed").await;
    log_in(&server).await;
    until(&server, ready).await;
    assert!(scene.call(&server, PUBLISH).await.contains("publish is done"));
    assert!(scene.call(&server, "read").await.contains("read is done"));
    assert_eq!(scene.mail.seen(|seen| seen.broken.clone()), Vec::<String>::new());
}

/// I-5: a login that ended at the server, and one that was ended here.
#[tokio::test]
async fn a_login_ends() {
    let scene = Scene::new().await;
    let server = scene.start().await;
    until(&server, |mail| mail["login"] == "needed").await;
    log_in(&server).await;
    until(&server, ready).await;
    scene.mail.forget_all();
    let told = scene.call(&server, "read").await;
    assert!(told.contains("an administrator can log in"), "{told}");
    until(&server, |mail| mail["login"] == "needed").await;
    log_in(&server).await;
    until(&server, ready).await;
    assert_eq!(server.delete(LOGIN).send().await.unwrap().status(), 204);
    until(&server, |mail| mail["login"] == "needed" && mail["tools"] == 0).await;
}

/// I-5, X-4: who did not begin a login cannot finish it; it can be finished once; a refusal of the
/// login page is told; users cannot begin one.
#[tokio::test]
async fn a_login_is_finished_once_by_who_began_it() {
    let scene = Scene::new().await;
    let server = scene.start().await;
    until(&server, |mail| mail["login"] == "needed").await;
    let back = at_login_page(&server).await;
    let body = json!({ "query": back.split_once('?').unwrap().1 });
    for (password, is_user) in [("a-family-password", true), ("an-admin-password", false)] {
        let cookie = server.log_in(password).await;
        for path in [FINISH, "/api/admin/mcp/login"] {
            let other = server.anonymous_post(path).header("cookie", &cookie).json(&body);
            assert_eq!(other.send().await.unwrap().status(), 404);
        }
        if is_user {
            let begun = server.anonymous_post(LOGIN).header("cookie", &cookie).send().await;
            assert_eq!(refusal(begun.unwrap()).await, (403, "forbidden".to_owned()));
        }
    }
    assert_eq!(finish(&server, &back).await.status(), 200);
    assert_eq!(refusal(finish(&server, &back).await).await, (404, "not_found".to_owned()));
    let back = at_login_page(&server).await;
    let state = back.split("state=").nth(1).unwrap().split('&').next().unwrap();
    let refused = finish(&server, &format!("?error=access_denied&state={state}")).await;
    assert_eq!(refused.status(), 502);
    assert!(refused.text().await.unwrap().contains("the login was refused: access_denied"));
    for query in ["", "code=1", "state=", "state=unknown&code=1"] {
        let response = server.post(FINISH).json(&json!({ "query": query })).send().await.unwrap();
        assert!(matches!(response.status().as_u16(), 400 | 404), "{query}");
    }
    for path in ["recipes/none", "none/mail", "UP/mail"] {
        let path = format!("/api/admin/mcp/{path}/login");
        assert_eq!(server.post(&path).send().await.unwrap().status(), 404, "{path}");
    }
}

/// I-5: a server at an https address describes itself to authorization servers, with the address
/// that they send browsers back to.
#[tokio::test]
async fn a_server_describes_itself() {
    let scene = Scene::new().await;
    let public = [("PARLOR_PUBLIC_URL", "https://chat.example.org")];
    let server = Server::start_with(scene.data.path(), &scene.model, "", &public).await;
    let request = server.anonymous("/oauth/client.json").header("host", "chat.example.org");
    let answer = request.send().await.unwrap().text().await.unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["client_id"], "https://chat.example.org/oauth/client.json");
    assert_eq!(answer["redirect_uris"], json!(["https://chat.example.org/oauth/callback"]));
}
