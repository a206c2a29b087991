//! What visitors see and do, and what they do not.

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::{FORUM, SHOP, Visitor, app};
use crate::routes::{Access, ROUTES, filled};
use crate::test_app::{Settings, TestApp, json as body_of, refusal};

/// Y-2, U-12: a visitor has their conversations to themselves, finds them again, and gets at nothing of
/// anybody else: of other visitors, of the same id at another site, of the family.
#[tokio::test]
async fn a_visitor_has_their_own_conversations() {
    let app = app().await;
    let ana = Visitor::of(&app, SHOP, "ana").await;
    let conversation = ana.say("A secret of Ana").await;
    let path = format!("/api/conversations/{conversation}");
    let read = body_of(ana.get(&path).await).await;
    assert_eq!((&read["project"], &read["visibility"]), (&json!("recipes"), &json!("private")));
    let family = app.send(&json!({"message": "A family matter"})).await.text().await.unwrap();
    let of_family = family.split("conversation_id\":\"").nth(1).unwrap().get(..36).unwrap();

    let again = Visitor::of(&app, SHOP, "ana").await;
    assert_eq!(again.listed().await, std::slice::from_ref(&conversation), "at the next visit");
    let (bob, elsewhere) =
        (Visitor::of(&app, SHOP, "bob").await, Visitor::of(&app, FORUM, "ana").await);
    for (who, visitor) in [("bob", &bob), ("another site", &elsewhere)] {
        assert_eq!(visitor.listed().await, [] as [String; 0], "{who}");
        assert_eq!(refusal(visitor.get(&path).await).await.0, 404, "{who}");
        let text = visitor.get("/api/prompts").await.text().await.unwrap();
        assert!(!text.contains("secret"), "{who}: {text}");
        let body = json!({"message": "x", "conversation_id": conversation});
        let said = visitor.request("POST", "/api/chat").json(&body).send().await.unwrap();
        assert_eq!(refusal(said).await.0, 404, "{who}");
        assert_eq!(visitor.request("DELETE", &path).send().await.unwrap().status(), 404, "{who}");
    }
    let family_path = format!("/api/conversations/{of_family}");
    assert_eq!(refusal(ana.get(&family_path).await).await.0, 404, "nor what the family said");
    let seen = app.admin("GET", "/api/conversations").send().await.unwrap().text().await.unwrap();
    assert!(seen.contains("A family matter") && !seen.contains("A secret of Ana"), "{seen}");
    assert_eq!(app.admin("GET", &path).send().await.unwrap().status(), 404);
    // There is nobody to share with.
    let share = ana.request("PATCH", &path).json(&json!({"visibility": "tenant"})).send().await;
    assert_eq!(share.unwrap().status(), 403);
}

/// U-12: one project, by whatever way it is named; and no route but those of a chat.
#[tokio::test]
async fn a_visitor_is_held_to_the_project_and_to_the_chat() {
    let app = app().await;
    let ana = Visitor::of(&app, SHOP, "ana").await;
    let me = body_of(ana.get("/api/me").await).await;
    assert_eq!((&me["kind"], &me["role"]), (&json!("visitor"), &json!("user")));
    assert_eq!(me["default_project"], "recipes");
    let projects: Vec<&Value> =
        me["projects"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(projects, ["recipes"]);
    for (path, body) in [
        ("/api/chat", json!({"message": "x", "project": "sauces"})),
        ("/api/chat", json!({"message": "x", "tenant": "other"})),
        ("/api/conversations", json!({"project": "sauces"})),
    ] {
        let answer = ana.request("POST", path).json(&body).send().await.unwrap();
        assert_eq!(refusal(answer).await, (404, "not_found".to_owned()), "{path} {body}");
    }
    let conversation = ana.say("Hello").await;
    let allowed = |path: &str| {
        path == "/api/chat"
            || path == "/api/me"
            || path == "/api/embed/sessions"
            || path.starts_with("/api/prompts")
            || path.starts_with("/api/conversations")
            || path.starts_with("/api/images")
            || path.ends_with("/logo")
            || path == "/api/recipes/{id}"
    };
    let mut refused = 0;
    for route in ROUTES.iter().filter(|route| !matches!(route.access, Access::Open(_))) {
        let is_left_out = ["/export", "/page", "/call"].iter().any(|end| route.path.ends_with(end));
        let changes_recipe = route.path == "/api/recipes/{id}" && route.method != "GET";
        if allowed(route.path) && !is_left_out && !changes_recipe {
            continue;
        }
        let path = filled(route.path, &conversation);
        let answer = ana.request(route.method, &path).json(&json!({})).send().await.unwrap();
        assert_eq!(answer.status(), 403, "{} {path}", route.method);
        refused += 1;
    }
    assert!(refused > 40, "{refused}");
    // Recipes are read by way of a project that has them.
    assert_eq!(ana.get(&format!("/api/recipes/{conversation}")).await.status(), 404);
}

/// U-12, P-1: a visitor answers what the agent asks, and it is theirs alone to answer.
#[tokio::test]
async fn a_visitor_answers_prompts() {
    let app = app().await;
    let question = r#"{"question": "Soup or cake?", "options": ["soup", "cake"]}"#;
    app.model.push(Script::answer().text(question));
    let (ana, bob) = (Visitor::of(&app, SHOP, "ana").await, Visitor::of(&app, SHOP, "bob").await);
    let events = ana.events(json!({"message": "Feed me"})).await;
    let prompt = events.iter().find(|event| event.name == "userPrompt").unwrap();
    let path = format!("/api/prompts/{}/response", prompt.data["messageId"].as_str().unwrap());
    let answer = json!({"response": "soup"});
    let by = async |visitor: &Visitor<'_>| {
        visitor.request("POST", &path).json(&answer).send().await.unwrap().status()
    };
    assert_eq!(by(&bob).await, 404);
    let by_family = app.admin("POST", &path).json(&answer).send().await.unwrap();
    assert_eq!(by_family.status(), 404);
    assert_eq!(by(&ana).await, 200);
}

/// Y-3, N-4: a visitor has a budget and a rate of messages, which another session does not renew.
#[tokio::test]
async fn limits_count_for_visitors() {
    let budgets = format!("{}\n[tenants.home.budgets.roles.user.day]\nmessages = 2", super::EMBED);
    let settings =
        Settings { limits: "messages_per_minute = 1000", more: &budgets, ..Settings::default() };
    let app = TestApp::configured(settings).await;
    let ana = Visitor::of(&app, SHOP, "ana").await;
    ana.say("One").await;
    let ana = Visitor::of(&app, SHOP, "ana").await;
    ana.say("Two").await;
    let third = ana.request("POST", "/api/chat").json(&json!({"message": "Three"})).send().await;
    assert_eq!(refusal(third.unwrap()).await.1, "budget_exceeded");
    Visitor::of(&app, SHOP, "bob").await.say("One").await;

    let settings =
        Settings { limits: "messages_per_minute = 2", more: super::EMBED, ..Settings::default() };
    let app = TestApp::configured(settings).await;
    for text in ["One", "Two"] {
        Visitor::of(&app, SHOP, "ana").await.say(text).await;
    }
    let ana = Visitor::of(&app, SHOP, "ana").await;
    let third = ana.request("POST", "/api/chat").json(&json!({"message": "Three"})).send().await;
    assert_eq!(refusal(third.unwrap()).await, (429, "rate_limited".to_owned()));
}
