//! What leaves the server names nothing that is behind it (S-5): the frames of the WebSocket are
//! checked by [`Person`] as they come, this is everything else.

use parlor_agent::CLI_SESSION;
use reqwest::Method;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, Row, SqliteConnection};

use crate::bridge::bridge_app::BridgeApp;
use crate::bridge::person::Person;
use crate::seen::Events;

/// Reads the conversation in every way that a client can, and asserts that none names the agent,
/// its vendor, its model, its directories, keys, or its session.
pub(crate) async fn nothing_is_named(app: &BridgeApp, person: &Person) {
    let last = person.seen.last().unwrap();
    let id = last["conversation_id"].as_str().unwrap();
    let mut words = app.unspeakable();
    let sessions = sessions(app).await;
    assert!(!sessions.is_empty(), "the agent has a session");
    words.extend(sessions);
    let mut texts: Vec<String> = person.seen.iter().map(Value::to_string).collect();
    for path in ["", "/export"] {
        texts.push(read(app, &format!("/api/conversations/{id}{path}")).await);
    }
    texts.push(read(app, "/api/conversations").await);
    texts.extend(events(app, id, last["id"].as_str().unwrap()).await);
    for text in texts {
        let text = text.to_lowercase();
        let named = words.iter().find(|word| text.contains(word.as_str()));
        assert_eq!(named, None, "it is named: {text}");
    }
}

async fn read(app: &BridgeApp, path: &str) -> String {
    let response = app.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.unwrap()
}

/// The events of the conversation as a stream of server-sent events, up to this one.
async fn events(app: &BridgeApp, conversation: &str, last: &str) -> Vec<String> {
    let path = format!("/api/conversations/{conversation}/events");
    let request = app.request(Method::GET, &path).header("last-event-id", "0");
    let mut events = Events::of(request.send().await.unwrap());
    let (mut texts, last) = (Vec::new(), last.parse().unwrap());
    loop {
        let event = events.next().await.expect("the stream ends early");
        texts.push(format!("{} {}", event.name, event.data));
        if event.id >= last {
            return texts;
        }
    }
}

/// What the agent calls its sessions: the raw history, which no client reads, names them.
async fn sessions(app: &BridgeApp) -> Vec<String> {
    let file = app.path("parlor.db");
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let mut database = SqliteConnection::connect_with(&options).await.unwrap();
    let rows = sqlx::query("SELECT body FROM history").fetch_all(&mut database).await.unwrap();
    let bodies = rows.iter().map(|row| serde_json::from_str(row.get(0)).unwrap());
    bodies.flat_map(|body: Value| named_in(&body)).collect()
}

/// The sessions that some JSON names, wherever it does.
fn named_in(value: &Value) -> Vec<String> {
    let session = value[CLI_SESSION].as_str().map(str::to_lowercase);
    let inner: Vec<&Value> = match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    };
    session.into_iter().chain(inner.into_iter().flat_map(named_in)).collect()
}
