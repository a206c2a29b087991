//! What is refused before a turn begins, by whom, and until when.

use std::time::Duration;

use serde_json::json;

use super::{app, hundred, message, named, names, refused, say, section, somebody, turn, used};
use crate::test_app::{PASSWORD, Settings, TestApp};

const DAY: u64 = 86_400;

/// Y-3: messages of a day, by person, role and name; all who use the shared account are one. The
/// next day begins when the refusal says.
#[tokio::test]
async fn people_have_messages_for_a_day() {
    let app = app("[tenants.home.budgets.person.day]\nmessages = 2\n\
         [tenants.home.budgets.roles.admin.day]\nmessages = \"unlimited\"\n\
         [tenants.home.budgets.people.\"Bia Lima\".day]\nmessages = 1")
    .await;
    let ana = somebody(&app, "Ana", "user").await;
    let bia = somebody(&app, "Bia Lima", "user").await;
    let eva = somebody(&app, "Eva", "admin").await;
    let (first, second) = (app.log_in(PASSWORD).await, app.log_in(PASSWORD).await);
    for (who, times) in [(&ana, 2), (&bia, 1), (&eva, 4), (&first, 1), (&second, 1)] {
        for _ in 0..times {
            assert_eq!(say(&app, who).await.status(), 200);
        }
    }
    let mut wait = 0;
    for who in [&ana, &bia, &first, &second] {
        let (budget, until) = refused(say(&app, who).await).await;
        assert_eq!(budget, names("person", "messages", "day"));
        assert!((10 * 3_600..=13 * 3_600).contains(&until), "it is about noon: {until}");
        wait = until;
    }
    assert_eq!(say(&app, &eva).await.status(), 200, "an administrator has no limit");

    app.clock.advance(Duration::from_secs(wait - 30));
    refused(say(&app, &ana).await).await;
    app.clock.advance(Duration::from_secs(31));
    for who in [&ana, &bia, &first] {
        assert_eq!(say(&app, who).await.status(), 200, "a new day");
    }
    refused(say(&app, &bia).await).await;
}

/// Y-3: tokens by project and tenant, in a day and a month: the one that ends last is named. Other
/// tenants are not disturbed, and nothing of a refused message is kept.
#[tokio::test]
async fn projects_and_the_tenant_have_tokens() {
    let app = app("[tenants.home.budgets.tenant.month]\ntokens = 350\n\
         [tenants.home.projects.recipes.budget.day]\ntokens = 150")
    .await;
    app.model.always(hundred());
    turn(&app, "recipes").await;
    turn(&app, "recipes").await;
    let refusal = app.send(&json!({"message": "hello"})).await;
    assert_eq!(refused(refusal).await.0, names("project", "tokens", "day"));
    turn(&app, "sauces").await;
    turn(&app, "sauces").await;
    let sauces = json!({"message": "hello", "project": "sauces"});
    let (budget, wait) = refused(app.send(&sauces).await).await;
    assert_eq!(budget, names("tenant", "tokens", "month"));
    let (budget, _) = refused(app.send(&json!({"message": "hello"})).await).await;
    assert_eq!(budget, names("tenant", "tokens", "month"), "it ends last");
    assert_eq!(used(&app, "tenant").await["tokens"], 400);
    assert_eq!(used(&app, "tenant").await["messages"], 4);

    let key = app.other_tenants_key("user").await;
    let other = app.request("POST", "/api/chat").header("x-api-key", key);
    assert_eq!(other.json(&json!({"message": "hello"})).send().await.unwrap().status(), 200);

    if wait > DAY {
        app.clock.advance(Duration::from_secs(DAY));
        let (budget, _) = refused(app.send(&json!({"message": "hello"})).await).await;
        assert_eq!(budget, names("tenant", "tokens", "month"), "a new day, and the same month");
        app.clock.advance(Duration::from_secs(wait - DAY + 1));
    } else {
        app.clock.advance(Duration::from_secs(wait + 1));
    }
    assert_eq!(app.send(&json!({"message": "hello"})).await.status(), 200, "a new month");
}

/// Y-3, H-5: a message that was taken is acknowledged again, although the budget is used up since.
#[tokio::test]
async fn a_message_that_was_taken_is_acknowledged_again() {
    let app = app("[tenants.home.budgets.person.day]\nmessages = 1").await;
    let ana = somebody(&app, "Ana", "user").await;
    let body = json!({"message": "hello", "client_message_id": "once"});
    let first = message(&app, &ana, &body).send().await.unwrap();
    assert_eq!(first.status(), 200);
    let first = first.text().await.unwrap();
    let again = message(&app, &ana, &body).send().await.unwrap();
    assert_eq!(again.status(), 200);
    let start = |text: &str| text.lines().find(|line| line.contains("turn_id")).unwrap().to_owned();
    assert_eq!(start(&again.text().await.unwrap()), start(&first));
    refused(say(&app, &ana).await).await;
}

/// Y-3: what a call costs follows from the prices, where the model does not say.
#[tokio::test]
async fn dollars_follow_from_prices() {
    let more = section("[tenants.home.projects.recipes.budget.day]\ncost_usd = 0.002");
    let prices = "prices = { input = 10, output = 20 }";
    let settings = Settings { project: prices, more: &more, ..Settings::default() };
    let app = TestApp::configured(settings).await;
    app.model.always(hundred());
    // 60 for 10 and 40 for 20 dollars a million are 1,400 millionths.
    turn(&app, "recipes").await;
    assert_eq!(used(&app, "project").await["cost_usd"], 0.0014);
    turn(&app, "recipes").await;
    let response = app.send(&json!({"message": "hello"})).await;
    assert_eq!(refused(response).await.0, names("project", "cost_usd", "day"));
}

/// Y-3, W-3: the same over a WebSocket: the connection stays.
#[tokio::test]
async fn a_socket_is_told_too() {
    use crate::sockets::{HOME, Socket};
    use crate::test_app::ADMIN_KEY;
    let app = app("[tenants.home.budgets.person.day]\nmessages = 1").await;
    let mut socket = Socket::at(app.address, HOME, &[("x-api-key", ADMIN_KEY)]).await.unwrap();
    for refuses in [false, true, true] {
        socket.send(&json!({"message": "hello"})).await;
        let frame = loop {
            let frame = socket.next().await.unwrap();
            if ["done", "error"].contains(&frame["type"].as_str().unwrap()) {
                break frame;
            }
        };
        assert_eq!(frame["type"] == "error", refuses, "{frame}");
        if refuses {
            assert_eq!(frame["code"], "budget_exceeded");
            assert_eq!(named(&frame["budget"]), names("person", "messages", "day"));
            assert!(frame["retry_after"].is_u64(), "{frame}");
        }
    }
}
