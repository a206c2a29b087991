//! Stories of turns as chat completions.

use insta::assert_snapshot;
use serde_json::to_string_pretty;

use super::*;
use crate::dialects::stories::{
    TURN, asks_about_call, asks_question, chunk, closed, done, error as fails, id, play, result,
    said, snapshot, start, thinking, tool,
};

const PAGE: &str = "http://chat.example.org/c/1";

fn dialect(form: Form) -> ChatCompletions {
    ChatCompletions::new(id(TURN).parse().unwrap(), "recipes".into(), PAGE.into(), form)
}

/// The chunks of a story without what is the same in all of them, then the whole completion.
fn told(before: Vec<Value>, parts: Vec<Value>, end: &End) -> String {
    let stream = dialect(Form::Stream { with_usage: true });
    let (_, chunks) = play(stream, before.clone(), parts.clone(), end);
    let mut lines = Vec::new();
    for line in chunks.split("\n\n").filter(|line| !line.is_empty()) {
        let data = line.strip_prefix("data: ").unwrap();
        let Ok(mut chunk) = serde_json::from_str::<Value>(data) else {
            lines.push(data.to_owned());
            continue;
        };
        if chunk.get("error").is_none() {
            assert_eq!(chunk["object"], "chat.completion.chunk");
            assert_eq!(chunk["id"], format!("chatcmpl-{}", id(TURN)));
        }
        for same in ["object", "id", "created", "model"] {
            chunk.as_object_mut().unwrap().remove(same);
        }
        lines.push(chunk.to_string());
    }
    let (whole, written) = play(dialect(Form::Whole), before, parts, end);
    assert_eq!(written, "", "a whole completion writes nothing before its end");
    let whole = match whole.whole() {
        Ok(whole) => to_string_pretty(&whole).unwrap(),
        Err(failure) => format!("{failure:?}"),
    };
    format!("{}\n\n{whole}", lines.join("\n"))
}

/// I-3: reasoning, texts and a tool of the server are one completion.
#[test]
fn an_answer_with_a_tool() {
    let (done, end) = done(DoneReason::Complete);
    let parts = vec![
        start(),
        thinking(4, "Hm. "),
        chunk(5, "I look"),
        chunk(5, ". "),
        said(5, "I look. "),
        tool("running"),
        tool("completed"),
        result("deleted", false),
        chunk(6, "Gone."),
        said(6, "Gone."),
        done,
    ];
    assert_snapshot!(told(Vec::new(), parts, &end));
}

/// I-3: an approval ends the completion with a text, and is no tool call.
#[test]
fn an_approval() {
    let mut parts = vec![start(), chunk(5, "I will."), said(5, "I will.")];
    parts.extend(asks_about_call("confirm"));
    assert_snapshot!(told(Vec::new(), parts, &End::Waits(Vec::new())));
}

/// I-3: a question is told with its options.
#[test]
fn a_question() {
    let mut parts = vec![start()];
    parts.extend(asks_question());
    assert_snapshot!(told(Vec::new(), parts, &End::Waits(Vec::new())));
}

/// I-3: a call of the client's own tool is a tool call; its result begins the next completion.
#[test]
fn a_tool_of_the_client() {
    let mut parts = vec![start()];
    parts.extend(asks_about_call("client_call"));
    let asked = told(Vec::new(), parts.clone(), &End::Waits(Vec::new()));
    let (done, end) = done(DoneReason::Complete);
    parts.push(closed("answered"));
    let rest = vec![tool("completed"), result("two", false), said(6, "There are two."), done];
    assert_snapshot!(format!("{asked}\n\n--- after the result\n\n{}", told(parts, rest, &end)));
}

/// I-3: a failure is an error in the stream, or of the whole request.
#[test]
fn a_failure() {
    let (done, end) = done(DoneReason::Error);
    let mut parts = vec![start(), chunk(5, "Half"), said(5, "Half")];
    parts.extend(fails("The model is overloaded."));
    parts.push(done);
    assert_snapshot!(told(Vec::new(), parts, &end));
}

/// I-3: a turn that was stopped is a completion with what was said.
#[test]
fn a_stopped_turn() {
    let (done, end) = done(DoneReason::Stopped);
    let parts = vec![start(), chunk(5, "Half"), said(5, "Half"), done];
    assert_snapshot!(told(Vec::new(), parts, &end));
}

/// I-3: a text that has to be replaced: a stream says by what, a whole completion has only that.
#[test]
fn a_replaced_text() {
    let (done, end) = done(DoneReason::Complete);
    let parts = vec![start(), chunk(5, "Hello wor"), snapshot(5, "Hello"), said(5, "Hello"), done];
    assert_snapshot!(told(Vec::new(), parts, &end));
}
