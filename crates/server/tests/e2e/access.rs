//! Who may come in, and how they leave (X).

use std::time::Duration;

use parlor_testkit::{Gate, Script};
use serde_json::json;

use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, ADMIN_PASSWORD, PASSWORD, TestApp, json, refusal};

const ANY_ID: &str = "0198c5a2-7b1e-7cc0-8000-000000000001";

/// Every route that needs somebody.
fn private_routes() -> Vec<(&'static str, String)> {
    let conversation = format!("/api/conversations/{ANY_ID}");
    vec![
        ("POST", "/api/chat".to_owned()),
        ("GET", "/api/conversations".to_owned()),
        ("GET", conversation.clone()),
        ("PATCH", conversation.clone()),
        ("DELETE", conversation.clone()),
        ("GET", format!("{conversation}/events")),
        ("POST", format!("{conversation}/stop")),
        ("GET", format!("/api/images/{ANY_ID}")),
        ("GET", "/api/me".to_owned()),
        ("GET", "/api/audit".to_owned()),
        ("GET", "/ws/chat/home/recipes".to_owned()),
        ("GET", "/api/admin/status".to_owned()),
    ]
}

/// X-1: neither cookie nor key is a 401, whatever else is wrong.
#[tokio::test]
async fn nothing_is_served_without_credentials() {
    let app = TestApp::start().await;
    for (method, path) in private_routes() {
        for header in [("x-none", ""), ("x-api-key", "wrong"), ("cookie", "rv_session=wrong")] {
            let response = app.request(method, &path).header(header.0, header.1).send().await;
            let answer = refusal(response.unwrap()).await;
            assert_eq!(answer, (401, "unauthorized".to_owned()), "{method} {path} {header:?}");
        }
    }
    for page in ["/", "/chat"] {
        let response = app.request("GET", page).send().await.unwrap();
        assert_eq!(response.status(), 303, "{page}");
    }
    let chat = app.request("GET", "/chat").send().await.unwrap();
    assert_eq!(chat.headers()["location"], "/login");
    for path in ["/healthz", "/readyz", "/assets/chat.js", "/assets/style.css"] {
        assert_eq!(app.request("GET", path).send().await.unwrap().status(), 200, "{path}");
    }
}

/// X-1, X-2: a right password leads to the chat, with a cookie that has its flags.
#[tokio::test]
async fn a_right_password_lets_in() {
    let app = TestApp::start().await;
    let response = app.post_login(PASSWORD).await;
    assert_eq!(response.status(), 303);
    assert_eq!(response.headers()["location"], "/chat");
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("rv_session=rvs_"), "{cookie}");
    assert!(cookie.contains("; Path=/; HttpOnly; SameSite=Strict; Max-Age="), "{cookie}");
    assert!(!cookie.contains("Secure"), "there is no TLS here: {cookie}");
    let cookie = app.log_in(PASSWORD).await;
    let page = app.request("GET", "/chat").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("id=\"composer\""));
    let me = app.request("GET", "/api/me").header("cookie", &cookie).send().await.unwrap();
    let me = json(me).await;
    assert_eq!(
        (&me["role"], &me["tenant"], &me["kind"]),
        (&json!("user"), &json!("home"), &json!("session"))
    );
    assert_eq!(me["limits"]["message_chars"], 10_000);
    let form = app.request("GET", "/login").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(form.status(), 303, "whoever is in needs no form");
}

/// X-1: a wrong password leads back to the form, in the reader's language.
#[tokio::test]
async fn a_wrong_password_shows_the_form_again() {
    let app = TestApp::start().await;
    let response = app.post_login("wrong").await;
    assert_eq!(response.status(), 401);
    assert!(!response.headers().contains_key("set-cookie"));
    let page = response.text().await.unwrap();
    assert!(page.contains("That is not the password") && page.contains("name=\"password\""));
    let portuguese = app
        .request("POST", "/login")
        .header("accept-language", "pt-BR")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=x&tenant=%22%3E%3Cscript%3E")
        .send()
        .await
        .unwrap();
    assert_eq!(portuguese.status(), 401);
    let page = portuguese.text().await.unwrap();
    assert!(page.contains("A senha não está certa") && page.contains("lang=\"pt\""));
    assert!(!page.contains("<script>"), "what was sent comes back as text");
}

