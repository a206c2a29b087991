//! Each violation is found, and a good run has none.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::event::{Body, Event, Message, Prompt};
use crate::evidence::{Acknowledged, Answer, AnswerResult, Said};
use crate::plan::Plan;
use crate::seen::Seen;
use crate::stored::StoredPrompt;
use crate::violation::Kind;

const TEXT: &str = "soak m0-0: 2x1 note 0, 1x1";

fn plan() -> Plan {
    TEXT.parse().unwrap()
}

fn message(id: &str, role: &str, content: &str) -> Message {
    let (id, role, content) = (id.into(), role.into(), content.into());
    Message { id, turn: "t".into(), role, kind: "info".into(), content, code: String::new() }
}

fn prompt() -> Prompt {
    let arguments = Some(json!({"text": plan().argument(0, "note")}));
    Prompt { id: "p".into(), kind: "confirm".into(), arguments }
}

/// A turn with one approved call, as everybody saw it.
fn good() -> Case {
    let answer = message("a2", "assistant", &plan().text(1));
    let noted = message("r", "tool", &format!("noted {}", plan().argument(0, "note")));
    let messages = vec![
        message("u", "user", TEXT),
        message("a1", "assistant", &plan().text(0)),
        noted,
        answer,
    ];
    let start = Body::Start { conversation: "c".into(), turn: "t".into(), message: "u".into() };
    let closed = Body::PromptClosed { prompt: "p".into(), outcome: "answered".into() };
    let done = Body::Done { turn: "t".into(), reason: "complete".into() };
    let mut bodies = vec![start, Body::Prompt(prompt()), closed];
    bodies.extend(messages.iter().cloned().map(Body::Message));
    bodies.push(done);
    let log: Vec<Event> = (1..).zip(bodies).map(|(seq, body)| event(seq, body)).collect();
    let mut seen = Seen::new("reader", "c", 0);
    log.iter().for_each(|event| seen.take(event, true));
    seen.stayed = true;
    let acknowledged =
        Acknowledged { conversation: "c".into(), turn: "t".into(), message: "u".into() };
    let said = Said { text: TEXT.into(), acknowledged: Some(acknowledged) };
    let evidence = Evidence {
        said: [("m0-0".to_owned(), said)].into(),
        answers: vec![accepted("yes")],
        readers: vec![seen],
        stops: vec![Duration::from_millis(20)],
        ..Evidence::default()
    };
    let answered =
        StoredPrompt { prompt: prompt(), status: "answered".into(), response: json!("yes") };
    let stored = Stored { id: "c".into(), running: false, messages, prompts: vec![answered], log };
    Case { evidence, stored: vec![stored], calls: vec![call(&plan().argument(0, "note"), "run")] }
}

fn event(seq: u64, body: Body) -> Event {
    Event { at: seq.to_string().parse().ok(), body }
}

fn accepted(response: &str) -> Answer {
    Answer {
        prompt: "p".into(),
        client: "person".into(),
        response: json!(response),
        result: AnswerResult::Accepted("answered".into()),
    }
}

fn call(text: &str, run: &str) -> Call {
    Call { tool: "note".into(), text: text.into(), run: run.into() }
}

