//! Stories of turns as responses.

use insta::assert_snapshot;
use serde_json::{Map, to_string_pretty};

use super::*;
use crate::dialects::stories::{
    PROMPT, TURN, asks_about_call, asks_question, chunk, closed, done, error as fails, id, play,
    result, said, snapshot, start, thinking, tool,
};

fn dialect(form: Form, after: Option<u32>) -> Responses {
    let id_of = |n: u32| id(n);
    let about = About {
        id: ResponseId {
            turn: id_of(TURN).parse().unwrap(),
            after: after.map(|prompt| id_of(prompt).parse().unwrap()),
        },
        conversation: id_of(2).parse().unwrap(),
        model: "recipes".into(),
        label: "recipes".into(),
        page: "http://chat.example.org/c/1".into(),
        settings: Map::new(),
    };
    Responses::new(about, form)
}

/// The events of a stream: number, type, data. Of a response, its status and its items.
fn read(stream: &str) -> Vec<(u64, String, Value)> {
    let mut events = Vec::new();
    for event in stream.split("\n\n").filter(|event| !event.is_empty() && *event != "data: [DONE]")
    {
        let (kind, data) = event.split_once('\n').unwrap();
        let mut data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        let kind = kind.strip_prefix("event: ").unwrap().to_owned();
        assert_eq!(data["type"], kind);
        let fields = data.as_object_mut().unwrap();
        fields.remove("type");
        let number = fields.remove("sequence_number").unwrap().as_u64().unwrap();
        if let Some(response) = fields.remove("response") {
            let items = response["output"].as_array().unwrap();
            let items: Vec<&str> = items.iter().filter_map(|item| item["type"].as_str()).collect();
            fields.insert("response".into(), json!([response["status"], items]));
        }
        events.push((number, kind, data));
    }
    events
}

/// The events of a story, and the whole response, which is the same as the last event has.
fn told(after: Option<u32>, before: Vec<Value>, parts: Vec<Value>, end: &End) -> String {
    let stream = dialect(Form::Stream { after: None }, after);
    let (told, events) = play(stream, before.clone(), parts.clone(), end);
    assert!(events.ends_with("data: [DONE]\n\n"), "{events}");
    let (whole, written) = play(dialect(Form::Whole, after), before, parts, end);
    assert_eq!(written, "", "a whole response writes nothing");
    assert_eq!(whole.object(), told.object());
    let lines = read(&events).into_iter();
    let lines: Vec<String> = lines.map(|(n, kind, data)| format!("{n} {kind} {data}")).collect();
    let mut object = whole.object();
    let facts = &object["metadata"];
    let facts = format!("{facts}");
    let output = to_string_pretty(&object["output"].take()).unwrap();
    let (status, usage, error) = (&object["status"], &object["usage"], &object["error"]);
    format!("{}\n\n{status} {usage} {error}\n{facts}\n{output}", lines.join("\n"))
}

fn answer() -> (Vec<Value>, End) {
    let (done, end) = done(DoneReason::Complete);
    let parts = vec![
        start(),
        thinking(4, "Hm. "),
        thinking(4, "Well."),
        chunk(5, "I look"),
        chunk(5, ". "),
        said(5, "I look. "),
        tool("running"),
        tool("completed"),
        result("deleted", false),
        chunk(6, "Gone — "),
        chunk(6, "all of it."),
        said(6, "Gone — all of it."),
        done,
    ];
    (parts, end)
}

/// I-4: reasoning, texts and a tool of the server are items.
#[test]
fn an_answer_with_a_tool() {
    let (parts, end) = answer();
    assert_snapshot!(told(None, Vec::new(), parts, &end));
}

/// I-4: every field that strict readers want is there.
#[test]
fn the_whole_object() {
    let (done, end) = done(DoneReason::Complete);
    let (whole, _) =
        play(dialect(Form::Whole, None), Vec::new(), vec![start(), said(5, "Hello"), done], &end);
    assert_snapshot!(to_string_pretty(&whole.object()).unwrap());
}

/// I-4: an approval over two responses; the second begins with the call.
#[test]
fn an_approval_over_two_responses() {
    let mut parts = vec![start(), chunk(5, "I will. "), said(5, "I will. ")];
    parts.extend(asks_about_call("confirm"));
    let asked = told(None, Vec::new(), parts.clone(), &End::Waits(Vec::new()));
    let (done, end) = done(DoneReason::Complete);
    parts.push(closed("answered"));
    let rest =
        vec![tool("running"), tool("completed"), result("deleted", false), said(6, "Gone."), done];
    let rest = told(Some(PROMPT), parts, rest, &end);
    assert_snapshot!(format!("{asked}\n\n--- after the answer\n\n{rest}"));
}

