//! Sharing with everybody of the tenant, taking it back, and what administrators read.

use std::time::{Duration, Instant};

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};

use super::{get, key_of, somebody};
use crate::sockets::{HOME, Socket};
use crate::streams::Events;
use crate::test_app::{Settings, TestApp, refusal};

async fn begin(app: &TestApp, key: &str) -> (String, Events) {
    let request = app.request("POST", "/api/chat").header("x-api-key", key);
    let request = request.json(&json!({"message": "her soup"}));
    let mut events = Events::of(request.send().await.unwrap());
    let start = events.find("start").await;
    (start.data["conversation_id"].as_str().unwrap().to_owned(), events)
}

async fn patch(app: &TestApp, id: &str, key: &str, change: Value) -> reqwest::Response {
    let request = app.request("PATCH", &format!("/api/conversations/{id}"));
    request.header("x-api-key", key).json(&change).send().await.unwrap()
}

/// Y-2: whoever loses sight of a conversation is cut off within a second, in the middle of an
/// answer too; whose it is reads on.
#[tokio::test]
async fn taking_it_back_ends_the_streams_of_others() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    for name in ["Ana", "Bob"] {
        somebody(&app, name, "user").await;
    }
    let (ana, bob) = (key_of(&app, "Ana").await, key_of(&app, "Bob").await);
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far ").gate(&gate).text("on"));
    let (id, mut hers) = begin(&app, &ana).await;
    let path = format!("/api/conversations/{id}");
    let share = |visibility: &str| json!({"visibility": visibility});
    let unseen = refusal(patch(&app, &id, &bob, share("tenant")).await).await;
    assert_eq!(unseen, (404, "not_found".to_owned()));
    let shared = patch(&app, &id, &ana, share("tenant")).await;
    assert_eq!(shared.status(), 200);

    let seen = get(&app, &path, ("x-api-key", &bob)).await;
    assert_eq!(seen["visibility"], "tenant");
    for (what, answer) in [
        ("hides", refusal(patch(&app, &id, &bob, share("private")).await).await),
        ("deletes", {
            let request = app.request("DELETE", &path).header("x-api-key", &bob);
            refusal(request.send().await.unwrap()).await
        }),
    ] {
        assert_eq!(answer, (403, "forbidden".to_owned()), "Bob {what} it");
    }
    let other = reqwest::Client::builder().no_proxy().build().unwrap();
    let follow = |key: &str| other.get(app.url(&format!("{path}/events"))).header("x-api-key", key);
    let mut stream = Events::of(follow(&bob).send().await.unwrap());
    stream.find("chunk").await;
    let query = format!("{HOME}?conversation_id={id}");
    let mut socket = Socket::with(&app, &query, &[("x-api-key", &bob)]).await.unwrap();
    socket.find("streamToken").await;
    hers.find("chunk").await;

    let began = Instant::now();
    assert_eq!(patch(&app, &id, &ana, share("private")).await.status(), 200);
    assert!(stream.rest().await.is_empty());
    assert_eq!(socket.end().await, Some(1000));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    let again = refusal(follow(&bob).send().await.unwrap()).await;
    assert_eq!(again, (404, "not_found".to_owned()));
    gate.release(1);
    let rest = hers.rest().await;
    assert!(rest.iter().any(|event| event.name == "done"), "{rest:?}");
}

/// Y-2: a message that somebody sent to a shared conversation is not shown to them again once it is
/// hidden, also if they repeat the request.
#[tokio::test]
async fn a_repeated_message_shows_nothing_that_is_hidden() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    for name in ["Ana", "Bob"] {
        somebody(&app, name, "user").await;
    }
    let (ana, bob) = (key_of(&app, "Ana").await, key_of(&app, "Bob").await);
    let (id, mut hers) = begin(&app, &ana).await;
    hers.rest().await;
    patch(&app, &id, &ana, json!({"visibility": "tenant"})).await;
    let send = || {
        let message = json!({"message": "more", "conversation_id": id, "client_message_id": "m"});
        app.request("POST", "/api/chat").header("x-api-key", &bob).json(&message).send()
    };
    let said = Events::of(send().await.unwrap()).rest().await;
    assert!(said.iter().any(|event| event.name == "done"));
    patch(&app, &id, &ana, json!({"visibility": "private"})).await;
    assert_eq!(refusal(send().await.unwrap()).await, (404, "not_found".to_owned()));
    let view = get(&app, &format!("/api/conversations/{id}"), ("x-api-key", &ana)).await;
    assert_eq!(view["messages"].as_array().unwrap().len(), 4, "what Bob said stays");
}

/// Y-4: administrators read what people have to themselves only where the configuration says so and
/// everybody is told; they take no part in it.
#[tokio::test]
async fn administrators_read_only_where_people_know_it() {
    let more = "[tenants.home]\nadmins_read_conversations = true";
    let limits = "messages_per_minute = 1000";
    let app = TestApp::configured(Settings { limits, more, ..Settings::default() }).await;
    somebody(&app, "Ana", "user").await;
    somebody(&app, "Boss", "admin").await;
    let ana = key_of(&app, "Ana").await;
    let key = ["keys", "create", "--person", "Boss", "--role", "admin"];
    let boss = app.parlor(&key, "").await;
    let me = get(&app, "/api/me", ("x-api-key", &ana)).await;
    assert_eq!(me["admins_read_conversations"], true);
    let (id, mut hers) = begin(&app, &ana).await;
    hers.rest().await;
    let path = format!("/api/conversations/{id}");
    let view = get(&app, &path, ("x-api-key", &boss)).await;
    assert_eq!(view["title"], "her soup");
    let listed = async |query: &str| {
        let list = get(&app, &format!("/api/conversations{query}"), ("x-api-key", &boss)).await;
        list["conversations"].as_array().unwrap().len()
    };
    assert_eq!((listed("").await, listed("?everybody=true").await), (0, 1));
    let message = json!({"message": "x", "conversation_id": id});
    let stop = format!("{path}/stop");
    for (method, path, body) in [
        ("POST", "/api/chat", message),
        ("PATCH", path.as_str(), json!({"title": "mine"})),
        ("DELETE", path.as_str(), json!({})),
        ("POST", stop.as_str(), json!({})),
    ] {
        let request = app.request(method, path).header("x-api-key", &boss).json(&body);
        let answer = refusal(request.send().await.unwrap()).await;
        assert_eq!(answer, (403, "forbidden".to_owned()), "{method} {path}");
    }
    let user = get(&app, "/api/conversations?everybody=true", ("x-api-key", &ana)).await;
    assert_eq!(user["conversations"].as_array().unwrap().len(), 1, "for others it changes nothing");
}
