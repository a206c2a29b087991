//! The routes of Recipe Vault over HTTP, behind the server's own access checks.

use reqwest::Response;
use serde_json::{Value, json};

use crate::test_app::{ADMIN_KEY, PASSWORD, TestApp, json as body_of, refusal};

const RECIPES: &str = "/api/recipes";
const NOBODY: &str = "/api/recipes/0198c5a2-7b1e-7cc0-8000-000000000000";

fn toast() -> Value {
    json!({
        "title": "Toast",
        "description": "Made by Claude Code & Anthropic <b>",
        "servings": 1,
        "prep_time_minutes": 1,
        "cook_time_minutes": 3,
        "ingredients": [{"name": "bread", "quantity": "1/2", "unit": "loaf", "notes": "stale"},
                        {"name": "butter", "quantity": 10, "unit": "g"}],
        "steps": [{"instruction": "Toast it.", "duration_minutes": 3}, {"instruction": "Eat it."}],
    })
}

async fn send(app: &TestApp, method: &str, path: &str, body: impl ToString) -> Response {
    let request = app.admin(method, path).header("content-type", "application/json");
    request.body(body.to_string()).send().await.unwrap()
}

async fn get(app: &TestApp, path: &str) -> Response {
    app.admin("GET", path).send().await.unwrap()
}

async fn titles(app: &TestApp) -> Vec<String> {
    let list = body_of(get(app, RECIPES).await).await;
    let titles = list["recipes"].as_array().unwrap().iter();
    titles.map(|recipe| recipe["title"].as_str().unwrap().to_owned()).collect()
}

/// R-2, S-5: recipes are created, listed, read, replaced and deleted; texts come back unchanged.
#[tokio::test]
async fn recipes_come_and_go() {
    let app = TestApp::start().await;
    let samples = titles(&app).await;
    assert!(samples.contains(&"Tomato Soup".to_owned()), "{samples:?}");

    let created = send(&app, "POST", RECIPES, toast()).await;
    assert_eq!(created.status(), 201);
    let place = created.headers()["location"].to_str().unwrap().to_owned();
    let created = body_of(created).await;
    assert_eq!(place, format!("{RECIPES}/{}", created["id"].as_str().unwrap()));
    let mut expected = toast();
    for key in ["id", "created_at", "updated_at"] {
        assert!(!created[key].is_null(), "{created}");
        expected[key] = created[key].clone();
    }
    assert_eq!(created, expected);
    assert_eq!(body_of(get(&app, &place).await).await, created);

    let list = body_of(get(&app, RECIPES).await).await;
    let listed = list["recipes"].as_array().unwrap();
    let listed = listed.iter().find(|recipe| recipe["id"] == created["id"]).unwrap();
    for key in ["title", "description", "servings", "prep_time_minutes", "cook_time_minutes"] {
        assert_eq!(listed[key], created[key], "{key}");
    }
    assert!(listed.get("ingredients").is_none());

    // A client may send back a recipe with a change; a field that it leaves out is removed.
    let mut changed = created.clone();
    changed["title"] = json!("Crisp Toast");
    changed["id"] = json!("something else");
    changed.as_object_mut().unwrap().remove("servings");
    let replaced = send(&app, "PUT", &place, &changed).await;
    assert_eq!(replaced.status(), 200);
    let replaced = body_of(replaced).await;
    assert_eq!((&replaced["id"], &replaced["title"]), (&created["id"], &json!("Crisp Toast")));
    assert!(replaced.get("servings").is_none() && replaced["steps"] == created["steps"]);
    assert_eq!(body_of(get(&app, &place).await).await, replaced);

    assert_eq!(app.admin("DELETE", &place).send().await.unwrap().status(), 204);
    assert_eq!(refusal(get(&app, &place).await).await, (404, "not_found".into()));
    assert_eq!(titles(&app).await, samples);
}

