//! Login, logout, sessions and keys (X).

use std::time::Duration;

use parlor_testkit::{Gate, Script};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::raw;
use crate::seed::{self, Turn};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, ADMIN_PASSWORD, PASSWORD, PATIENCE, TestApp, json, refusal};

/// X-1, X-2: the right password leads to the chat, with a cookie that has the secure flags.
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
    for page in ["/chat", "/chat?plain"] {
        let page = app.request("GET", page).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(page.status(), 200);
    }
    let page = app.request("GET", "/chat?plain").header("cookie", &cookie).send().await.unwrap();
    assert!(page.text().await.unwrap().contains("id=\"composer\""));
    let me = app.request("GET", "/api/me").header("cookie", &cookie).send().await.unwrap();
    let me = json(me).await;
    assert_eq!(
        (&me["role"], &me["tenant"], &me["kind"]),
        (&json!("user"), &json!("home"), &json!("session"))
    );
    assert_eq!(me["limits"]["message_chars"], 10_000);
    assert!(me["projects"][0].get("agent").is_none(), "people do not see what answers: {me}");
    let form = app.request("GET", "/login").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(form.status(), 303, "whoever is in needs no form");
}

/// X-1, U-6: an expired session leads to the login form with a notice, and after the login back to
/// the same page, never to another site.
#[tokio::test]
async fn a_session_that_ended_leads_back() {
    let app = TestApp::start().await;
    let location =
        |response: &reqwest::Response| response.headers()["location"].to_str().unwrap().to_owned();
    let first = app.request("GET", "/chat").send().await.unwrap();
    assert_eq!(location(&first), "/login", "who was never here has nothing that ended");
    let over = "rv_session=rvs_of_a_session_that_is_over";
    let plain = app.request("GET", "/chat?plain").header("cookie", over).send().await.unwrap();
    assert_eq!(location(&plain), "/login?ended=1&next=%2Fchat%3Fplain");
    let form = app.request("GET", &location(&plain)).header("cookie", over).send().await.unwrap();
    assert_eq!(form.status(), 200);
    let form = form.text().await.unwrap();
    assert!(form.contains("Your session ended."), "{form}");
    assert!(form.contains(r#"name="next" value="/chat?plain""#), "{form}");

    let log_in = |password: &str, next: &str| {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("password", password)
            .append_pair("next", next)
            .finish();
        let request = app.request("POST", "/login");
        request.header("content-type", "application/x-www-form-urlencoded").body(body).send()
    };
    let wrong = log_in("wrong", "/chat?plain").await.unwrap().text().await.unwrap();
    assert!(wrong.contains(r#"name="next" value="/chat?plain""#), "it survives a wrong password");
    assert_eq!(location(&log_in(PASSWORD, "/chat?plain").await.unwrap()), "/chat?plain");
    for elsewhere in ["//evil.example", "https://evil.example/chat", "/\\evil.example", "/api/me"] {
        assert_eq!(location(&log_in(PASSWORD, elsewhere).await.unwrap()), "/chat", "{elsewhere}");
        let cookie = app.log_in(PASSWORD).await;
        let inside = app
            .request("GET", &format!("/login?next={elsewhere}"))
            .header("cookie", &cookie)
            .send()
            .await
            .unwrap();
        assert_eq!(location(&inside), "/chat", "{elsewhere}");
        let form = app.request("GET", &format!("/login?next={elsewhere}")).send().await.unwrap();
        assert!(!form.text().await.unwrap().contains("evil"), "{elsewhere}");
    }
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

/// X-1, FAULTS 23: repeated guesses are delayed; the owner can log in after the delay.
#[tokio::test]
async fn guesses_are_slowed_down_and_nobody_is_locked_out() {
    let app = TestApp::start().await;
    for _ in 0..5 {
        assert_eq!(app.post_login("wrong").await.status(), 401);
    }
    // If checking a password takes longer than the first delays, a later guess is rejected.
    let mut response = app.post_login("wrong").await;
    while response.status() == 401 {
        response = app.post_login("wrong").await;
    }
    assert_eq!(response.status(), 429);
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    let page = response.text().await.unwrap();
    assert!(page.contains("Too many attempts") && page.contains("name=\"password\""));
    // The delay follows a monotonic clock, which nobody can set.
    app.clock.set_back(Duration::from_secs(10 * 365 * 86_400));
    app.clock.advance(Duration::from_secs(30));
    assert_eq!(app.post_login(PASSWORD).await.status(), 303);
    assert_eq!(app.post_login("wrong").await.status(), 401, "and the count begins again");
}

/// X-4: the family password gives the access role `user`; `admin` has a password of its own.
#[tokio::test]
async fn roles_come_from_passwords() {
    let app = TestApp::start().await;
    let user = app.log_in(PASSWORD).await;
    let blocked = app
        .request("GET", "/api/admin/blocked-inputs")
        .header("cookie", &user)
        .send()
        .await
        .unwrap();
    assert_eq!(refusal(blocked).await, (403, "forbidden".to_owned()));
    let admin = app.log_in(ADMIN_PASSWORD).await;
    let blocked = app
        .request("GET", "/api/admin/blocked-inputs")
        .header("cookie", &admin)
        .send()
        .await
        .unwrap();
    assert_eq!(blocked.status(), 200);
    let blocked = app.admin("GET", "/api/admin/blocked-inputs").send().await.unwrap();
    assert_eq!(blocked.status(), 200);
}

/// X-1, I-5: a key is accepted in its header and as `Authorization: Bearer` only; a session cookie is
/// not a key, and a valid cookie does not make up for a wrong key.
#[tokio::test]
async fn keys_travel_in_their_headers_only() {
    let app = TestApp::start().await;
    let me = json(app.admin("GET", "/api/me").send().await.unwrap()).await;
    assert_eq!((&me["role"], &me["kind"]), (&json!("admin"), &json!("key")));
    assert!(me["projects"][0]["agent"].is_string(), "{me}");
    let bearer =
        |key: &str| app.request("GET", "/api/me").header("authorization", format!("Bearer {key}"));
    assert_eq!(json(bearer(ADMIN_KEY).send().await.unwrap()).await, me);
    let session = app.log_in(PASSWORD).await;
    let token = session.split_once('=').unwrap().1;
    let attempts = [
        bearer(token),
        bearer("wrong").header("cookie", &session),
        bearer(ADMIN_KEY).header("x-api-key", "wrong"),
        app.request("GET", &format!("/api/me?api_key={ADMIN_KEY}&x-api-key={ADMIN_KEY}")),
        app.request("GET", "/api/me").header("cookie", format!("rv_session={ADMIN_KEY}")),
        app.request("GET", "/api/me").header("x-api-key", token),
        app.request("GET", "/api/me").header("x-api-key", "wrong").header("cookie", &session),
    ];
    for attempt in attempts {
        assert_eq!(attempt.send().await.unwrap().status(), 401);
    }
}

/// X-2, FAULTS 22: logging out ends the session and its open streams; other sessions continue.
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
    // The server closes the connection of a stream that it ends, so this needs another.
    let again = reqwest::Client::new().get(app.url(&path)).header("cookie", &cookie);
    assert_eq!(again.send().await.unwrap().status(), 401);
    gate.release(1);
    others.find("done").await;
}

/// FAULTS 22: logging out also ends a stream whose client does not read.
#[tokio::test]
async fn logging_out_cuts_off_whoever_does_not_read() {
    let app = TestApp::with("connections = 2\nheader_timeout = \"60s\"").await;
    // More than any socket buffers.
    let long = "word ".repeat(1_200_000);
    let id = seed::conversation(&app.data_dir, &[Turn::new("a story", &long)]).await;
    let cookie = app.log_in(PASSWORD).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut reader = socket.connect(app.address).await.unwrap();
    let request = format!(
        "GET /api/conversations/{id}/events HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n",
        app.address
    );
    reader.write_all(request.as_bytes()).await.unwrap();
    let mut first = vec![0; 1 << 16];
    reader.read_exact(&mut first).await.unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200 OK"));
    let host = format!("Host: {}", app.address);
    let host = [host.as_str()];
    let third = || raw::request(&app, "GET /healthz", &host);
    assert!(third().await.starts_with("HTTP/1.1 503"), "both connections are in use");
    let response = app.request("POST", "/logout").header("cookie", &cookie).send().await.unwrap();
    assert_eq!(response.status(), 303);
    let cut = async {
        while !third().await.starts_with("HTTP/1.1 200") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, cut).await.expect("the stream goes on");
}

/// FAULTS 22: a new login creates a new session and ends the old one.
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

/// FAULTS 22: an unused session expires.
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
    // On a connection of its own: the server closes it, and a login must not be sent on it.
    let other = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = other.get(app.url(&path)).header("cookie", &cookie).send().await.unwrap();
    let mut held = Events::of(response);
    held.find("done").await;
    app.parlor(&["password", "set"], "another one\n").await;
    assert!(held.next().await.is_none());
    assert_eq!(app.post_login(PASSWORD).await.status(), 401);
    assert_eq!(app.post_login("another one").await.status(), 303);
}

/// Keys can be created, listed and revoked while the server runs.
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
    tokio::time::timeout(PATIENCE, revoked).await.unwrap();
    let list = app.parlor(&["keys", "list", "--tenant", "other"], "").await;
    assert!(list.contains("revoked"), "{list}");
}
