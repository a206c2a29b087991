//! What happens to a turn that runs when a budget is used up.

use std::time::Duration;

use futures_util::future::join_all;
use parlor_testkit::{Gate, Script, ScriptedModel};
use serde_json::{Value, json};

use super::{app, hundred, hundred_and_on, named, names, refused, section, used};
use crate::server_process::Server;
use crate::streams::{Events, text};
use crate::test_app::json as body_of;

/// Y-3: before each call of the model, not only before the first: what was said stays, the end
/// says which budget it was, and the next day the same message is answered.
#[tokio::test]
async fn a_turn_ends_between_two_calls() {
    let app = app("[tenants.home.budgets.person.day]\ntokens = 150").await;
    app.model.push(hundred_and_on());
    app.model.push(hundred_and_on());
    app.model.push(hundred());
    let events = Events::of(app.send(&json!({"message": "hello"})).await).rest().await;
    assert_eq!(app.model.requests().len(), 2, "the third is not made");
    assert_eq!(text(&events), "Let me look.Let me look.");
    let error = events.iter().find(|event| event.name == "error").unwrap();
    assert_eq!(
        (&error.data["code"], &error.data["recoverable"]),
        (&json!("budget_exceeded"), &json!(true))
    );
    assert!(
        error.data["message"]
            .as_str()
            .unwrap()
            .starts_with("Your budget of tokens is used up for today."),
        "{error:?}"
    );
    let done = &events.last().unwrap().data;
    assert_eq!((&done["reason"], &done["tokens_used"]), (&json!("error"), &json!(200)));

    let conversation = done["conversation_id"].as_str().unwrap();
    let path = format!("/api/conversations/{conversation}");
    let view = body_of(app.admin("GET", &path).send().await.unwrap()).await;
    let messages = view["messages"].as_array().unwrap();
    let card = messages.last().unwrap();
    assert_eq!(card["message_type"], "error");
    assert_eq!(named(&card["metadata"]["budget"]), names("person", "tokens", "day"));
    assert_eq!(card["metadata"]["code"], "budget_exceeded");

    let again = json!({"message": "", "conversation_id": conversation, "retry_of": card["id"]});
    let (_, wait) = refused(app.send(&again).await).await;
    app.clock.advance(Duration::from_secs(wait + 1));
    let events = Events::of(app.send(&again).await).rest().await;
    assert_eq!(text(&events), "Well.");
    assert_eq!(events.last().unwrap().data["reason"], "complete");
}

/// Y-3: fifty turns at once exceed a budget by at most one call each, and every token is counted
/// once.
#[tokio::test]
async fn fifty_turns_at_once_exceed_it_by_one_call_each() {
    const TURNS: usize = 50;
    let app = app("[tenants.home.budgets.tenant.day]\ntokens = 250").await;
    let gate = Gate::closed();
    app.model.always(hundred_and_on().gate(&gate));
    let one = async || {
        let response = app.send(&json!({"message": "hello"})).await;
        Events::of(response).rest().await.last().unwrap().data["reason"].clone()
    };
    let all = join_all((0..TURNS).map(|_| one()));
    let release = async {
        while app.model.requests().len() < TURNS {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        gate.release(10 * TURNS);
    };
    let (reasons, ()) = tokio::join!(all, release);
    assert!(reasons.iter().all(|reason| *reason == "error"), "{reasons:?}");
    assert_eq!(app.model.requests().len(), TURNS, "none was asked again");
    let used = used(&app, "tenant").await;
    assert_eq!((&used["tokens"], &used["messages"]), (&json!(100 * TURNS), &json!(TURNS)));
    assert!(used["agent_minutes"].as_f64().unwrap() > 0.0, "{used}");
    refused(app.send(&json!({"message": "hello"})).await).await;
}

/// Y-3: minutes count while an agent works, and end the turn in the middle of a call.
#[tokio::test]
async fn the_time_of_an_agent_is_limited() {
    // 300 ms.
    let app = app("[tenants.home.projects.recipes.budget.day]\nagent_minutes = 0.005").await;
    app.model.push(Script::answer().text("So far").silence());
    let events = Events::of(app.send(&json!({"message": "hello"})).await).rest().await;
    assert_eq!(text(&events), "So far");
    assert_eq!(events.last().unwrap().data["reason"], "error");
    let minutes = used(&app, "project").await["agent_minutes"].as_f64().unwrap();
    assert!((0.005..0.05).contains(&minutes), "{minutes}");
    let refusal = app.send(&json!({"message": "hello"})).await;
    assert_eq!(refused(refusal).await.0, names("project", "agent_minutes", "day"));
}

/// Y-3, P-9: what a turn used before its server was killed counts, and the turn that goes on asks
/// its model no more.
#[tokio::test]
async fn a_kill_gives_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    let budgets = section("[tenants.home.budgets.person.day]\ntokens = 150");
    let server = Server::start_with(dir.path(), &model, &budgets, &[]).await;
    model.push(hundred_and_on());
    model.push(Script::mute());
    let mut events = Events::of(server.send(&json!({"message": "hello"})).await);
    let start = events.find("start").await;
    let conversation = start.data["conversation_id"].as_str().unwrap().to_owned();
    while model.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.kill();
    let server = Server::start_with(dir.path(), &model, &budgets, &[]).await;
    model.push(hundred_and_on());
    server.until_idle(&conversation).await;
    let page = server.get("/api/admin/budgets?scope=tenant&period=day").send().await.unwrap();
    let page: Value = body_of(page).await;
    assert_eq!(page["rows"][0]["used"]["tokens"], 200, "{page}");
    assert_eq!(page["rows"][0]["used"]["messages"], 1, "{page}");
    assert_eq!(model.requests().len(), 3, "one call after the start, and no other");
    refused(server.send(&json!({"message": "hello"})).await).await;
}
