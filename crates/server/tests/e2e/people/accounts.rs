//! Invitations, logins by name, sessions, passwords, and shutting somebody out.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{cookie_of, get, invite, join, key_of, log_in, password_of, post, somebody};
use crate::sockets::{HOME, Socket};
use crate::streams::Events;
use crate::test_app::{ADMIN_PASSWORD, PASSWORD, TestApp, json as body_of, refusal};

/// Y-1: a link works once and for a week; a wrong, a used and an old one are the same.
#[tokio::test]
async fn an_invitation_is_used_once() {
    let app = TestApp::start().await;
    let form = app.request("GET", "/login").send().await.unwrap().text().await.unwrap();
    assert!(!form.contains("name=\"name\""), "nobody has a name yet: {form}");
    let link = invite(&app, "admin").await;
    let page = app.request("GET", &link).send().await.unwrap();
    assert_eq!(
        (page.status().as_u16(), page.headers()["x-robots-tag"].to_str().unwrap()),
        (200, "noindex, nofollow")
    );
    assert!(page.text().await.unwrap().contains("PARLOR_API_KEY invites you to Home."));
    let accept = async |name: &str, password: &str, again: &str| {
        let fields = [("name", name), ("password", password), ("again", again)];
        let response = post(&app, &link, &fields).await;
        (response.status().as_u16(), response.text().await.unwrap())
    };
    for (name, password, again, status, words) in [
        ("", "long enough", "long enough", 422, "choose a name"),
        ("A\u{202e}na", "long enough", "long enough", 422, "choose a name"),
        ("Ana {tenant}", "long enough", "not the same", 422, "value=\"Ana &#123;tenant}\""),
        ("Ana", "short", "short", 422, "at least 8 characters"),
    ] {
        let (given, page) = accept(name, password, again).await;
        assert_eq!(given, status, "{name}: {page}");
        assert!(page.contains(words), "{name}: {page}");
    }
    let cookie = join(&app, &link, "Ana Souza", "ana's own password").await;
    let me = get(&app, "/api/me", ("cookie", &cookie)).await;
    assert_eq!((&me["person"]["name"], &me["role"]), (&json!("Ana Souza"), &json!("admin")));
    assert_eq!(me["admins_read_conversations"], false);

    // A command has the time of the machine, so it comes before the clock is moved.
    let by_command = app.parlor(&["people", "invite"], "").await;
    join(&app, &by_command, "Eva", "long enough").await;

    let (used, used_page) = accept("Bob", "long enough", "long enough").await;
    let late = invite(&app, "user").await;
    app.clock.advance(Duration::from_secs(7 * 86_400));
    let late = app.request("GET", &late).send().await.unwrap();
    let wrong = app.request("GET", "/invite/invite_wrong").send().await.unwrap();
    assert_eq!((used, late.status().as_u16(), wrong.status().as_u16()), (404, 404, 404));
    assert_eq!(late.text().await.unwrap(), used_page);
    assert_eq!(wrong.text().await.unwrap(), used_page);

    let taken = invite(&app, "user").await;
    let fields = [("name", "ANA  souza"), ("password", "long enough"), ("again", "long enough")];
    assert_eq!(post(&app, &taken, &fields).await.status(), 409);
    join(&app, &taken, "Bob", "long enough").await;
    let people = app.parlor(&["people", "list"], "").await;
    for words in ["admin  enabled   Ana Souza", "user   enabled   Bob", "user   enabled   Eva"] {
        assert!(people.contains(words), "{people}");
    }
}

/// Y-1, X-1: a name logs in with its password, the family with its own; what is wrong is not said.
#[tokio::test]
async fn a_name_logs_in_with_its_password() {
    let app = TestApp::start().await;
    somebody(&app, "Ana", "user").await;
    let form = app.request("GET", "/login").send().await.unwrap().text().await.unwrap();
    assert!(form.contains("name=\"name\"") && form.contains("Leave it empty"), "{form}");
    let inside = log_in(&app, " ANA ", &password_of("Ana")).await;
    assert_eq!(inside.status(), 303);
    let me = get(&app, "/api/me", ("cookie", &cookie_of(&inside))).await;
    assert_eq!(me["person"]["name"], "Ana");
    let family = app.log_in(PASSWORD).await;
    assert!(get(&app, "/api/me", ("cookie", &family)).await.get("person").is_none());
    assert_eq!(log_in(&app, "Ana", PASSWORD).await.status(), 401, "that is the family's");
    assert_eq!(app.post_login(&password_of("Ana")).await.status(), 401, "that is Ana's");
    app.clock.advance(Duration::from_secs(3_600));

    let wrong = async |name: &str| {
        let began = Instant::now();
        let page = log_in(&app, name, "a wrong one").await;
        assert_eq!(page.status(), 401);
        let took = began.elapsed();
        (page.text().await.unwrap().replace(&format!("value=\"{name}\""), ""), took)
    };
    let ((known, took), (unknown, as_long)) = (wrong("Ana").await, wrong("Nobody").await);
    assert_eq!(known, unknown);
    assert!(as_long * 3 > took, "{as_long:?} is not as long as {took:?}");
}

