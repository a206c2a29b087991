//! A system that is told by webhooks, and what it saw.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::python;
use crate::test_app::PATIENCE;

pub(super) const SECRET: &str = "whsec_cGFybG9yLXdlYmhvb2stdGVzdC1zZWNyZXQtMzI=";

/// A message that came.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) id: String,
    headers: Value,
    text: String,
    pub(super) body: Value,
}

/// The system.
#[derive(Clone, Default)]
pub(super) struct Receiver {
    state: Arc<Mutex<Seen>>,
    address: String,
}

#[derive(Default)]
struct Seen {
    messages: Vec<Message>,
    /// What the next ones are answered; then all are taken.
    answers: VecDeque<StatusCode>,
    /// Whether it does not answer.
    hangs: bool,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let this = Self { address, ..Self::default() };
        crate::logs::secret(SECRET);
        let router = Router::new().route("/hook", any(receive)).with_state(this.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        this
    }

    /// The lines of a webhook of the tenant `home` with this name.
    pub(super) fn section(&self, name: &str, more: &str) -> String {
        format!(
            "[tenants.home.webhooks.{name}]\nurl = \"{}/hook\"\nsecret = \"{SECRET}\"\n\
             allow_private_addresses = true\n{more}\n",
            self.address
        )
    }

    /// What the next messages are answered.
    pub(super) fn answer(&self, answers: &[u16]) {
        let answers = answers.iter().map(|status| StatusCode::from_u16(*status).unwrap());
        self.state.lock().unwrap().answers.extend(answers);
    }

    /// Does not answer from now on, or does again.
    pub(super) fn hang(&self, hangs: bool) {
        self.state.lock().unwrap().hangs = hangs;
    }

    pub(super) fn seen(&self) -> Vec<Message> {
        self.state.lock().unwrap().messages.clone()
    }

    /// Waits until so many messages have come, whatever they were answered.
    pub(super) async fn came(&self, count: usize) -> Vec<Message> {
        let came = async {
            while self.seen().len() < count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, came).await;
        came.unwrap_or_else(|_| panic!("{count} messages were expected: {:#?}", self.seen()));
        self.seen()
    }
}

/// Fails unless the library of Standard Webhooks takes all of these messages.
pub(super) async fn verify(messages: &[Message]) -> Result<(), String> {
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| json!({"secret": SECRET, "headers": message.headers, "body": message.text}))
        .collect();
    let mut program = python::run("clients/webhooks", "verify.py").await;
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.kill_on_drop(true).spawn().unwrap();
    let input = json!(messages).to_string();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

impl Message {
    /// The same with another body.
    pub(super) fn forged(mut self) -> Self {
        self.text = self.text.replace("home", "away");
        self
    }

    pub(super) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }
}

async fn receive(State(this): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let known: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), header(name).into())).collect();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    let (answer, hangs) = {
        let mut seen = this.state.lock().unwrap();
        let id = header("webhook-id");
        seen.messages.push(Message { id, headers: Value::Object(known), text, body });
        (seen.answers.pop_front().unwrap_or(StatusCode::NO_CONTENT), seen.hangs)
    };
    if hangs {
        std::future::pending::<()>().await;
    }
    // Whoever follows it comes back here.
    let location = [(header::LOCATION, format!("{}/hook", this.address))];
    (answer, location).into_response()
}
