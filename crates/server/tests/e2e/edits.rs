//! A person edits a call before approving it, over HTTP: the preview follows the edit, and
//! everything afterwards shows what ran.

use parlor_testkit::Script;
use reqwest::Response;
use serde_json::{Value, json};

use crate::test_app::{TestApp, json as body_of, refusal};

/// A call that renames a recipe and waits for approval.
struct Asked {
    prompt: Value,
    stream: Response,
}

async fn recipe_id(app: &TestApp, title: &str) -> String {
    let list = body_of(app.admin("GET", "/api/recipes").send().await.unwrap()).await;
    let recipes = list["recipes"].as_array().unwrap();
    let recipe = recipes.iter().find(|recipe| recipe["title"] == title).unwrap();
    recipe["id"].as_str().unwrap().to_owned()
}

async fn rename(app: &TestApp, id: &str, title: &str) -> Asked {
    let call =
        Script::answer().tool_use("t1", "update_recipe", &json!({"recipe_id": id, "title": title}));
    app.model.push(call);
    app.model.push(Script::answer().text("Done."));
    let stream = app.send(&json!({"message": "rename the soup"})).await;
    loop {
        let list = app.admin("GET", "/api/prompts?status=open").send().await.unwrap();
        if let Some(open) = body_of(list).await["prompts"].as_array().unwrap().first() {
            return Asked { prompt: open["prompt"].clone(), stream };
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

async fn post(app: &TestApp, path: &str, body: &Value) -> Response {
    app.admin("POST", path).json(body).send().await.unwrap()
}

/// P-6, P-7, S-5: `POST …/preview` shows what an edit would change and runs nothing; the message,
/// the prompt, the exports, the audit and the model get what ran.
#[tokio::test]
async fn what_a_person_changed_is_told_everywhere() {
    let app = TestApp::with_vault().await;
    let soup = recipe_id(&app, "Tomato Soup").await;
    let Asked { prompt, stream } = rename(&app, &soup, "Red Soup").await;
    assert_eq!(prompt["schema"]["required"], json!(["recipe_id"]), "what an edit must fit");
    let path = format!("/api/prompts/{}", prompt["messageId"].as_str().unwrap());
    let edited = json!({"recipe_id": soup, "title": "Summer Soup"});
    let previewed = post(&app, &format!("{path}/preview"), &json!({"input": edited})).await;
    let previewed = body_of(previewed).await;
    assert_eq!(previewed["preview"]["old"]["title"], "Tomato Soup");
    assert_eq!(previewed["preview"]["new"]["title"], "Summer Soup");
    assert_eq!(previewed["toolCall"], json!({"name": "update_recipe", "input": edited}));
    recipe_id(&app, "Tomato Soup").await;

    let stranger = app.other_tenants_key("user").await;
    let other = app.request("POST", &format!("{path}/preview")).header("x-api-key", stranger);
    let other = other.json(&json!({"input": edited})).send().await.unwrap();
    assert_eq!(refusal(other).await, (404, "not_found".to_owned()), "X-3");

    let empty = json!({"response": "yes", "input": {"recipe_id": soup, "title": ""}});
    let refused = post(&app, &format!("{path}/response"), &empty).await;
    assert_eq!(refused.status(), 422);
    let error = body_of(refused).await["error"].clone();
    assert_eq!(error["message"], "Title must not be empty.", "P-5");
    let problem = json!({"pointer": "/title", "problem": "too_short", "limit": 1});
    assert_eq!(error["problems"], json!([problem]));

    let yes = json!({"response": "yes", "input": edited});
    assert_eq!(post(&app, &format!("{path}/response"), &yes).await.status(), 200);
    stream.text().await.unwrap();
    recipe_id(&app, "Summer Soup").await;
    let late = post(&app, &format!("{path}/preview"), &json!({"input": edited})).await;
    assert_eq!(refusal(late).await, (409, "prompt_closed".to_owned()));

    let closed = body_of(app.admin("GET", &path).send().await.unwrap()).await["closed"].clone();
    assert_eq!(closed["toolCall"]["input"], edited);
    assert_eq!(closed["preview"]["new"]["title"], "Summer Soup");
    let conversation = prompt["conversation_id"].as_str().unwrap();
    let export = async |format: &str| {
        let path = format!("/api/conversations/{conversation}/export?format={format}");
        app.admin("GET", &path).send().await.unwrap().text().await.unwrap()
    };
    let written: Value = serde_json::from_str(&export("json").await).unwrap();
    let messages = written["messages"].as_array().unwrap();
    let message = messages.iter().find(|m| m["message_type"] == "tool_call").unwrap();
    assert_eq!(message["data"]["input"], edited);
    assert_eq!(message["metadata"]["proposed"]["input"]["title"], "Red Soup");
    let markdown = export("markdown").await;
    let (ran, proposed) = markdown.split_once("*Allowed with changes by ").unwrap();
    assert!(ran.contains("Summer Soup") && !ran.contains("Red Soup"), "{markdown}");
    assert!(proposed.contains("Proposed:") && proposed.contains("Red Soup"), "{markdown}");

    let audit: Value = serde_json::from_str(&app.parlor(&["audit", "export"], "").await).unwrap();
    assert_eq!((&audit["arguments"], &audit["edited"]), (&edited, &json!(true)));
    assert_eq!(audit["proposed"]["title"], "Red Soup");

    let request = app.model.requests().pop().unwrap()["messages"].to_string();
    assert!(request.contains("Summer Soup") && !request.contains("Red Soup"), "{request}");
    assert!(request.contains("The person changed the arguments"), "{request}");
}

/// P-2, P-6: the reason for a refusal is in the prompt, in the export and in the audit.
#[tokio::test]
async fn a_reason_is_kept() {
    let app = TestApp::with_vault().await;
    let soup = recipe_id(&app, "Tomato Soup").await;
    let Asked { prompt, stream } = rename(&app, &soup, "Red Soup").await;
    let path = format!("/api/prompts/{}", prompt["messageId"].as_str().unwrap());
    let no = json!({"response": "no", "reason": "Grandma's name for it stays."});
    assert_eq!(post(&app, &format!("{path}/response"), &no).await.status(), 200);
    let told = stream.text().await.unwrap();
    let closed = told.split("event: userPromptClosed").nth(1).unwrap();
    assert!(closed.contains(r#""reason":"Grandma's name for it stays.""#), "{closed}");
    let view = body_of(app.admin("GET", &path).send().await.unwrap()).await;
    assert_eq!(view["closed"]["reason"], no["reason"]);
    let conversation = prompt["conversation_id"].as_str().unwrap();
    let export = format!("/api/conversations/{conversation}/export");
    let export = app.admin("GET", &export).send().await.unwrap().text().await.unwrap();
    assert!(export.contains("\n> Grandma's name for it stays.\n"), "{export}");
    let audit: Value = serde_json::from_str(&app.parlor(&["audit", "export"], "").await).unwrap();
    assert_eq!((&audit["reason"], &audit["arguments"]), (&no["reason"], &Value::Null));
    assert_eq!(audit["proposed"]["title"], "Red Soup");
}

/// N-1: previews are limited by session, separately from messages.
#[tokio::test]
async fn previews_are_limited() {
    let app = TestApp::with_vault().await;
    let unknown = "/api/prompts/0198c5a2-7b1e-7cc0-8000-000000000004/preview";
    let mut looked = 0;
    let limited = loop {
        match refusal(post(&app, unknown, &json!({"input": {}})).await).await {
            (404, _) => looked += 1,
            other => break other,
        }
    };
    assert_eq!(limited, (429, "rate_limited".to_owned()));
    assert!(looked >= 60, "{looked}");
    app.model.push(Script::answer().text("Hello."));
    assert_eq!(app.send(&json!({"message": "hello"})).await.status(), 200);
}
