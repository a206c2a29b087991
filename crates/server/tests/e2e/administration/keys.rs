//! API keys: made, listed, revoked.

use serde_json::{Value, json};

use super::{acts, admin_gets, get};
use crate::people;
use crate::test_app::{TestApp, json as body_of, refusal};

async fn make(app: &TestApp, header: (&str, &str), body: &Value) -> Value {
    let request = app.request("POST", "/api/admin/keys").header(header.0, header.1);
    let made = request.json(body).send().await.unwrap();
    assert_eq!(made.status(), 201);
    body_of(made).await
}

async fn status(app: &TestApp, key: &str) -> u16 {
    let me = app.request("GET", "/api/me").header("x-api-key", key).send().await.unwrap();
    me.status().as_u16()
}

/// Y-4, X-4: a key is shown once, works with its role, is listed without itself, and ends when it
/// is revoked; each act is on record.
#[tokio::test]
async fn a_key_is_made_and_revoked() {
    let app = TestApp::start().await;
    let admin = ("x-api-key", crate::test_app::ADMIN_KEY);
    let made = make(&app, admin, &json!({"name": " night script ", "role": "user"})).await;
    let key = made["key"].as_str().unwrap();
    assert_eq!((&made["name"], &made["role"]), (&json!("night script"), &json!("user")));
    assert_eq!(get(&app, "/api/me", ("x-api-key", key)).await["role"], "user");
    let refused = app.request("GET", "/api/admin/keys").header("x-api-key", key).send().await;
    assert_eq!(refusal(refused.unwrap()).await, (403, "forbidden".to_owned()));

    let listed = admin_gets(&app, "/api/admin/keys").await;
    let names: Vec<&Value> =
        listed["keys"].as_array().unwrap().iter().map(|k| &k["name"]).collect();
    assert_eq!(names, ["PARLOR_API_KEY", "night script"]);
    assert!(!listed.to_string().contains(key), "it is shown once: {listed}");

    let other = app.other_tenants_key("admin").await;
    let path = format!("/api/admin/keys/{}", made["id"].as_str().unwrap());
    let revoke = |key: &str| app.request("DELETE", &path).header("x-api-key", key).send();
    assert_eq!(revoke(&other).await.unwrap().status(), 404, "X-3: it is another tenant's");
    assert!(
        !get(&app, "/api/admin/keys", ("x-api-key", &other)).await.to_string().contains("night")
    );
    assert_eq!(status(&app, key).await, 200);
    assert_eq!(revoke(admin.1).await.unwrap().status(), 204);
    assert_eq!(status(&app, key).await, 401);
    let listed = admin_gets(&app, "/api/admin/keys").await;
    assert!(listed["keys"][1]["revoked_at"].is_number(), "{listed}");

    assert_eq!(acts(&app).await, ["key_created", "key_revoked"]);
    let page = admin_gets(&app, "/api/admin/acts").await;
    let last = &page["acts"][0];
    assert_eq!((&last["name"], &last["subject"]), (&json!("PARLOR_API_KEY"), &made["id"]));
    assert!(!page.to_string().contains(key), "{page}");
    let theirs = get(&app, "/api/admin/acts", ("x-api-key", &other)).await;
    assert_eq!(theirs["acts"], json!([]));
}

/// Y-2, Y-4: an administrator makes keys for the shared account or for themselves, and for nobody
/// else: such a key would read what people have to themselves.
#[tokio::test]
async fn a_key_of_ones_own_sees_what_one_sees() {
    let app = TestApp::start().await;
    let link = people::invite(&app, "admin").await;
    let boss = people::join(&app, &link, "Boss", "the boss's password").await;
    let own = make(&app, ("cookie", &boss), &json!({"name": "mine", "own": true})).await;
    let me = get(&app, "/api/me", ("x-api-key", own["key"].as_str().unwrap())).await;
    assert_eq!(me["person"]["name"], "Boss");
    let shared = make(&app, ("cookie", &boss), &json!({"name": "shared"})).await;
    let me = get(&app, "/api/me", ("x-api-key", shared["key"].as_str().unwrap())).await;
    assert!(me.get("person").is_none(), "{me}");
    let request = app.request("POST", "/api/admin/keys").header("cookie", &boss);
    let request = request.json(&json!({"name": "x", "person": me["tenant"]}));
    assert_eq!(refusal(request.send().await.unwrap()).await, (400, "malformed".to_owned()));
}
