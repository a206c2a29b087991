//! People, as administrators see and change them.

use serde_json::{Value, json};

use super::{acts, admin_gets};
use crate::people::{invite, join};
use crate::test_app::{TestApp, json as body_of, refusal};

async fn me(app: &TestApp, cookie: &str) -> u16 {
    let me = app.request("GET", "/api/me").header("cookie", cookie).send().await.unwrap();
    me.status().as_u16()
}

async fn person(app: &TestApp, name: &str) -> Value {
    let people = admin_gets(app, "/api/people").await;
    let found = people["people"].as_array().unwrap().iter().find(|one| one["name"] == name);
    found.unwrap().clone()
}

/// Y-4, X-4: a role is changed, which ends what the other one let somebody in with; sessions are
/// ended; when somebody was last seen is known.
#[tokio::test]
async fn roles_are_changed_and_sessions_ended() {
    let app = TestApp::start().await;
    let link = invite(&app, "admin").await;
    let boss = join(&app, &link, "Boss", "the boss's password").await;
    let link = invite(&app, "user").await;
    let ana = join(&app, &link, "Ana", "ana's own password").await;
    let hers = person(&app, "Ana").await;
    assert!(hers["last_seen_at"].is_number() && hers["role"] == "user", "{hers}");
    let path = format!("/api/people/{}", hers["id"].as_str().unwrap());
    let change = |cookie: &str, path: &str, body: Value| {
        app.request("PATCH", path).header("cookie", cookie).json(&body).send()
    };
    let promoted = change(&boss, &path, json!({"role": "admin"})).await.unwrap();
    assert_eq!(body_of(promoted).await["role"], "admin");
    assert_eq!(me(&app, &ana).await, 401, "her session was a user's");
    let refused = change(&ana, &path, json!({"role": "user"})).await.unwrap();
    assert_eq!(refused.status(), 401);

    let own = format!("/api/people/{}", person(&app, "Boss").await["id"].as_str().unwrap());
    for body in [json!({"role": "user"}), json!({"disabled": true})] {
        let refused = change(&boss, &own, body).await.unwrap();
        assert_eq!(refusal(refused).await, (403, "forbidden".to_owned()));
    }
    let other = app.other_tenants_key("admin").await;
    let theirs = app.request("DELETE", &format!("{path}/sessions")).header("x-api-key", &other);
    assert_eq!(theirs.send().await.unwrap().status(), 404, "X-3");
    let ended = app.admin("DELETE", &format!("{own}/sessions")).send().await.unwrap();
    assert_eq!(ended.status(), 204);
    assert_eq!(me(&app, &boss).await, 401);
    assert_eq!(
        acts(&app).await,
        ["person_invited", "person_invited", "role_changed", "sessions_ended"]
    );
}
