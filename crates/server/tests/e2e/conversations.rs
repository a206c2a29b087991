//! Conversations over HTTP: following, resuming, stopping, listing, deleting, and shutdown.

use parlor_testkit::{Gate, Script};
use serde_json::json;

use crate::streams::{Event, Events, text};
use crate::test_app::{TestApp, json as body_of, refusal};

async fn patch(app: &TestApp, path: &str, body: &str) -> reqwest::Response {
    let request = app.admin("PATCH", path).header("content-type", "application/json");
    request.body(body.to_owned()).send().await.unwrap()
}

/// H-5: a reader that resumes after any event id gets the rest, once and in order.
#[tokio::test]
async fn a_reader_goes_on_after_any_event() {
    let app = TestApp::start().await;
    let all = Events::of(app.send(&json!({"message": "hello"})).await).rest().await;
    let id = all[0].data["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{id}/events");
    let last = all.last().unwrap();
    let durable = |events: &[Event]| -> Vec<Event> {
        events.iter().filter(|event| !event.id.contains('.')).cloned().collect()
    };
    for (place, seen) in all.iter().enumerate().filter(|(_, event)| event.name != "done") {
        let request = app.admin("GET", &path).header("last-event-id", &seen.id);
        let mut events = Events::of(request.send().await.unwrap());
        let mut rest = Vec::new();
        while rest.last() != Some(last) {
            rest.push(events.next().await.unwrap());
        }
        assert_eq!(durable(&rest), durable(&all[place + 1..]), "after {}", seen.id);
        // Missed pieces of text may be merged, or left out if the message is already complete.
        let whole = text(&all[..=place]) + &text(&rest);
        let message = rest.iter().any(|e| e.name == "message" && e.data["content"] == "Hello");
        assert!(whole == "Hello" || message, "after {}: {whole}", seen.id);
    }
    let by_query = app.admin("GET", &format!("{path}?after={}", all[0].id)).send().await.unwrap();
    assert_ne!(Events::of(by_query).next().await.unwrap().name, "start");
    let bad = app.admin("GET", &path).header("last-event-id", "nonsense").send().await.unwrap();
    assert_eq!(refusal(bad).await, (400, "malformed".to_owned()));
}

/// An idle stream sends keep-alives.
#[tokio::test]
async fn a_quiet_stream_says_that_it_is_alive() {
    let app = TestApp::with("keep_alive = \"50ms\"").await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far ").gate(&gate).text("on"));
    let mut events = Events::of(app.send(&json!({"message": "hello"})).await);
    let id = events.find("start").await.data["conversation_id"].as_str().unwrap().to_owned();
    let request = app.admin("GET", &format!("/api/conversations/{id}/events"));
    let mut held = Events::of(request.send().await.unwrap());
    held.find("chunk").await;
    held.find_remark(": keep-alive").await;
    gate.release(1);
    held.find("done").await;
    events.rest().await;
}

/// H-6: any client can stop a turn; a message while one runs is answered with 409.
#[tokio::test]
async fn a_running_turn_can_be_stopped() {
    let app = TestApp::start().await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far").gate(&gate).text("never"));
    let mut events = Events::of(app.send(&json!({"message": "hello"})).await);
    let id = events.find("start").await.data["conversation_id"].as_str().unwrap().to_owned();
    events.find("chunk").await;
    let again = app.send(&json!({"message": "again", "conversation_id": id})).await;
    assert_eq!(refusal(again).await, (409, "turn_running".to_owned()));
    let stop = app.admin("POST", &format!("/api/conversations/{id}/stop"));
    assert_eq!(body_of(stop.send().await.unwrap()).await, json!({"stopped": true}));
    let rest = events.rest().await;
    assert_eq!(rest.last().unwrap().data["reason"], "stopped");
    let stop = app.admin("POST", &format!("/api/conversations/{id}/stop"));
    assert_eq!(body_of(stop.send().await.unwrap()).await, json!({"stopped": false}));
}

