//! Pinning, archiving, and deletions that are undone (U-8).

use std::time::Duration;

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};

use crate::people::{key_of, somebody};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, Settings, TestApp, json as body_of, refusal};

async fn get(app: &TestApp, key: &str, path: &str) -> Value {
    let response = app.request("GET", path).header("x-api-key", key).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    body_of(response).await
}

async fn status(app: &TestApp, key: &str, method: &str, path: &str) -> u16 {
    let request = app.request(method, path).header("x-api-key", key);
    request.send().await.unwrap().status().as_u16()
}

async fn begin(app: &TestApp, key: &str, message: &str) -> (String, Events) {
    let request = app.request("POST", "/api/chat").header("x-api-key", key);
    let mut events = Events::of(request.json(&json!({"message": message})).send().await.unwrap());
    let start = events.find("start").await;
    (start.data["conversation_id"].as_str().unwrap().to_owned(), events)
}

async fn titles(app: &TestApp, key: &str, query: &str) -> Vec<String> {
    let list = get(app, key, &format!("/api/conversations{query}")).await;
    let listed = list["conversations"].as_array().unwrap();
    listed.iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

/// U-8, Y-2: pinned ones are on top, archived ones in a list of their own; of a shared conversation
/// everybody has their own place; exports have all but the deleted ones.
#[tokio::test]
async fn everybody_keeps_their_own_list() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    for name in ["Ana", "Bob"] {
        somebody(&app, name, "user").await;
    }
    let (ana, bob) = (key_of(&app, "Ana").await, key_of(&app, "Bob").await);
    let mut ids = Vec::new();
    for message in ["one", "two", "three"] {
        let (id, mut events) = begin(&app, &ana, message).await;
        events.rest().await;
        ids.push(id);
    }
    let patch = async |key: &str, id: &str, change: Value| {
        let request = app.request("PATCH", &format!("/api/conversations/{id}"));
        let request = request.header("x-api-key", key).json(&change);
        request.send().await.unwrap()
    };
    assert_eq!(patch(&bob, &ids[0], json!({"pinned": true})).await.status(), 404, "it is private");
    patch(&ana, &ids[0], json!({"pinned": true, "visibility": "tenant"})).await;
    patch(&ana, &ids[2], json!({"archived": true})).await;
    assert_eq!(titles(&app, &ana, "").await, ["one", "two"]);
    assert_eq!(titles(&app, &ana, "?list=archived").await, ["three"]);
    assert_eq!(titles(&app, &ana, "?list=all").await, ["three", "two", "one"]);
    let hers = get(&app, &ana, &format!("/api/conversations/{}", ids[0])).await;
    assert_eq!((&hers["pinned"], hers.get("archived")), (&json!(true), None));
    patch(&bob, &ids[0], json!({"archived": true})).await;
    assert_eq!(titles(&app, &bob, "").await, [""; 0]);
    assert_eq!(titles(&app, &ana, "").await, ["one", "two"], "hers is where it was");
    assert_eq!(titles(&app, ADMIN_KEY, "").await, ["one"]);

    assert_eq!(status(&app, &ana, "DELETE", &format!("/api/conversations/{}", ids[1])).await, 204);
    let export = app.request("GET", "/api/export").header("x-api-key", &ana).send().await.unwrap();
    let export = export.text().await.unwrap();
    assert_eq!(export.lines().count(), 2, "{export}");
    assert!(export.contains("\"three\"") && !export.contains("\"two\""), "{export}");
}

