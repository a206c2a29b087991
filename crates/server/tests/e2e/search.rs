//! Search over HTTP (U-8): what somebody finds, and that no text is an error.

use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::people::{key_of, somebody};
use crate::server_process::Server;
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, TestApp, json as body_of, refusal};

async fn search(app: &TestApp, key: &str, q: &str, more: &str) -> Value {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("q", q);
    let path = format!("/api/search?{}{more}", query.finish());
    let response = app.request("GET", &path).header("x-api-key", key).send().await.unwrap();
    assert_eq!(response.status(), 200, "{q:?}");
    body_of(response).await
}

/// Says something; returns the events.
async fn say(app: &TestApp, key: &str, body: Value) -> Vec<crate::streams::Event> {
    let request = app.request("POST", "/api/chat").header("x-api-key", key).json(&body);
    Events::of(request.send().await.unwrap()).rest().await
}

fn texts(found: &Value) -> Vec<&str> {
    let hits = found["messages"].as_array().unwrap();
    hits.iter().map(|hit| hit["excerpt"]["text"].as_str().unwrap()).collect()
}

/// U-8: what people and agents said is found with marks, in the current versions; what the sanitizer
/// masked is not; pages go on; titles are found; archived ones are marked; deleted ones are gone.
#[tokio::test]
async fn what_was_said_is_found() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    app.model.push(Script::answer().text(&format!("Uma sopa de **feijão**. {secret}")));
    app.model.push(Script::answer().text("Cake with beans."));
    let first = say(&app, ADMIN_KEY, json!({"message": "What can I cook?"})).await;
    let id = first[0].data["conversation_id"].as_str().unwrap();
    let found = search(&app, ADMIN_KEY, "feijao so", "").await;
    let hit = &found["messages"][0];
    assert!(hit["excerpt"]["text"].as_str().unwrap().starts_with("Uma sopa de feijão."), "{hit}");
    assert_eq!(hit["excerpt"]["marks"], json!([[4, 8], [12, 18]]));
    assert_eq!((&hit["conversation_id"], &hit["role"]), (&json!(id), &json!("assistant")));
    assert_eq!((&hit["title"], &hit["archived"]), (&json!("What can I cook?"), &json!(false)));
    let hidden = search(&app, ADMIN_KEY, "abcdefghijklmnopqrstuvwxyz0123456789", "").await;
    assert_eq!(texts(&hidden), [""; 0], "only sanitized text is indexed");

    let asked = first.iter().find(|event| event.name == "message").unwrap().data["id"].clone();
    let edit = json!({"message": "What can I bake?", "conversation_id": id, "edit_of": asked});
    say(&app, ADMIN_KEY, edit).await;
    assert_eq!(texts(&search(&app, ADMIN_KEY, "sopa", "").await), [""; 0], "another version");
    assert_eq!(texts(&search(&app, ADMIN_KEY, "bake", "").await), ["What can I bake?"]);
    let titles = search(&app, ADMIN_KEY, "\"can I cook\"", "").await;
    assert_eq!(titles["titles"][0]["title"]["marks"], json!([[5, 15]]));

    for number in 0..25 {
        say(&app, ADMIN_KEY, json!({"message": format!("milk {number}")})).await;
    }
    let page = search(&app, ADMIN_KEY, "milk", "").await;
    assert_eq!((texts(&page).len(), texts(&page)[0]), (20, "milk 24"), "the newest first");
    let next = format!("&before={}", page["next_before"].as_str().unwrap());
    let page = search(&app, ADMIN_KEY, "milk", &next).await;
    assert_eq!(texts(&page), ["milk 4", "milk 3", "milk 2", "milk 1", "milk 0"]);
    assert!(page.get("next_before").is_none() && page["titles"] == json!([]));

    let path = format!("/api/conversations/{id}");
    let archive = app.admin("PATCH", &path).json(&json!({"archived": true})).send().await.unwrap();
    assert_eq!(archive.status(), 200);
    assert_eq!(search(&app, ADMIN_KEY, "bake", "").await["messages"][0]["archived"], true);
    assert_eq!(app.admin("DELETE", &path).send().await.unwrap().status(), 204);
    let gone = search(&app, ADMIN_KEY, "bake", "").await;
    assert_eq!(gone, json!({"titles": [], "messages": []}));
    let other = app.other_tenants_key("admin").await;
    assert_eq!(texts(&search(&app, &other, "milk", "").await), [""; 0], "X-3");
}