/// an invalid recipe is refused with a code, and a message that names the field.
#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let app = TestApp::with("messages_per_minute = 1000\nbody = \"3MB\"").await;
    let before = titles(&app).await;
    let with = |field: &str, value: Value| {
        let mut toast = toast();
        toast[field] = value;
        toast.to_string()
    };
    let mut large = toast();
    large["steps"][0]["instruction"] = json!("x".repeat((2 << 20) + 1));
    for (body, status, code, place) in [
        (with("title", json!("  ")), 400, "malformed", "title: give the recipe a title"),
        (with("title", json!("x".repeat(201))), 400, "malformed", "title: it has 201 characters"),
        (with("title", json!("TOMATO soup")), 409, "title_taken", "There is already a recipe"),
        (with("prep_time_minutes", json!(-1)), 400, "malformed", "prep_time_minutes: -1 is neg"),
        (with("ingredients", json!([{"name": ""}])), 400, "malformed", "ingredients[0].name:"),
        (with("ingredients", json!([{"name": 7}])), 400, "malformed", "ingredients[0].name: inv"),
        (with("steps", json!("stir")), 400, "malformed", "steps: invalid type"),
        ("{}".into(), 400, "malformed", "ingredients: give the list of ingredients; steps:"),
        ("[]".into(), 400, "malformed", "the body must be a JSON object"),
        ("{} {}".into(), 400, "malformed", "the body is not JSON"),
        ("toast".into(), 400, "malformed", "the body is not JSON"),
        (String::new(), 400, "malformed", "the body is not JSON"),
        (large.to_string(), 413, "too_large", "The request is larger than 2097152 bytes"),
        ("x".repeat(4 << 20), 413, "too_large", "The request is larger than 3"),
    ] {
        for (method, path) in [("POST", RECIPES), ("PUT", NOBODY)] {
            // For a recipe that does not exist, that is the error.
            let (status, code, place) = match (method, status) {
                ("PUT", 409) => (404, "not_found", "There is no recipe with the id 0198c5a2"),
                _ => (status, code, place),
            };
            let response = send(&app, method, path, &body).await;
            assert_eq!(response.status(), status, "{method} {place}");
            let error = &body_of(response).await["error"];
            assert_eq!(error["code"], code, "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with(place), "{message} is not {place}");
        }
    }
    let plain = app.admin("POST", RECIPES).header("content-type", "text/plain").body("{}");
    assert_eq!(refusal(plain.send().await.unwrap()).await, (415, "malformed".into()));
    for path in [NOBODY, "/api/recipes/tomato-soup", "/api/recipes/%00"] {
        assert_eq!(refusal(get(&app, path).await).await, (404, "not_found".into()), "{path}");
        let delete = app.admin("DELETE", path).send().await.unwrap();
        assert_eq!(refusal(delete).await, (404, "not_found".into()), "{path}");
        let put = send(&app, "PUT", path, toast()).await;
        assert_eq!(refusal(put).await, (404, "not_found".into()), "{path}");
    }
    let patch = send(&app, "PATCH", RECIPES, "{}").await;
    assert_eq!(refusal(patch).await.0, 405);
    assert_eq!(titles(&app).await, before);
}

/// no access without credentials, from another site, or for another tenant.
#[tokio::test]
async fn the_doors_are_the_servers() {
    let app = TestApp::start().await;
    let created = body_of(send(&app, "POST", RECIPES, toast()).await).await;
    let place = format!("{RECIPES}/{}", created["id"].as_str().unwrap());
    let created_key = app.parlor(&["keys", "create", "--tenant", "other"], "").await;
    let other_key = created_key.trim().to_owned();
    let routes = [
        ("GET", RECIPES),
        ("POST", RECIPES),
        ("GET", place.as_str()),
        ("PUT", place.as_str()),
        ("DELETE", place.as_str()),
    ];
    for (method, path) in routes {
        let request = || {
            let request = app.request(method, path).header("content-type", "application/json");
            request.body(if method == "GET" { String::new() } else { toast().to_string() })
        };
        let nobody = request().send().await.unwrap();
        assert_eq!(refusal(nobody).await, (401, "unauthorized".into()), "{method} {path}");
        let wrong = request().header("x-api-key", "wrong").send().await.unwrap();
        assert_eq!(refusal(wrong).await, (401, "unauthorized".into()), "{method} {path}");
        if method != "GET" {
            let foreign =
                request().header("x-api-key", ADMIN_KEY).header("origin", "https://e.org");
            let foreign = foreign.send().await.unwrap();
            assert_eq!(refusal(foreign).await, (403, "forbidden".into()), "{method} {path}");
        }
        if path == place {
            let other = request().header("x-api-key", &other_key).send().await.unwrap();
            assert_eq!(refusal(other).await, (404, "not_found".into()), "{method} {path}");
        }
    }
    let others = app.request("GET", RECIPES).header("x-api-key", &other_key).send().await.unwrap();
    assert!(!body_of(others).await.to_string().contains("Toast"));
    let cookie = app.log_in(PASSWORD).await;
    let read = app.request("GET", &place).header("cookie", cookie).send().await.unwrap();
    assert_eq!(body_of(read).await, created);
}