/// U-8: a deletion stops the turn, ends its readers and closes its prompt; nothing of the conversation
/// can be reached by any address. Undone, all of it is there, with the turn that was stopped.
#[tokio::test]
async fn a_deletion_can_be_undone() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    for name in ["Ana", "Bob"] {
        somebody(&app, name, "user").await;
    }
    let (ana, bob) = (key_of(&app, "Ana").await, key_of(&app, "Bob").await);
    let gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
    let image = json!({"data": gif, "media_type": "image/gif"});
    let request = app.request("POST", "/api/chat").header("x-api-key", &ana);
    let request = request.json(&json!({"message": "look", "image": image}));
    let seen = Events::of(request.send().await.unwrap()).rest().await;
    let said = &seen[1].data;
    let id = said["conversation_id"].as_str().unwrap();
    let image = format!("/api/images/{}", said["metadata"]["image"]["id"].as_str().unwrap());
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far ").gate(&gate).text("never"));
    let message = json!({"message": "and more", "conversation_id": id, "client_message_id": "m1"});
    let request = app.request("POST", "/api/chat").header("x-api-key", &ana).json(&message);
    let mut running = Events::of(request.send().await.unwrap());
    running.find("chunk").await;

    let path = format!("/api/conversations/{id}");
    assert_eq!(status(&app, &bob, "DELETE", &path).await, 404);
    assert_eq!(status(&app, &ana, "DELETE", &path).await, 204);
    running.rest().await;
    for hidden in [
        path.clone(),
        format!("{path}/events"),
        format!("{path}/export"),
        format!("{path}/allowances"),
        image.clone(),
    ] {
        assert_eq!(status(&app, &ana, "GET", &hidden).await, 404, "{hidden}");
    }
    assert_eq!(status(&app, &ana, "DELETE", &path).await, 404, "it is gone");
    let more = json!({"message": "hello?", "conversation_id": id});
    let request = app.request("POST", "/api/chat").header("x-api-key", &ana).json(&more);
    assert_eq!(refusal(request.send().await.unwrap()).await.0, 404);
    for list in ["", "?list=all", "?list=archived", "?everybody=true&list=deleted"] {
        let (hers, admins) = (titles(&app, &ana, list).await, titles(&app, ADMIN_KEY, list).await);
        assert!(
            !list.contains("deleted") && hers.is_empty() || hers == ["look"],
            "{list}: {hers:?}"
        );
        assert!(admins.is_empty(), "{list}: {admins:?}");
    }
    let restore = format!("{path}/restore");
    for key in [bob.as_str(), ADMIN_KEY] {
        assert_eq!(status(&app, key, "POST", &restore).await, 404, "it is not theirs");
        assert_eq!(status(&app, key, "DELETE", &format!("{path}?for_good=true")).await, 404);
    }

    let listed = get(&app, &ana, "/api/conversations?list=deleted").await;
    assert!(listed["conversations"][0]["deleted_at"].is_number(), "{listed}");
    assert_eq!(status(&app, &ana, "POST", &restore).await, 200);
    let view = get(&app, &ana, &path).await;
    assert_eq!((&view["running"], view.get("deleted_at")), (&json!(false), None));
    assert_eq!(view["messages"].as_array().unwrap().len(), 4, "with the text that it had: {view}");
    assert_eq!(status(&app, &ana, "GET", &image).await, 200);
    let request = app.request("GET", &format!("{path}/events")).header("x-api-key", &ana);
    let mut log = Events::of(request.send().await.unwrap());
    log.find("done").await;
    assert_eq!(log.find("done").await.data["reason"], "stopped");
    // It goes on.
    let request = app.request("POST", "/api/chat").header("x-api-key", &ana).json(&more);
    assert_eq!(Events::of(request.send().await.unwrap()).rest().await.last().unwrap().name, "done");
}

/// U-8: a question that waits is in no list while its conversation is deleted, and nobody answers it.
#[tokio::test]
async fn what_waits_in_a_deleted_conversation_waits_for_nobody() {
    let app = TestApp::start().await;
    let question = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
    app.model.push(Script::answer().text(question));
    let (id, mut events) = begin(&app, ADMIN_KEY, "cook").await;
    let prompt = events.find("userPrompt").await.data["messageId"].as_str().unwrap().to_owned();
    events.rest().await;
    let path = format!("/api/conversations/{id}");
    assert_eq!(status(&app, ADMIN_KEY, "DELETE", &path).await, 204);
    let answer = app.admin("POST", &format!("/api/prompts/{prompt}/response"));
    let answer = answer.json(&json!({"response": "soup"})).send().await.unwrap();
    assert_eq!(refusal(answer).await.0, 404);
    for list in ["/api/prompts?status=open", "/api/admin/prompts"] {
        assert_eq!(get(&app, ADMIN_KEY, list).await["prompts"], json!([]), "{list}");
    }
    assert_eq!(status(&app, ADMIN_KEY, "POST", &format!("{path}/restore")).await, 200);
    let list = get(&app, ADMIN_KEY, "/api/prompts?status=open").await;
    assert_eq!(list["prompts"][0]["prompt"]["messageId"], json!(prompt), "{list}");
}

/// U-8, Y-5: after the configured time, or at once if somebody says so, nothing is left, pictures
/// included; with no time at all a deletion is for good.
#[tokio::test]
async fn deleted_ones_are_deleted_for_good_in_the_end() {
    for (kept, path_of_deletion) in [("1s", ""), ("7d", "?for_good=true"), ("0s", "")] {
        let more = format!("[storage]\nundo_deletion = \"{kept}\"");
        let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
        let (id, mut events) = begin(&app, ADMIN_KEY, "hello").await;
        events.rest().await;
        let path = format!("/api/conversations/{id}");
        let deletion = format!("{path}{path_of_deletion}");
        assert_eq!(status(&app, ADMIN_KEY, "DELETE", &deletion).await, 204);
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        while !titles(&app, ADMIN_KEY, "?list=deleted").await.is_empty() {
            assert_eq!(kept, "1s", "the others are gone at once");
            assert!(tokio::time::Instant::now() < deadline, "it was not deleted in time");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(status(&app, ADMIN_KEY, "POST", &format!("{path}/restore")).await, 404);
    }
}

/// U-8, Y-2: a link to a conversation opens nothing while that is deleted.
#[tokio::test]
async fn links_open_nothing_that_is_deleted() {
    let app = TestApp::start().await;
    let (id, mut events) = begin(&app, ADMIN_KEY, "hello").await;
    events.rest().await;
    let path = format!("/api/conversations/{id}");
    let links = app.admin("POST", &format!("{path}/links")).json(&json!({}));
    let made = body_of(links.send().await.unwrap()).await;
    let token = made["link"].as_str().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let shared = format!("/api/shared/{token}");
    for (method, address, opens) in [
        ("GET", path.clone(), 200),
        ("DELETE", path.clone(), 404),
        ("POST", format!("{path}/restore"), 200),
    ] {
        assert!(status(&app, ADMIN_KEY, method, &address).await < 300);
        assert_eq!(status(&app, ADMIN_KEY, "GET", &shared).await, opens, "after {method}");
    }
}
