//! Tokens of a site, and the sessions that they are given for.

use std::time::Duration;

use serde_json::json;

use super::{FORUM, SHOP, Visitor, app, ask, exchange, token};
use crate::test_app::{PASSWORD, json as body_of, refusal};

fn unauthorized() -> (u16, String) {
    (401, "unauthorized".to_owned())
}

/// U-12: a token is made with a key, for a project and an origin that embeds it, and for nothing else.
#[tokio::test]
async fn a_token_is_for_a_project_and_a_site_that_embeds_it() {
    let app = app().await;
    let made = ask(&app, json!({"project": "recipes", "origin": "https://SHOP.example/"})).await;
    assert_eq!(made.status(), 201);
    let made = body_of(made).await;
    assert_eq!((&made["tenant"], &made["origin"]), (&json!("home"), &json!(SHOP)));
    for (project, origin, code) in [
        ("recipes", "https://evil.example", (403, "forbidden")),
        ("recipes", "http://shop.example", (403, "forbidden")),
        ("recipes", "https://shop.example:444", (403, "forbidden")),
        ("sauces", SHOP, (403, "forbidden")),
        ("nothing", SHOP, (404, "not_found")),
        ("recipes", "shop.example", (400, "malformed")),
        ("recipes", "*", (400, "malformed")),
    ] {
        let answer = refusal(ask(&app, json!({"project": project, "origin": origin})).await).await;
        assert_eq!(answer, (code.0, code.1.to_owned()), "{project} {origin}");
    }
    // A person's login makes none, nor does a visitor.
    let cookie = app.log_in(PASSWORD).await;
    let body = json!({"project": "recipes", "origin": SHOP});
    let of_session = app.request("POST", "/api/embed/tokens").header("cookie", cookie).json(&body);
    assert_eq!(of_session.send().await.unwrap().status(), 403);
    let visitor = Visitor::of(&app, SHOP, "42").await;
    let of_visitor = visitor.request("POST", "/api/embed/tokens").json(&body).send().await;
    assert_eq!(of_visitor.unwrap().status(), 403);
    // Another tenant's key makes tokens of its own tenant.
    let key = app.other_tenants_key("user").await;
    let other = app.request("POST", "/api/embed/tokens").header("x-api-key", key).json(&body);
    assert_eq!(body_of(other.send().await.unwrap()).await["tenant"], "other");
}

/// U-12: a token works once, in a page of its origin, for minutes.
#[tokio::test]
async fn a_token_works_once_for_minutes_at_its_origin() {
    let app = app().await;
    let first = token(&app, SHOP, "42").await;
    assert_eq!(refusal(exchange(&app, &first, FORUM).await).await, unauthorized());
    assert_eq!(refusal(exchange(&app, "embed_unknown", SHOP).await).await, unauthorized());
    let begun = exchange(&app, &first, SHOP).await;
    assert_eq!(begun.status(), 201);
    let begun = body_of(begun).await;
    assert_eq!(begun["known"], true);
    assert_eq!(refusal(exchange(&app, &first, SHOP).await).await, unauthorized(), "replayed");
    let late = token(&app, SHOP, "42").await;
    app.clock.advance(Duration::from_secs(301));
    assert_eq!(refusal(exchange(&app, &late, SHOP).await).await, unauthorized(), "expired");
    // A token is no session, and a session is no key.
    for (name, value) in [
        ("authorization", format!("Bearer {late}")),
        ("cookie", format!("rv_session={}", begun["session"].as_str().unwrap())),
    ] {
        let answer = app.request("GET", "/api/me").header(name, value).send().await.unwrap();
        assert_eq!(refusal(answer).await, unauthorized(), "{name}");
    }
}

/// U-12: of several who try a token at the same moment, one comes in.
#[tokio::test]
async fn a_token_is_taken_by_one() {
    let app = app().await;
    let token = token(&app, SHOP, "42").await;
    let tries = (0..8).map(|_| exchange(&app, &token, SHOP));
    let answers = futures_util::future::join_all(tries).await;
    let taken = answers.iter().filter(|answer| answer.status() == 201).count();
    assert_eq!(taken, 1);
}

/// U-12: a session ends after an hour, however much it is used, and when the visitor logs out.
#[tokio::test]
async fn a_session_ends() {
    let app = app().await;
    let visitor = Visitor::of(&app, SHOP, "42").await;
    for _ in 0..5 {
        app.clock.advance(Duration::from_secs(11 * 60));
        assert_eq!(visitor.get("/api/me").await.status(), 200);
    }
    app.clock.advance(Duration::from_secs(6 * 60));
    assert_eq!(refusal(visitor.get("/api/me").await).await, unauthorized());
    let (one, two) = (Visitor::of(&app, SHOP, "42").await, Visitor::of(&app, SHOP, "42").await);
    let other = Visitor::of(&app, SHOP, "43").await;
    let out = one.request("DELETE", "/api/embed/sessions").send().await.unwrap();
    assert_eq!(out.status(), 204);
    assert_eq!(refusal(one.get("/api/me").await).await, unauthorized());
    assert_eq!(refusal(two.get("/api/me").await).await, unauthorized(), "on other devices too");
    assert_eq!(other.get("/api/me").await.status(), 200);
}