/// U-8: operators, quotes, NUL and thousands of characters are plain words.
#[tokio::test]
async fn no_text_is_an_error() {
    let app = TestApp::start().await;
    say(&app, ADMIN_KEY, json!({"message": "NEAR the OR garden"})).await;
    let long = "garden ".repeat(700);
    let (nul, quotes) = ("garden\0".to_owned(), "\"".repeat(1_000));
    let operators = "words: NEAR(a b) AND OR NOT ^* {x} -y 'z' | & ! <-> :* \\ ( )";
    for (q, count) in [
        (long.as_str(), 1),
        (nul.as_str(), 1),
        ("near OR", 1),
        ("\"the or gar", 1),
        (quotes.as_str(), 0),
        (operators, 0),
        ("%_';--", 0),
        ("\u{202e}\u{feff}\u{fffd}🥣", 0),
        ("", 0),
    ] {
        assert_eq!(texts(&search(&app, ADMIN_KEY, q, "").await).len(), count, "{q:.40}");
    }
    let longer = format!("/api/search?q={}", "garden+".repeat(1_400));
    let longer = app.admin("GET", &longer).send().await.unwrap();
    assert_eq!(refusal(longer).await, (414, "too_large".to_owned()), "an address has an end");
    let bad = app.admin("GET", "/api/search?q=%ff%fe").send().await.unwrap();
    assert!(bad.status() == 200 || refusal(bad).await == (400, "malformed".to_owned()));
}

/// Y-2, Y-4: what a person has to themselves only they find, also where administrators may read it: they
/// open it, and search what they take part in.
#[tokio::test]
async fn nobody_else_finds_what_is_private() {
    let app = TestApp::with("messages_per_minute = 1000").await;
    for name in ["Ana", "Bob"] {
        somebody(&app, name, "user").await;
    }
    let (ana, bob) = (key_of(&app, "Ana").await, key_of(&app, "Bob").await);
    let said = say(&app, &ana, json!({"message": "a marmalade surprise"})).await;
    let id = said[0].data["conversation_id"].as_str().unwrap();
    assert_eq!(texts(&search(&app, &ana, "marmalade", "").await).len(), 1);
    for key in [bob.as_str(), ADMIN_KEY] {
        let found = search(&app, key, "marmalade", "").await;
        assert_eq!(found, json!({"titles": [], "messages": []}));
    }
    let request = app.request("PATCH", &format!("/api/conversations/{id}"));
    let request = request.header("x-api-key", &ana).json(&json!({"visibility": "tenant"}));
    assert_eq!(request.send().await.unwrap().status(), 200);
    assert_eq!(texts(&search(&app, &bob, "marmalade", "").await).len(), 1);
}

/// U-8, FAULTS 7: what an earlier version stored is found soon after the start.
#[tokio::test]
async fn what_was_said_before_is_found() {
    let data = tempfile::tempdir().unwrap();
    let model = parlor_testkit::ScriptedModel::start().await.unwrap();
    crate::upgrades::first_version(data.path()).await;
    let server = Server::start(data.path(), &model).await;
    loop {
        let found = body_of(server.get("/api/search?q=long+ago").send().await.unwrap()).await;
        if found["messages"].as_array().is_some_and(|found| !found.is_empty()) {
            assert_eq!(found["messages"][0]["excerpt"]["text"], "hello from long ago");
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let found = body_of(server.get("/api/search?q=sou").send().await.unwrap()).await;
    assert_eq!(found["titles"][0]["title"]["text"], "Soup");
}
