//! What waits, and who decided what: searched, exported, and without what is for the person alone.

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::{admin_gets, get, say};
use crate::people::{invite, join};
use crate::test_app::{ADMIN_KEY, Settings, TestApp};

/// Asks a question in a conversation of this key's owner; returns the prompt's id.
async fn asked(app: &TestApp, key: &str, question: &str) -> String {
    let script = json!({"question": question, "options": ["soup", "cake"]});
    app.model.push(Script::answer().text(&script.to_string()));
    let events = say(app, key, "what now").await;
    let prompt = events.iter().find(|event| event.name == "userPrompt");
    let prompt = prompt.unwrap_or_else(|| panic!("no prompt: {events:?}"));
    prompt.data["messageId"].as_str().unwrap().to_owned()
}

/// Answers a prompt, and waits until its answer was told to the model: what is pushed after that is
/// for the next message.
async fn answer(app: &TestApp, key: &str, prompt: &str) {
    let before = app.model.requests().len();
    let path = format!("/api/prompts/{prompt}/response");
    let request = app.request("POST", &path).header("x-api-key", key);
    let answered = request.json(&json!({"response": "soup"})).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    app.model.wait_for_requests(before + 1).await;
}

async fn with_ana(more: &str) -> (TestApp, String) {
    let limits = "messages_per_minute = 1000";
    let app = TestApp::configured(Settings { limits, more, ..Settings::default() }).await;
    let link = invite(&app, "user").await;
    join(&app, &link, "Ana", "ana's own password").await;
    let key = app.parlor(&["keys", "create", "--person", "Ana", "--name", "script"], "").await;
    (app, key)
}

async fn export(app: &TestApp, query: &str) -> String {
    let response = app.admin("GET", &format!("/api/admin/decisions/export?{query}")).send().await;
    let response = response.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-disposition"].to_str().unwrap().starts_with("attachment"));
    response.text().await.unwrap()
}

fn names(page: &Value) -> Vec<&str> {
    let rows = page["decisions"].as_array().unwrap();
    rows.iter().map(|one| one["content"]["question"].as_str().unwrap_or("hidden")).collect()
}

/// Y-4, Y-2: an administrator sees that something waits and was decided, for whom and since when;
/// what it is stays the person's, in lists, in files and for a search.
#[tokio::test]
async fn what_is_asked_stays_the_persons() {
    let (app, ana) = with_ana("").await;
    let hers = asked(&app, &ana, "Her secret soup?").await;
    let ours = asked(&app, ADMIN_KEY, "Our soup?").await;
    let waiting = admin_gets(&app, "/api/admin/prompts").await;
    let rows = waiting["prompts"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let (first, second) = (&rows[0], &rows[1]);
    assert_eq!(first["content"]["prompt"]["question"], "Our soup?");
    assert!(first.get("person_name").is_none() && first["opened_at"].is_number(), "{first}");
    assert_eq!((&second["id"], &second["person_name"]), (&json!(hers), &json!("Ana")));
    assert!(second.get("content").is_none() && second["opened_at"].is_number(), "{second}");

    answer(&app, &ana, &hers).await;
    answer(&app, ADMIN_KEY, &ours).await;
    let all = admin_gets(&app, "/api/admin/decisions").await;
    assert_eq!(names(&all), ["Our soup?", "hidden"]);
    assert_eq!(all["decisions"][1]["answered_by"], "Ana");
    for query in ["q=secret", "q=HER"] {
        let found = admin_gets(&app, &format!("/api/admin/decisions?{query}")).await;
        assert_eq!(found["decisions"], json!([]), "a search is no way around: {query}");
    }
    assert_eq!(admin_gets(&app, "/api/admin/prompts").await["prompts"], json!([]));
    for format in ["csv", "json"] {
        let file = export(&app, &format!("format={format}")).await;
        assert!(file.contains("Our soup?") && !file.contains("secret"), "{file}");
        assert!(file.contains("Ana"), "that she decided is known: {file}");
    }
    // The audit outlives the conversation, and what was in it stays hers.
    let conversations = get(&app, "/api/conversations", ("x-api-key", &ana)).await;
    let rows = conversations["conversations"].as_array().unwrap();
    let own = rows.iter().find(|row| row["person"].is_string()).unwrap();
    let id = own["id"].as_str().unwrap();
    let path = format!("/api/conversations/{id}");
    let gone = app.request("DELETE", &path).header("x-api-key", &ana).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    assert_eq!(names(&admin_gets(&app, "/api/admin/decisions").await), ["Our soup?", "hidden"]);
}

/// Y-4: where the tenant says so, administrators read it.
#[tokio::test]
async fn a_tenant_may_let_its_administrators_read() {
    let (app, ana) = with_ana("[tenants.home]\nadmins_read_conversations = true").await;
    let hers = asked(&app, &ana, "Her soup?").await;
    let waiting = admin_gets(&app, "/api/admin/prompts").await;
    assert_eq!(waiting["prompts"][0]["content"]["prompt"]["question"], "Her soup?");
    answer(&app, &ana, &hers).await;
    let found = admin_gets(&app, "/api/admin/decisions?q=her+SOUP").await;
    assert_eq!(names(&found), ["Her soup?"]);
}

/// Y-4: decisions are found by words, person, outcome and time, page by page, and exported: as a
/// table that computes nothing.
#[tokio::test]
async fn decisions_are_searched_and_exported() {
    let limits = "messages_per_minute = 1000";
    let app = TestApp::configured(Settings { limits, ..Settings::default() }).await;
    let formula = asked(&app, ADMIN_KEY, "=HYPERLINK(\"x\") of 100% soup?").await;
    answer(&app, ADMIN_KEY, &formula).await;
    for number in 0..55 {
        let prompt = asked(&app, ADMIN_KEY, &format!("Dinner {number}?")).await;
        answer(&app, ADMIN_KEY, &prompt).await;
    }
    let first = admin_gets(&app, "/api/admin/decisions").await;
    let next = first["next_before"].as_str().unwrap();
    let second = admin_gets(&app, &format!("/api/admin/decisions?before={next}")).await;
    assert_eq!((names(&first).len(), names(&second).len()), (50, 6));
    assert!(second.get("next_before").is_none());
    let at = second["decisions"][5]["at"].as_i64().unwrap();
    for (query, count) in [
        ("q=100%25".to_owned(), 1),
        ("q=dinner+7".to_owned(), 1),
        ("q=nothing".to_owned(), 0),
        ("person=parlor_api".to_owned(), 50),
        ("person=ana".to_owned(), 0),
        ("outcome=refused".to_owned(), 0),
        (format!("from={}&to={}", at, at + 1), 1),
        (format!("to={at}"), 0),
        ("tool=delete".to_owned(), 0),
    ] {
        let found = admin_gets(&app, &format!("/api/admin/decisions?{query}")).await;
        assert_eq!(names(&found).len(), count, "{query}");
    }
    let table = export(&app, "q=soup").await;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(lines[0].starts_with("\u{feff}at,outcome,answered_by,"), "{table}");
    assert!(lines[1].contains("\"'=HYPERLINK(\"\"x\"\") of 100% soup?\""), "{table}");
    let all = export(&app, "format=json").await;
    let questions: Vec<Value> =
        all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(questions.len(), 56);
    assert_eq!(questions[55]["content"]["question"], "=HYPERLINK(\"x\") of 100% soup?");
    let other = app.other_tenants_key("admin").await;
    let theirs = get(&app, "/api/admin/decisions", ("x-api-key", &other)).await;
    assert_eq!(theirs["decisions"], json!([]), "X-3");
}