/// Y-1, X-1: guesses at a name are slowed down like all others.
#[tokio::test]
async fn guesses_at_a_name_are_slowed_down() {
    let app = TestApp::start().await;
    let cookie = somebody(&app, "Ana", "user").await;
    let change = async |current: &str| {
        let body = json!({"current": current, "new": "another password"});
        let request = app.request("POST", "/api/me/password").header("cookie", &cookie);
        refusal(request.json(&body).send().await.unwrap()).await
    };
    let mut answer = change("wrong").await;
    for _ in 0..60 {
        if answer.0 == 429 {
            break;
        }
        assert_eq!(answer, (403, "forbidden".to_owned()));
        answer = change("wrong").await;
    }
    assert_eq!(answer, (429, "rate_limited".to_owned()));
    app.clock.advance(Duration::from_secs(30));
    assert_eq!(
        log_in(&app, "Ana", &password_of("Ana")).await.status(),
        303,
        "nobody is locked out"
    );
}

/// Y-1: a new password ends the other sessions of the person, and no others.
#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let app = TestApp::start().await;
    let first = somebody(&app, "Ana", "user").await;
    let second = cookie_of(&log_in(&app, "Ana", &password_of("Ana")).await);
    let (bob, family) = (somebody(&app, "Bob", "user").await, app.log_in(PASSWORD).await);
    let change = |cookie: &str, new: &str| {
        let body = json!({"current": password_of("Ana"), "new": new});
        app.request("POST", "/api/me/password").header("cookie", cookie).json(&body).send()
    };
    let short = refusal(change(&second, "short").await.unwrap()).await;
    assert_eq!(short, (400, "malformed".to_owned()));
    let shared = refusal(change(&family, "another password").await.unwrap()).await;
    assert_eq!(shared, (403, "forbidden".to_owned()));
    assert_eq!(change(&second, "another password").await.unwrap().status(), 204);
    let status = async |cookie: &str| {
        let me = app.request("GET", "/api/me").header("cookie", cookie).send().await.unwrap();
        me.status().as_u16()
    };
    assert_eq!(status(&first).await, 401);
    for kept in [&second, &bob, &family] {
        assert_eq!(status(kept).await, 200);
    }
    assert_eq!(log_in(&app, "Ana", &password_of("Ana")).await.status(), 401);
    assert_eq!(log_in(&app, "Ana", "another password").await.status(), 303);
    app.parlor(&["password", "set"], "another family password\n").await;
    assert_eq!(status(&second).await, 200, "the family's password is not Ana's");
}

/// Y-1: sessions are listed and ended by whose they are; nobody else's exist.
#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let app = TestApp::start().await;
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    let first = somebody(&app, "Ana", "user").await;
    let form = app.request("POST", "/login").header("user-agent", agent);
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    let body = format!("name=ana&password={}", password_of("Ana").replace(' ', "+"));
    let second = cookie_of(&form.body(body).send().await.unwrap());
    let (bob, family) = (somebody(&app, "Bob", "user").await, app.log_in(PASSWORD).await);
    let admin = app.log_in(ADMIN_PASSWORD).await;
    let listed = async |cookie: &str| {
        let list = get(&app, "/api/sessions", ("cookie", cookie)).await;
        list["sessions"].as_array().unwrap().clone()
    };
    let of_ana = listed(&second).await;
    let current = of_ana.iter().find(|session| session["current"] == true).unwrap();
    assert_eq!((of_ana.len(), &current["name"]), (2, &json!("Firefox on Linux")));
    assert!(!format!("{of_ana:?}").contains("Gecko"), "the header is not kept");
    assert_eq!((listed(&bob).await.len(), listed(&family).await.len()), (1, 1));
    assert_eq!(listed(&admin).await.len(), 5);

    let other = of_ana.iter().find(|session| session["current"] == false).unwrap();
    let path = format!("/api/sessions/{}", other["id"].as_str().unwrap());
    let end = |cookie: &str| app.request("DELETE", &path).header("cookie", cookie).send();
    for stranger in [&bob, &family] {
        assert_eq!(end(stranger).await.unwrap().status(), 404);
    }
    assert_eq!(end(&second).await.unwrap().status(), 204);
    let me = app.request("GET", "/api/me").header("cookie", &first).send().await.unwrap();
    assert_eq!(me.status(), 401);
    assert_eq!(end(&admin).await.unwrap().status(), 404, "it is over");
}