/// I-4: a call that was refused is one that failed.
#[test]
fn a_refused_call() {
    let mut before = vec![start()];
    before.extend(asks_about_call("confirm"));
    before.push(closed("refused"));
    let (done, end) = done(DoneReason::Complete);
    let rest =
        vec![tool("denied"), result("The person refused.", true), said(6, "All right."), done];
    assert_snapshot!(told(Some(PROMPT), before, rest, &end));
}

/// I-4: a question is a text, and the metadata has the prompt.
#[test]
fn a_question() {
    let mut parts = vec![start()];
    parts.extend(asks_question());
    assert_snapshot!(told(None, Vec::new(), parts, &End::Waits(Vec::new())));
}

/// I-4: a call of the client's own tool is a function call.
#[test]
fn a_tool_of_the_client() {
    let mut parts = vec![start()];
    parts.extend(asks_about_call("client_call"));
    let asked = told(None, Vec::new(), parts.clone(), &End::Waits(Vec::new()));
    let (done, end) = done(DoneReason::Complete);
    parts.push(closed("answered"));
    let rest = vec![tool("completed"), result("two", false), said(6, "There are two."), done];
    let rest = told(Some(PROMPT), parts, rest, &end);
    assert_snapshot!(format!("{asked}\n\n--- after the result\n\n{rest}"));
}

/// I-4: a failure has its reason, a stop is a cancelled response.
#[test]
fn a_failure_and_a_stop() {
    let (failed, end) = done(DoneReason::Error);
    let mut parts = vec![start(), chunk(5, "Half"), said(5, "Half")];
    parts.extend(fails("The model is overloaded."));
    parts.push(failed);
    let failure = told(None, Vec::new(), parts, &end);
    let (stopped, end) = done(DoneReason::Stopped);
    let parts = vec![start(), chunk(5, "Half"), said(5, "Half"), stopped];
    let stop = told(None, Vec::new(), parts, &end);
    assert_snapshot!(format!("{failure}\n\n--- stopped\n\n{stop}"));
}

/// I-4: a text that has to be replaced ends with what it is.
#[test]
fn a_replaced_text() {
    let (done, end) = done(DoneReason::Complete);
    let parts = vec![start(), chunk(5, "Hello wor"), snapshot(5, "Hello"), said(5, "Hello"), done];
    assert_snapshot!(told(None, Vec::new(), parts.clone(), &end));
    // A client that lost its connection after the longer text still gets the end.
    for after in [12, u64::MAX] {
        let dialect = dialect(Form::Stream { after: Some(after) }, None);
        let (_, rest) = play(dialect, Vec::new(), parts.clone(), &end);
        assert_eq!(read(&rest).len(), 1, "{rest}");
    }
}

/// I-4: numbers do not depend on how the text was cut, nor on whether it streamed at all; and from
/// every number on, the rest is the same.
#[test]
fn a_stream_can_be_resumed_at_every_number() {
    let (parts, end) = answer();
    let stream = |after: Option<u64>, parts: &[Value]| {
        let dialect = dialect(Form::Stream { after }, None);
        read(&play(dialect, Vec::new(), parts.to_vec(), &end).1)
    };
    // As it is read from storage when the turn is over: no pieces of text.
    let stored: Vec<Value> =
        parts.iter().filter(|part| part["event"] != "chunk").cloned().collect();
    let joined = |events: &[(u64, String, Value)]| {
        let mut joined: Vec<(u64, String, Value)> = Vec::new();
        for (number, kind, data) in events {
            match joined.last_mut() {
                Some((last, last_kind, text)) if last_kind == kind && kind.ends_with("delta") => {
                    *last = *number;
                    let more = data["delta"].as_str().unwrap_or_default();
                    let all = format!("{}{more}", text["delta"].as_str().unwrap_or_default());
                    text["delta"] = json!(all);
                }
                _ => joined.push((*number, kind.clone(), data.clone())),
            }
        }
        joined
    };
    let live = stream(None, &parts);
    assert_eq!(joined(&live), joined(&stream(None, &stored)));
    // Whoever has the end and asks again gets the end again.
    for (at, (number, ..)) in live.iter().enumerate().take(live.len() - 1) {
        let rest = stream(Some(*number), &stored);
        let mut both = live[..=at].to_vec();
        both.extend(rest);
        assert_eq!(joined(&both), joined(&live), "after {number}");
    }
}