/// N-1: changes count as messages of their session; reading does not.
#[tokio::test]
async fn changes_are_rate_limited() {
    let app = TestApp::with("messages_per_minute = 2").await;
    for n in 0..2 {
        let mut toast = toast();
        toast["title"] = json!(format!("Toast {n}"));
        assert_eq!(send(&app, "POST", RECIPES, toast).await.status(), 201);
    }
    let third = send(&app, "POST", RECIPES, toast()).await;
    assert!(third.headers().contains_key("retry-after"));
    assert_eq!(refusal(third).await, (429, "rate_limited".into()));
    for _ in 0..5 {
        assert_eq!(get(&app, RECIPES).await.status(), 200);
    }
}

/// who changes a recipe as it was read does not overwrite what somebody else wrote since.
#[tokio::test]
async fn two_editors_do_not_overwrite_each_other() {
    let app = TestApp::start().await;
    let created = send(&app, "POST", RECIPES, toast()).await;
    let place = created.headers()["location"].to_str().unwrap().to_owned();
    let read = get(&app, &place).await;
    assert_eq!(read.headers()["etag"], created.headers()["etag"]);
    let version = read.headers()["etag"].to_str().unwrap().to_owned();
    let put = async |tag: &str, title: &str| {
        let mut toast = toast();
        toast["title"] = json!(title);
        let request = app.admin("PUT", &place).header("content-type", "application/json");
        request.header("if-match", tag).body(toast.to_string()).send().await.unwrap()
    };
    let first = put(&version, "First").await;
    assert_eq!(first.status(), 200);
    let newer = first.headers()["etag"].to_str().unwrap().to_owned();
    assert_ne!(newer, version, "also within a millisecond");
    let second = put(&version, "Second").await;
    assert_eq!(refusal(second).await, (412, "changed".to_owned()));
    assert_eq!(body_of(get(&app, &place).await).await["title"], "First");
    assert_eq!(put(&format!("W/{newer}"), "Third").await.status(), 200);
    assert_eq!(put("*", "Fourth").await.status(), 200);
    for bad in ["x", "1", "W/1", "\"01\"", "\"1\", \"2\"", ""] {
        assert_eq!(refusal(put(bad, "x").await).await, (400, "malformed".to_owned()), "{bad}");
    }
}

/// R-1, FAULTS 27: a recipe of a page or a text is a draft; nothing is stored, and no address of
/// this machine is read.
#[tokio::test]
async fn a_recipe_is_imported_as_a_draft() {
    let app = TestApp::start().await;
    let before = titles(&app).await;
    let place = "/api/recipes/import";
    let recipe = json!({"@type": "Recipe", "name": "Bolo", "recipeIngredient": ["2 ovos"],
        "recipeInstructions": "Asse."});
    let page = format!("<html><script type=\"application/ld+json\">{recipe}</script></html>");
    let draft = body_of(send(&app, "POST", place, json!({"text": page})).await).await;
    assert_eq!(draft["source"], "structured_data");
    assert_eq!(titles(&app).await, before);
    // The draft is what the other route takes.
    assert_eq!(send(&app, "POST", RECIPES, &draft["recipe"]).await.status(), 201);
    for (body, status, code) in [
        (json!({"text": "  "}), 400, "malformed"),
        (json!({"text": "x", "url": "https://example.org"}), 400, "malformed"),
        (json!({}), 400, "malformed"),
        (json!({"text": 7}), 400, "malformed"),
        (json!({"url": "ftp://example.org/"}), 400, "malformed"),
        (json!({"url": app.url("/api/me")}), 403, "forbidden"),
        (json!({"url": "http://localhost/"}), 403, "forbidden"),
        (json!({"text": "<html>Soup</html>"}), 404, "not_found"),
    ] {
        let answer = refusal(send(&app, "POST", place, &body).await).await;
        assert_eq!(answer, (status, code.to_owned()), "{body}");
    }
}

/// U-4, R-1: the samples are in the language of the first reader, and stay as they are.
#[tokio::test]
async fn samples_are_in_the_readers_language() {
    let app = TestApp::with_vault().await;
    let me = async |language: &str| {
        let request = app.admin("GET", "/api/me").header("accept-language", language);
        assert_eq!(request.send().await.unwrap().status(), 200);
    };
    // A program that does not say its language leaves the choice to a person.
    assert_eq!(get(&app, "/api/me").await.status(), 200);
    me("pt-BR,pt;q=0.9").await;
    let samples = titles(&app).await;
    assert!(samples.contains(&"Sopa de Tomate".to_owned()), "{samples:?}");
    me("en").await;
    assert_eq!(titles(&app).await, samples);
}