/// Y-1: whoever is shut out is out within a second: streams, sockets, keys and logins.
#[tokio::test]
async fn whoever_is_shut_out_is_out_at_once() {
    let app = TestApp::start().await;
    let cookie = somebody(&app, "Ana", "user").await;
    let key = key_of(&app, "ana").await;
    let said = app.request("POST", "/api/chat").header("x-api-key", &key);
    let mut turn = Events::of(said.json(&json!({"message": "hello"})).send().await.unwrap());
    let conversation =
        turn.find("start").await.data["conversation_id"].as_str().unwrap().to_owned();
    turn.rest().await;
    let path = format!("/api/conversations/{conversation}/events");
    // On a connection of its own: the server closes it.
    let other = reqwest::Client::builder().no_proxy().build().unwrap();
    let held = other.get(app.url(&path)).header("cookie", &cookie).send().await.unwrap();
    let mut held = Events::of(held);
    held.find("done").await;
    let query = format!("{HOME}?conversation_id={conversation}");
    let mut socket = Socket::with(&app, &query, &[("x-api-key", &key)]).await.unwrap();
    socket.find("done").await;

    let people = body_of(app.admin("GET", "/api/people").send().await.unwrap()).await;
    let ana = format!("/api/people/{}", people["people"][0]["id"].as_str().unwrap());
    let set = async |disabled: bool| {
        let request = app.admin("PATCH", &ana).json(&json!({"disabled": disabled}));
        body_of(request.send().await.unwrap()).await
    };
    let began = Instant::now();
    assert!(set(true).await["disabled_at"].is_number());
    held.rest().await;
    assert_eq!(socket.end().await, Some(1008));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    for (name, value) in [("cookie", cookie.as_str()), ("x-api-key", key.as_str())] {
        let me = other.get(app.url("/api/me")).header(name, value).send().await.unwrap();
        assert_eq!(me.status(), 401, "{name}");
    }
    assert_eq!(log_in(&app, "Ana", &password_of("Ana")).await.status(), 401);
    assert!(set(false).await.get("disabled_at").is_none());
    assert_eq!(log_in(&app, "Ana", &password_of("Ana")).await.status(), 303);
    let me = other.get(app.url("/api/me")).header("x-api-key", &key).send().await.unwrap();
    assert_eq!(me.status(), 401, "what was revoked stays so");

    app.parlor(&["people", "disable", "ana"], "").await;
    let refused = app.parlor(&["people", "list"], "").await;
    assert!(refused.contains("disabled"), "{refused}");
    assert_eq!(log_in(&app, "Ana", &password_of("Ana")).await.status(), 401);
}

/// Y-1: people are the administrators' business; nobody shuts themselves out.
#[tokio::test]
async fn people_are_listed_for_administrators() {
    let app = TestApp::start().await;
    let (boss, ana) = (somebody(&app, "Boss", "admin").await, somebody(&app, "Ana", "user").await);
    for (method, path) in [("GET", "/api/people"), ("POST", "/api/people/invitations")] {
        let request = app.request(method, path).header("cookie", &ana).json(&json!({}));
        assert_eq!(refusal(request.send().await.unwrap()).await, (403, "forbidden".to_owned()));
    }
    let people = get(&app, "/api/people", ("cookie", &boss)).await;
    let listed = people["people"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    assert!(!people.to_string().contains("argon2"), "{people}");
    let own = format!("/api/people/{}", listed[0]["id"].as_str().unwrap());
    let request = app.request("PATCH", &own).header("cookie", &boss);
    let request = request.json(&json!({"disabled": true}));
    assert_eq!(refusal(request.send().await.unwrap()).await, (403, "forbidden".to_owned()));
}