/// H-5: the same mark twice starts one turn, and both readers see it.
#[tokio::test]
async fn a_retried_message_starts_one_turn() {
    let app = TestApp::start().await;
    let request = json!({"message": "hello", "client_message_id": "mark-1"});
    let first = Events::of(app.send(&request).await).rest().await;
    let second = Events::of(app.send(&request).await).rest().await;
    assert_eq!(first[0], second[0]);
    assert_eq!(first.last(), second.last());
    assert_eq!(app.model.requests().len(), 1);
}

/// Conversations can be listed, read, renamed and deleted.
#[tokio::test]
async fn conversations_are_listed_renamed_and_deleted() {
    let app = TestApp::start().await;
    let events = Events::of(app.send(&json!({"message": "hello there"})).await).rest().await;
    let id = events[0].data["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{id}");
    let read = body_of(app.admin("GET", &path).send().await.unwrap()).await;
    assert_eq!(read["messages"].as_array().unwrap().len(), 2);
    assert_eq!(read["cursor"], json!(events.last().unwrap().id));
    let renamed = body_of(patch(&app, &path, r#"{"title": "Soup", "mode": "plan"}"#).await).await;
    assert_eq!((&renamed["title"], &renamed["mode"]), (&json!("Soup"), &json!("plan")));
    for (query, count) in [("", 1), ("?q=sou", 1), ("?q=cake", 0)] {
        let list = app.admin("GET", &format!("/api/conversations{query}")).send().await.unwrap();
        let list = body_of(list).await;
        assert_eq!(list["conversations"].as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(refusal(patch(&app, &path, r#"{"title": " "}"#).await).await.0, 400);
    assert_eq!(refusal(patch(&app, &path, r#"{"title": 5}"#).await).await.0, 400);
    let mut held = Events::of(app.admin("GET", &format!("{path}/events")).send().await.unwrap());
    assert_eq!(app.admin("DELETE", &path).send().await.unwrap().status(), 204);
    held.rest().await;
    assert_eq!(refusal(app.admin("GET", &path).send().await.unwrap()).await.0, 404);
    assert_eq!(refusal(app.admin("DELETE", &path).send().await.unwrap()).await.0, 404);
}

/// B-5: a client that needs the id first creates a conversation without a message. It is listed,
/// also by its folder, once it has one.
#[tokio::test]
async fn a_conversation_can_begin_without_a_message() {
    let app = TestApp::start().await;
    let new = json!({"project": "sauces", "mode": "plan", "folder": "/work/kitchen"});
    let created = app.admin("POST", "/api/conversations").json(&new).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let created = body_of(created).await;
    assert_eq!((&created["title"], &created["mode"]), (&json!(""), &json!("plan")));
    let listed = async |query: &str| {
        let path = format!("/api/conversations{query}");
        let list = body_of(app.admin("GET", &path).send().await.unwrap()).await;
        list["conversations"].as_array().unwrap().clone()
    };
    assert!(listed("").await.is_empty());
    let id = created["id"].as_str().unwrap();
    let message = json!({"message": "hello there", "conversation_id": id});
    let events = Events::of(app.send(&message).await).rest().await;
    assert_eq!((events[0].id.as_str(), &events[0].data["conversation_id"]), ("1", &json!(id)));
    for (query, count) in [
        ("", 1),
        ("?project=sauces&folder=/work/kitchen", 1),
        ("?project=recipes", 0),
        ("?folder=/work", 0),
    ] {
        let list = listed(query).await;
        assert_eq!(list.len(), count, "{query}");
        assert!(list.iter().all(|found| found["title"] == "hello there"));
    }
}

/// FAULTS 3: a stopping server tells its readers to reconnect, and ends.
#[tokio::test]
async fn a_stopping_server_tells_its_readers_to_come_back() {
    let mut app = TestApp::with("shutdown_deadline = \"200ms\"").await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far ").gate(&gate).text("on"));
    let mut events = Events::of(app.send(&json!({"message": "hello"})).await);
    events.find("chunk").await;
    app.stop();
    events.rest().await;
    assert!(events.remarks.contains(&"retry: 1000".to_owned()), "{:?}", events.remarks);
    app.stopped().await;
    assert!(tokio::net::TcpStream::connect(app.address).await.is_err());
}