/// X-1, FAULTS 23: guesses are slowed down; the owner gets in when the time is over.
#[tokio::test]
async fn guesses_are_slowed_down_and_nobody_is_locked_out() {
    let app = TestApp::start().await;
    for _ in 0..5 {
        assert_eq!(app.post_login("wrong").await.status(), 401);
    }
    // Where a guess takes longer than the first pauses, a later one is caught.
    let mut response = app.post_login("wrong").await;
    while response.status() == 401 {
        response = app.post_login("wrong").await;
    }
    assert_eq!(response.status(), 429);
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    let page = response.text().await.unwrap();
    assert!(page.contains("Too many attempts") && page.contains("name=\"password\""));
    app.clock.advance(Duration::from_secs(30));
    assert_eq!(app.post_login(PASSWORD).await.status(), 303);
    assert_eq!(app.post_login("wrong").await.status(), 401, "and the count begins again");
}

/// X-4: the family password makes users; an admin has a password of its own.
#[tokio::test]
async fn roles_come_from_passwords() {
    let app = TestApp::start().await;
    let user = app.log_in(PASSWORD).await;
    let audit = app.request("GET", "/api/audit").header("cookie", &user).send().await.unwrap();
    assert_eq!(refusal(audit).await, (403, "forbidden".to_owned()));
    let admin = app.log_in(ADMIN_PASSWORD).await;
    let audit = app.request("GET", "/api/audit").header("cookie", &admin).send().await.unwrap();
    assert_eq!(audit.status(), 200);
    let audit = app.admin("GET", "/api/audit").send().await.unwrap();
    assert_eq!(audit.status(), 200);
}

/// Keys travel in their header only; a session is no key, a wrong key is not
/// made up for by a cookie.
#[tokio::test]
async fn keys_travel_in_their_header_only() {
    let app = TestApp::start().await;
    let me = json(app.admin("GET", "/api/me").send().await.unwrap()).await;
    assert_eq!((&me["role"], &me["kind"]), (&json!("admin"), &json!("key")));
    let session = app.log_in(PASSWORD).await;
    let token = session.split_once('=').unwrap().1;
    let attempts = [
        app.request("GET", &format!("/api/me?api_key={ADMIN_KEY}&x-api-key={ADMIN_KEY}")),
        app.request("GET", "/api/me").header("cookie", format!("rv_session={ADMIN_KEY}")),
        app.request("GET", "/api/me").header("authorization", format!("Bearer {ADMIN_KEY}")),
        app.request("GET", "/api/me").header("x-api-key", token),
        app.request("GET", "/api/me").header("x-api-key", "wrong").header("cookie", &session),
    ];
    for attempt in attempts {
        assert_eq!(attempt.send().await.unwrap().status(), 401);
    }
}

/// X-2, FAULTS 22: logging out ends the session and what it has open; other
/// sessions go on.
#[tokio::test]
async fn logging_out_ends_open_streams() {
    let app = TestApp::start().await;
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far ").gate(&gate).text("on"));
    let cookie = app.log_in(PASSWORD).await;
    let other = app.log_in(PASSWORD).await;
    let response = app
        .request("POST", "/api/chat")
        .header("cookie", &cookie)
        .header("content-type", "application/json")
        .body(r#"{"message": "hello"}"#)
        .send()
        .await
        .unwrap();
    let mut posted = Events::of(response);
    let start = posted.find("start").await;
    let path =
        format!("/api/conversations/{}/events", start.data["conversation_id"].as_str().unwrap());
    let follow = |cookie: &str| app.request("GET", &path).header("cookie", cookie).send();
    let mut held = Events::of(follow(&cookie).await.unwrap());
    let mut others = Events::of(follow(&other).await.unwrap());
    others.find("chunk").await;
    let response = app.request("POST", "/logout").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.headers()["location"].to_str().unwrap()),
        (303, "/login")
    );
    assert!(response.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert!(posted.rest().await.iter().all(|event| event.name != "done"));
    held.rest().await;
    assert_eq!(follow(&cookie).await.unwrap().status(), 401);
    gate.release(1);
    others.find("done").await;
}

