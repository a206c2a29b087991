//! Who is told what, and when no more.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::Response;
use parlor_testkit::Script;
use serde_json::json;

use super::push_service::{PushService, status};
use super::{AT_ONCE, Device, QUESTION, app_with, arrived, ask, put, state, subscribed, topic};
use crate::people::{invite, join};
use crate::test_app::{PASSWORD, TestApp, json as body_of};

async fn person(app: &TestApp, name: &str) -> String {
    let link = invite(app, "user").await;
    join(app, &link, name, &format!("{name}'s own password")).await
}

async fn answer(app: &TestApp, cookie: &str, prompt: &str) {
    let request = app.request("POST", &format!("/api/prompts/{prompt}/response"));
    let request = request.header("cookie", cookie).json(&json!({"response": "soup"}));
    assert_eq!(request.send().await.unwrap().status(), 200);
}

/// U-11, Y-2: a prompt is told to every device of whoever may answer it, and to nobody else; its end
/// is told to whom it was told.
#[tokio::test]
async fn a_prompt_reaches_whoever_may_answer_it() {
    let app = app_with(AT_ONCE).await;
    app.model.push(Script::answer().text(QUESTION));
    let (family, ana, bob) =
        (app.log_in(PASSWORD).await, person(&app, "Ana").await, person(&app, "Bob").await);
    let devices = [subscribed(&app, &family).await, subscribed(&app, &bob).await];
    let hers = subscribed(&app, &ana).await;
    let (conversation, prompt) = ask(&app, &ana, "What shall I cook?").await;
    let prompt = prompt.unwrap();
    let said = hers.told().await;
    assert_eq!(
        said,
        json!({"kind": "prompt", "tag": prompt, "title": "What shall I cook?", "waiting": 1,
            "body": "Something waits for your answer.", "lang": "en", "conversation": conversation})
    );
    for other in &devices {
        assert!(other.service.take().is_empty(), "it is hers alone");
    }
    let hers = subscribed(&app, &ana).await;
    answer(&app, &ana, &prompt).await;
    let closed = hers.told().await;
    assert_eq!((&closed["kind"], &closed["tag"]), (&json!("closed"), &json!(prompt)));
    assert_eq!(closed["body"], "This was answered.");

    // What the shared account asks everybody may answer.
    let hers = subscribed(&app, &ana).await;
    app.model.push(Script::answer().text(QUESTION));
    let (_, prompt) = ask(&app, &family, "And tomorrow?").await;
    let tag = prompt.unwrap();
    for device in devices {
        let said = device.told().await;
        assert_eq!((&said["tag"], &said["waiting"]), (&json!(tag), &json!(1)));
    }
    assert_eq!(arrived(&hers.service, 1).await[0].headers["topic"], *topic(&tag));
}

/// U-11: a subscription ends with its session: log-out, an end from elsewhere, a new password.
#[tokio::test]
async fn nobody_is_told_whose_session_is_over() {
    let app = app_with(AT_ONCE).await;
    app.model.always(Script::answer().text(QUESTION));
    let ana = person(&app, "Ana").await;
    let phone = app
        .request("POST", "/login")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("name=Ana&password=Ana%27s+own+password")
        .send()
        .await
        .unwrap();
    let phone =
        phone.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let family = app.log_in(PASSWORD).await;
    let (computer, lost) = (subscribed(&app, &ana).await, subscribed(&app, &phone).await);
    let gone = subscribed(&app, &family).await;
    let out = app.request("POST", "/logout").header("cookie", &family).send().await.unwrap();
    assert_eq!(out.status(), 303);
    let change = json!({"current": "Ana's own password", "new": "quite another one"});
    let changed = app.request("POST", "/api/me/password").header("cookie", &ana).json(&change);
    assert_eq!(changed.send().await.unwrap().status(), 204);
    let (_, prompt) = ask(&app, &ana, "Who hears this?").await;
    assert_eq!(computer.told().await["tag"], json!(prompt.unwrap()));
    assert!(lost.service.take().is_empty() && gone.service.take().is_empty());
    let numbers = body_of(app.admin("GET", "/api/admin/status").send().await.unwrap()).await;
    assert_eq!(numbers["push"]["subscriptions"], 1, "{}", numbers["push"]);
    assert!(!numbers["push"].to_string().contains("127.0.0.1"), "no endpoint is shown");
}

/// U-11: the end of a long turn is told to whoever began it, and a short one to nobody.
#[tokio::test]
async fn a_finished_answer_is_told_to_whoever_asked() {
    let long = AT_ONCE.replace("1h", "0s").replace("title", "none");
    let app = app_with(&long).await;
    let (family, other) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    let (device, another) = (subscribed(&app, &family).await, subscribed(&app, &other).await);
    let (conversation, _) = ask(&app, &family, "A secret title").await;
    let said = device.told().await;
    assert_eq!((&said["kind"], &said["title"]), (&json!("ended"), &json!("Parlor")));
    assert_eq!(said["body"], "An answer is finished.");
    assert_eq!(said["conversation"], json!(conversation));
    assert!(another.service.take().is_empty());

    let app = app_with(AT_ONCE).await;
    let family = app.log_in(PASSWORD).await;
    let device = subscribed(&app, &family).await;
    ask(&app, &family, "Quickly").await;
    let test = app.request("POST", "/api/push/test").header("cookie", &family);
    assert_eq!(test.send().await.unwrap().status(), 202);
    assert_eq!(device.told().await["kind"], "test", "the short turn is not told");
}

/// U-11: a push service that asks to wait is asked again, and a browser that is gone is forgotten.
#[tokio::test]
async fn a_push_service_decides_what_happens_next() {
    let app = app_with(AT_ONCE).await;
    app.model.always(Script::answer().text(QUESTION));
    let (family, gone) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    let times = AtomicUsize::new(0);
    let busy = PushService::start(move |_| match times.fetch_add(1, Ordering::SeqCst) {
        0 => {
            Response::builder().status(503).header("retry-after", "1").body(Body::empty()).unwrap()
        }
        _ => status(201),
    })
    .await;
    let busy = Device::at(busy, put(&app, &family)).await;
    let over = PushService::start(|_| status(410)).await;
    let over = Device::at(over, put(&app, &gone)).await;
    let (_, prompt) = ask(&app, &family, "Again?").await;
    let wanted = topic(&prompt.unwrap());
    let attempts = arrived(&busy.service, 2).await;
    assert!(attempts.iter().all(|one| one.headers["topic"] == *wanted));
    arrived(&over.service, 1).await;
    super::eventually("it is not forgotten", async || {
        (state(&app, &gone).await["subscribed"] == false).then_some(())
    })
    .await;
    assert_eq!(state(&app, &family).await["subscribed"], true);
}