/// The kinds that are found after something was changed in a good run.
fn found(change: impl FnOnce(&mut Case)) -> Vec<Kind> {
    let mut case = good();
    change(&mut case);
    let mut kinds: Vec<Kind> = check(&case).into_iter().map(|violation| violation.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_good_run_is_good() {
    assert_eq!(check(&good()), []);
}

#[test]
fn a_message_that_was_never_acknowledged_may_be_there_or_not() {
    let unsaid = |case: &mut Case| {
        let said = Said { text: "soak m0-9: 1x1".into(), acknowledged: None };
        case.evidence.said.insert("m0-9".into(), said);
    };
    assert_eq!(found(unsaid), []);
    assert_eq!(found(|case| case.evidence.said.get_mut("m0-0").unwrap().acknowledged = None), []);
}

#[test]
fn a_lost_message_is_found() {
    let kinds = found(|case| drop(case.stored[0].messages.remove(0)));
    assert_eq!(kinds, [Kind::MessageLost]);
    // There, but under another id than was acknowledged.
    let kinds = found(|case| case.stored[0].messages[0].id = "other".into());
    assert_eq!(kinds, [Kind::MessageLost]);
}

#[test]
fn a_doubled_message_is_found() {
    let again = |case: &mut Case| {
        let again = Message { turn: "t2".into(), ..case.stored[0].messages[0].clone() };
        case.stored[0].messages.push(again);
    };
    assert_eq!(found(again), [Kind::MessageTwice]);
}

#[test]
fn a_made_up_message_is_found() {
    let more = |case: &mut Case| {
        let more = Message { turn: "t2".into(), ..message("x", "user", "soak m7-7: 1x1") };
        case.stored[0].messages.push(more);
    };
    assert_eq!(found(more), [Kind::MessageMadeUp]);
}

#[test]
fn a_missed_event_is_found() {
    assert_eq!(
        found(|case| assert!(case.evidence.readers[0].durable.remove(&3).is_some())),
        [Kind::EventMissed]
    );
}

#[test]
fn an_event_at_the_end_is_missed_by_who_stayed_only() {
    let leave = |case: &mut Case, stayed: bool| {
        let reader = &mut case.evidence.readers[0];
        reader.durable.pop_last();
        (reader.last.seq, reader.stayed) = (reader.last.seq - 1, stayed);
    };
    assert_eq!(found(|case| leave(case, true)), [Kind::EventMissed]);
    assert_eq!(found(|case| leave(case, false)), []);
}

#[test]
fn a_changed_event_is_found() {
    let change = |case: &mut Case| {
        case.evidence.readers[0].durable.insert(3, 77);
    };
    assert_eq!(found(change), [Kind::EventChanged]);
    let not_stored = |case: &mut Case| {
        case.evidence.readers[0].durable.insert(99, 77);
    };
    assert_eq!(found(not_stored), [Kind::EventChanged]);
}

#[test]
fn what_readers_complain_about_is_passed_on() {
    let complain = |case: &mut Case| {
        case.evidence.readers[0].violations.push(Kind::TextGap.because("x"));
    };
    assert_eq!(found(complain), [Kind::TextGap]);
}

#[test]
fn a_text_that_the_model_did_not_say_is_found() {
    let whole = plan().text(0);
    for wrong in [&whole[1..], &whole[..whole.len() - 1], &(whole.clone() + &whole), ""] {
        let change = |case: &mut Case| case.stored[0].messages[1].content = wrong.into();
        assert_eq!(found(change), [Kind::TextWrong], "{wrong}");
    }
    let missing = |case: &mut Case| drop(case.stored[0].messages.pop());
    assert_eq!(found(missing), [Kind::TextWrong]);
}

#[test]
fn an_interrupted_turn_may_end_in_the_middle() {
    let interrupt = |case: &mut Case| {
        let stored = &mut case.stored[0];
        stored.messages[3].content.truncate(5);
        let done = Body::Done { turn: "t".into(), reason: "interrupted".into() };
        stored.log.last_mut().unwrap().body = done;
        case.evidence.readers.clear();
    };
    assert_eq!(found(interrupt), []);
    let in_between = |case: &mut Case| {
        interrupt(case);
        case.stored[0].messages[1].content.truncate(5);
    };
    assert_eq!(found(in_between), [Kind::TextWrong]);
}

#[test]
fn a_stuck_turn_is_found() {
    assert_eq!(found(|case| case.stored[0].running = true), [Kind::TurnStuck]);
}

#[test]
fn a_turn_without_one_end_is_found() {
    let without = |case: &mut Case| {
        case.stored[0].log.pop();
        case.evidence.readers.clear();
    };
    // Without the end it is not complete either, and its text may be anything.
    assert_eq!(found(without), [Kind::TurnEnds]);
    let twice = |case: &mut Case| {
        let done = case.stored[0].log.last().unwrap().clone();
        case.stored[0].log.push(done);
    };
    assert_eq!(found(twice), [Kind::TurnEnds]);
    let begins_twice = |case: &mut Case| {
        let start = case.stored[0].log[0].clone();
        case.stored[0].log.insert(1, start);
    };
    assert_eq!(found(begins_twice), [Kind::TurnEnds]);
}

#[test]
fn a_stuck_prompt_is_found() {
    let open = |case: &mut Case| {
        case.stored[0].prompts[0].status = "open".into();
        (case.evidence.answers, case.calls) = (Vec::new(), Vec::new());
        case.stored[0].messages.remove(2);
    };
    assert_eq!(found(open), [Kind::PromptStuck]);
    let unclosed = |case: &mut Case| {
        case.stored[0].log.remove(2);
        case.evidence.readers.clear();
    };
    assert_eq!(found(unclosed), [Kind::PromptStuck]);
    let unknown = |case: &mut Case| {
        case.stored[0].prompts[0].prompt.id = "other".into();
        case.evidence.answers.clear();
    };
    assert_eq!(found(unknown), [Kind::PromptStuck]);
}

#[test]
fn a_lost_answer_is_found() {
    let refused = |case: &mut Case| case.stored[0].prompts[0].response = json!("no");
    assert_eq!(found(refused), [Kind::AnswerLost, Kind::CallWithoutConsent]);
    let expired = |case: &mut Case| case.stored[0].prompts[0].status = "expired".into();
    assert_eq!(found(expired), [Kind::AnswerLost, Kind::CallWithoutConsent]);
}

#[test]
fn two_accepted_answers_are_found() {
    assert_eq!(found(|case| case.evidence.answers.push(accepted("yes"))), [Kind::AnswerTwice]);
}

#[test]
fn a_call_that_was_made_twice_is_found() {
    let text = plan().argument(0, "note");
    let again = |case: &mut Case| case.calls.push(call(&text, "another run"));
    assert_eq!(found(again), [Kind::CallTwice]);
    let edited = |case: &mut Case| case.calls.push(call(&format!("{text}-edited"), "another run"));
    assert_eq!(found(edited), [Kind::CallTwice]);
    let same_run = |case: &mut Case| {
        let other = Call { tool: "jot".into(), ..call("other", "run") };
        case.calls.push(other);
    };
    assert_eq!(found(same_run), [Kind::CallTwice]);
}

#[test]
fn a_call_without_consent_is_found() {
    let more = |case: &mut Case| case.calls.push(call("m9-9.0-note", "another run"));
    assert_eq!(found(more), [Kind::CallWithoutConsent]);
}

#[test]
fn a_made_up_result_is_found() {
    assert_eq!(found(|case| case.calls.clear()), [Kind::ResultMadeUp]);
}

#[test]
fn a_slow_stop_is_found() {
    let slow = |case: &mut Case| case.evidence.stops = vec![Duration::from_millis(1_200)];
    assert_eq!(found(slow), [Kind::StopSlow]);
    let hundred: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
    assert_eq!(percentile(&hundred, 99), Some(Duration::from_millis(99)));
}