/// U-12: a key that is revoked lets nobody in any more, and ends the sessions and streams of its
/// visitors; those of another key go on.
#[tokio::test]
async fn a_revoked_key_ends_what_it_let_in() {
    let app = app().await;
    let made = app.admin("POST", "/api/admin/keys").json(&json!({"name": "shop"})).send().await;
    let made = body_of(made.unwrap()).await;
    let key = made["key"].as_str().unwrap();
    let ask = async |person: &str| {
        let person = json!({"id": person});
        let body = json!({"project": "recipes", "origin": SHOP, "person": person});
        let made = app.request("POST", "/api/embed/tokens").header("x-api-key", key).json(&body);
        body_of(made.send().await.unwrap()).await["token"].as_str().unwrap().to_owned()
    };
    let begun = body_of(exchange(&app, &ask("42").await, SHOP).await).await;
    let session = begun["session"].as_str().unwrap().to_owned();
    let visitor = Visitor { app: &app, session };
    let conversation = visitor.say("Hello").await;
    let stream = visitor.get(&format!("/api/conversations/{conversation}/events")).await;
    assert_eq!(stream.status(), 200);
    let unused = ask("43").await;
    let other = Visitor::of(&app, SHOP, "42").await;
    let path = format!("/api/admin/keys/{}", made["id"].as_str().unwrap());
    assert_eq!(app.admin("DELETE", &path).send().await.unwrap().status(), 204);
    let rest = tokio::time::timeout(crate::test_app::PATIENCE, stream.text()).await;
    assert!(rest.is_ok(), "the stream ends");
    assert_eq!(refusal(visitor.get("/api/me").await).await, unauthorized());
    assert_eq!(refusal(exchange(&app, &unused, SHOP).await).await, unauthorized());
    assert_eq!(other.listed().await, [conversation], "the visitor is the same with a new key");
}

/// U-12: somebody whom the site does not know is themselves while their session lasts, and nobody
/// else afterwards.
#[tokio::test]
async fn somebody_unknown_is_kept_while_they_stay() {
    let app = app().await;
    let unknown = async || {
        let made = ask(&app, json!({"project": "recipes", "origin": SHOP})).await;
        body_of(made).await["token"].as_str().unwrap().to_owned()
    };
    let begun = body_of(exchange(&app, &unknown().await, SHOP).await).await;
    assert_eq!(begun["known"], false);
    let first = Visitor { app: &app, session: begun["session"].as_str().unwrap().to_owned() };
    let conversation = first.say("Hello").await;
    let body = json!({"token": unknown().await, "origin": SHOP});
    let renewed = first.request("POST", "/api/embed/sessions").json(&body).send().await.unwrap();
    let renewed = body_of(renewed).await["session"].as_str().unwrap().to_owned();
    let renewed = Visitor { app: &app, session: renewed };
    assert_eq!(renewed.listed().await, std::slice::from_ref(&conversation));
    let begun = body_of(exchange(&app, &unknown().await, SHOP).await).await;
    let next = Visitor { app: &app, session: begun["session"].as_str().unwrap().to_owned() };
    assert_eq!(next.listed().await, [] as [String; 0]);
    // One whom the site knows does not inherit what somebody unknown said, nor the reverse.
    let body = json!({"token": token(&app, SHOP, "42").await, "origin": SHOP});
    let known = first.request("POST", "/api/embed/sessions").json(&body).send().await.unwrap();
    let known = body_of(known).await["session"].as_str().unwrap().to_owned();
    let known = Visitor { app: &app, session: known };
    assert_eq!(known.listed().await, [] as [String; 0]);
}

/// U-12: the accent of a site comes back readable; what is no colour is refused.
#[tokio::test]
async fn an_accent_is_made_readable() {
    let app = app().await;
    let with = async |accent: &str| {
        let token = token(&app, SHOP, "42").await;
        let body = json!({"token": token, "origin": SHOP, "accent": accent});
        app.request("POST", "/api/embed/sessions").json(&body).send().await.unwrap()
    };
    let accent = body_of(with("#ffff00").await).await["accent"].take();
    assert_ne!(accent["light"], "#ffff00", "yellow on white cannot be read");
    assert_eq!(accent["dark"], "#ffff00");
    let answer = refusal(with("red; background: url(x)").await).await;
    assert_eq!(answer, (400, "malformed".to_owned()));
}
