//! FAULTS 13, H-6: a stop closes the connection to the model and keeps the text so far.

use parlor_agent::{AgentEvent, HistoryMessage};
use parlor_testkit::{Gate, Script};

use crate::harness::{Harness, any_next, in_time, is_idle, next, rest, start, text, told, turn};

#[tokio::test]
async fn a_stop_closes_the_upstream_and_keeps_the_text() {
    let scripts =
        [Script::answer().text("So ").text("far").silence(), Script::answer().text("On.")];
    let harness = Harness::new(scripts).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    assert_eq!(next(&mut session).await, AgentEvent::Text("So ".into()));
    assert_eq!(next(&mut session).await, AgentEvent::Text("far".into()));
    session.stop();
    session.stop();
    // Before the turn runner is polled again.
    in_time(harness.model.wait_for_left(1)).await;
    assert_eq!(
        told(&rest(&mut session).await),
        [
            "block end", "usage 10 in, 1 out, cache 0 read, 0 written",
            r#"message [{"type":"text","text":"So far"}]"#, "ended Stopped",
        ]
    );
    // The turn runner takes the next turn.
    assert_eq!(text(&turn(&mut session, [HistoryMessage::user("?")]).await), "On.");
}

#[tokio::test]
async fn a_stop_in_a_thought_keeps_the_thought_unsigned() {
    let harness = Harness::new([Script::answer().thinking("Hm, if").silence()]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    next(&mut session).await;
    session.stop();
    let told = told(&rest(&mut session).await);
    assert!(
        told.contains(&r#"message [{"type":"thinking","text":"Hm, if","signature":null}]"#.into()),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_stop_before_anything_came_is_just_an_end() {
    let gate = Gate::closed();
    let harness = Harness::new([Script::answer().gate(&gate).text("late")]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    assert!(is_idle(&mut session).await);
    session.stop();
    assert_eq!(told(&rest(&mut session).await), ["ended Stopped"]);
}

#[tokio::test]
async fn a_stop_ends_the_wait_for_another_attempt() {
    let harness = Harness::with([Script::failure(529).retry_after(20)], |_| {}).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    assert!(matches!(next(&mut session).await, AgentEvent::Retrying { .. }));
    assert!(is_idle(&mut session).await);
    session.stop();
    assert_eq!(told(&rest(&mut session).await), ["ended Stopped"]);
}

#[tokio::test]
async fn a_stop_at_a_checkpoint_asks_nothing_more() {
    let harness = Harness::new([Script::answer().text("a").stop_reason("pause_turn")]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    while !matches!(next(&mut session).await, AgentEvent::Checkpoint(_)) {}
    session.stop();
    assert_eq!(told(&rest(&mut session).await), ["ended Stopped"]);
    assert_eq!(harness.model.requests().len(), 1);
}

#[tokio::test]
async fn without_a_turn_there_is_nothing_to_stop() {
    let harness = Harness::new([Script::answer().text("a")]).await;
    let mut session = harness.open();
    session.stop();
    assert!(is_idle(&mut session).await);
    turn(&mut session, [HistoryMessage::user("?")]).await;
    session.stop();
    assert!(is_idle(&mut session).await);
}

/// A stop after the model has finished changes nothing.
#[tokio::test]
async fn a_stop_after_the_end_changes_nothing() {
    let harness = Harness::new([Script::answer().text("Done.")]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    while !matches!(next(&mut session).await, AgentEvent::AssistantMessage(_)) {}
    session.stop();
    assert_eq!(told(&rest(&mut session).await), ["ended Complete { cut_off: false }"]);
}

#[tokio::test]
async fn dropping_the_session_closes_the_upstream() {
    let harness = Harness::new([Script::answer().text("a").silence()]).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    next(&mut session).await;
    drop(session);
    in_time(harness.model.wait_for_left(1)).await;
    in_time(harness.model.wait_until_unconnected()).await;
}

/// Y-3: each request to the model, a repeated one too, is announced, and not made before whoever
/// polls asks for more.
#[tokio::test]
async fn a_request_is_made_only_if_it_is_allowed() {
    let scripts = [Script::failure(529), Script::answer().text("a").stop_reason("pause_turn")];
    let harness = Harness::with(scripts, |settings| settings.retry_delay_seconds = 0.001).await;
    let mut session = harness.open();
    session.begin(start([HistoryMessage::user("?")]));
    for requests in 0..3 {
        while any_next(&mut session).await != AgentEvent::CallsModel {}
        assert_eq!(harness.model.requests().len(), requests);
    }
    session.stop();
    assert_eq!(told(&rest(&mut session).await), ["ended Stopped"]);
    assert_eq!(harness.model.requests().len(), 2);
}