/// FAULTS 22: logging in again makes a new session, and the old one is over.
#[tokio::test]
async fn a_login_replaces_the_session() {
    let app = TestApp::start().await;
    let old = app.log_in(PASSWORD).await;
    let response = app
        .request("POST", "/login")
        .header("cookie", &old)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=family+password")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 303);
    let me = app.request("GET", "/api/me").header("cookie", &old).send().await.unwrap();
    assert_eq!(me.status(), 401);
}

/// FAULTS 22: sessions expire.
#[tokio::test]
async fn a_session_that_is_not_used_ends() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    app.clock.advance(Duration::from_secs(8 * 86_400));
    let me = app.request("GET", "/api/me").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(me.status(), 401);
}

/// FAULTS 22: a new password, set by another process, ends sessions and streams.
#[tokio::test]
async fn a_new_password_ends_sessions_of_a_running_server() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    let start = Events::of(app.send(&json!({"message": "hello"})).await).find("start").await;
    let path =
        format!("/api/conversations/{}/events", start.data["conversation_id"].as_str().unwrap());
    let response = app.request("GET", &path).header("cookie", &cookie).send().await.unwrap();
    let mut held = Events::of(response);
    held.find("done").await;
    app.parlor(&["password", "set"], "another one\n").await;
    assert!(held.next().await.is_none());
    assert_eq!(app.post_login(PASSWORD).await.status(), 401);
    assert_eq!(app.post_login("another one").await.status(), 303);
}

/// Keys are made, listed and revoked while the server runs.
#[tokio::test]
async fn keys_are_made_and_revoked_while_the_server_runs() {
    let app = TestApp::start().await;
    let key = app.parlor(&["keys", "create", "--tenant", "other", "--name", "robot"], "").await;
    let me = app.request("GET", "/api/me").header("x-api-key", &key).send().await.unwrap();
    let me = json(me).await;
    assert_eq!(
        (&me["tenant"], &me["role"], &me["name"]),
        (&json!("other"), &json!("user"), &json!("robot"))
    );
    let list = app.parlor(&["keys", "list", "--tenant", "other"], "").await;
    assert!(list.contains("valid") && list.contains("robot"), "{list}");
    assert!(!list.contains(&key));
    let id = list.split_whitespace().next().unwrap();
    app.parlor(&["keys", "revoke", "--tenant", "other", id], "").await;
    let revoked = async {
        let me = || app.request("GET", "/api/me").header("x-api-key", &key).send();
        while me().await.unwrap().status() != 401 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::test_app::PATIENCE, revoked).await.unwrap();
    let list = app.parlor(&["keys", "list", "--tenant", "other"], "").await;
    assert!(list.contains("revoked"), "{list}");
}

/// X-3, FAULTS 24: another tenant's conversation does not exist.
#[tokio::test]
async fn another_tenants_conversation_does_not_exist() {
    let app = TestApp::start().await;
    let start = Events::of(app.send(&json!({"message": "secret"})).await).find("start").await;
    let id = start.data["conversation_id"].as_str().unwrap().to_owned();
    let key = app.other_tenants_key("admin").await;
    let routes = [
        ("GET", format!("/api/conversations/{id}"), ""),
        ("PATCH", format!("/api/conversations/{id}"), "{\"title\": \"mine\"}"),
        ("DELETE", format!("/api/conversations/{id}"), ""),
        ("GET", format!("/api/conversations/{id}/events"), ""),
        ("POST", format!("/api/conversations/{id}/stop"), ""),
        (
            "POST",
            "/api/chat".to_owned(),
            &format!("{{\"message\": \"x\", \"conversation_id\": \"{id}\"}}"),
        ),
        ("POST", "/api/chat".to_owned(), "{\"message\": \"x\", \"tenant\": \"home\"}"),
    ];
    for (method, path, body) in routes {
        let request = app.request(method, &path).header("x-api-key", &key);
        let response = request.header("content-type", "application/json").body(body.to_owned());
        let answer = refusal(response.send().await.unwrap()).await;
        assert_eq!(answer, (404, "not_found".to_owned()), "{method} {path} {body}");
    }
    let list = app.request("GET", "/api/conversations").header("x-api-key", &key).send().await;
    assert_eq!(json(list.unwrap()).await["conversations"], json!([]));
    assert_eq!(
        app.admin("GET", &format!("/api/conversations/{id}")).send().await.unwrap().status(),
        200
    );
}
