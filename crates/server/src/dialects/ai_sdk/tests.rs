//! Golden stories: events of a turn in, the lines of its responses out. Where the versions of the
//! client differ, for each of them.

use serde_json::json;

use super::*;

const ALL: [Version; 3] = [Version::Five, Version::Six, Version::Seven];

/// An id of a story: a letter and a number.
fn id(kind: char, n: u8) -> String {
    format!("0198c5a2-7b1e-7cc0-8000-{:06x}{n:06x}", u32::from(kind))
}

fn event(name: &str, data: Value) -> Served<EventBody> {
    Served::relayed(serde_json::from_value(json!({"event": name, "data": data})).unwrap())
}

fn start() -> Served<EventBody> {
    event("start", json!({"conversation_id": id('c', 1), "turn_id": id('t', 1)}))
}

fn done() -> Served<EventBody> {
    let (conversation, turn) = (id('c', 1), id('t', 1));
    let data = json!({"conversation_id": conversation, "turn_id": turn, "tokens_used": 7,
        "reason": "complete"});
    event("done", data)
}

fn chunk(n: u8, text: &str) -> Served<EventBody> {
    event("chunk", json!({"text": text, "message_id": id('m', n)}))
}

fn thinking(n: u8, text: &str) -> Served<EventBody> {
    event("thinking", json!({"text": text, "message_id": id('m', n)}))
}

fn message(n: u8, role: &str, kind: &str, content: &str, data: Value) -> Served<EventBody> {
    let (conversation_id, turn_id) = (id('c', 1), id('t', 1));
    event(
        "message",
        json!({"id": id('m', n), "conversation_id": conversation_id, "turn_id": turn_id,
            "role": role, "message_type": kind, "content": content, "data": data,
            "metadata": {}, "created_at": 5}),
    )
}

fn said(n: u8, text: &str) -> Served<EventBody> {
    message(n, "assistant", "info", text, Value::Null)
}

fn tool_use(call: u8, status: &str, input: Value) -> Served<EventBody> {
    let mut data = json!({"tool": "cook", "call_id": id('a', call), "status": status});
    if !input.is_null() {
        data["input"] = input;
    }
    event("tool_use", data)
}

fn result(n: u8, call: u8, output: Value, is_error: bool) -> Served<EventBody> {
    let result =
        json!({"name": "cook", "call_id": id('a', call), "output": output, "is_error": is_error});
    message(n, "tool", "tool_result", "…", result)
}

fn prompt(kind: &str, more: Value) -> Value {
    let mut prompt = json!({"type": "userPrompt", "promptType": kind, "messageId": id('p', 1),
        "conversation_id": id('c', 1), "question": "May I?"});
    prompt.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    prompt
}

fn approval() -> Value {
    let call = json!({"name": "cook", "input": {"dish": "soup"}});
    prompt("confirm", json!({"toolCall": call, "call_id": id('a', 1)}))
}

fn asks(prompt: &Value) -> Served<EventBody> {
    event("userPrompt", prompt.clone())
}

fn closes(outcome: &str, response: Value) -> Served<EventBody> {
    let mut closed = json!({"messageId": id('p', 1), "outcome": outcome, "at": 9});
    if !response.is_null() {
        closed["response"] = response;
    }
    event("userPromptClosed", closed)
}

fn dialect(version: Version) -> AiSdk {
    AiSdk::new(version, id('c', 1).parse().unwrap(), id('t', 1).parse().unwrap())
}

/// A response that continues the message of the first, with what that has.
fn continuing(version: Version, holds: &[String]) -> AiSdk {
    let after = id('p', 1).parse().unwrap();
    dialect(version).continuing(Continued { message: "msg-1".into(), holds: holds.into(), after })
}

fn complete() -> End {
    End::Done { reason: DoneReason::Complete, tokens_used: Some(7), open: Vec::new() }
}

/// Encodes a response.
fn response(
    mut dialect: AiSdk,
    earlier: &[Served<EventBody>],
    events: &[Served<EventBody>],
    open: &[&Value],
    end: &End,
) -> String {
    let mut to = BytesMut::new();
    for event in earlier {
        dialect.earlier(event);
    }
    dialect.begin(&mut to);
    for event in events {
        dialect.event(event, &mut to);
    }
    let open: Vec<UserPrompt> =
        open.iter().map(|prompt| serde_json::from_value((*prompt).clone()).unwrap()).collect();
    dialect.end_text(&mut to);
    dialect.ask(&open.iter().collect::<Vec<_>>(), &mut to);
    dialect.end(end, &mut to);
    short(&to)
}

/// The lines, with short ids.
fn short(to: &BytesMut) -> String {
    let mut text = String::from_utf8(to.to_vec()).unwrap().replace("\n\n", "\n");
    for kind in ['c', 't', 'm', 'a', 'p'] {
        for n in 0..10 {
            text = text.replace(&id(kind, n), &format!("{kind}{n}"));
        }
    }
    text.replace("data: ", "")
}

/// The same story for these versions, one after the other.
fn each(versions: &[Version], story: impl Fn(Version) -> Vec<String>) -> String {
    let told = versions.iter().map(|version| {
        let responses = story(*version).join("--- the next response\n");
        format!("=== {version:?}\n{responses}")
    });
    told.collect::<Vec<_>>().join("\n")
}

/// I-2: reasoning, text, a tool that runs, the next step.
#[test]
fn a_tool_that_runs() {
    let progress = json!({"tool": "cook", "call_id": id('a', 1), "status": "running",
        "progress": {"done": 1.0, "total": 2.0}});
    let events = [
        start(),
        thinking(1, "Hm."),
        message(1, "assistant", "thinking", "Hm.", Value::Null),
        chunk(2, "I "),
        chunk(2, "cook."),
        said(2, "I cook."),
        tool_use(1, "running", json!({"dish": "soup"})),
        event("tool_use", progress),
        tool_use(1, "completed", Value::Null),
        result(3, 1, json!({"ok": true}), false),
        event("artifact", json!({"kind": "recipe", "id": "r1"})),
        event("artifact", json!({"kind": "chart", "id": "x1"})),
        chunk(4, "Done."),
        said(4, "Done."),
        done(),
    ];
    insta::assert_snapshot!(response(dialect(Version::Six), &[], &events, &[], &complete()));
}

/// I-2, I-3: an approval, answered in the next response; told again from the beginning, it is the
/// same without the question.
#[test]
fn an_approval() {
    let first = [start(), chunk(1, "I cook."), said(1, "I cook."), asks(&approval())];
    let yes = [
        closes("answered", json!("yes")),
        tool_use(1, "running", json!({"dish": "soup"})),
        tool_use(1, "completed", Value::Null),
        result(2, 1, json!("hot"), false),
        chunk(3, "Eat."),
    ];
    let no = [
        closes("refused", json!("no")),
        tool_use(1, "denied", Value::Null),
        result(2, 1, json!("The person refused."), true),
        chunk(3, "Pity."),
    ];
    let holds = [id('a', 1), id('p', 1)];
    let told = each(&ALL, |version| {
        let mut responses =
            vec![response(dialect(version), &[], &first, &[&approval()], &End::Waits(Vec::new()))];
        for answer in [&yes[..], &no[..]] {
            let earlier: Vec<_> = first.iter().chain(&answer[..1]).cloned().collect();
            let next = continuing(version, &holds);
            responses.push(response(next, &earlier, &answer[1..], &[], &complete()));
        }
        let all: Vec<_> = first.iter().chain(&no).cloned().collect();
        responses.push(response(dialect(version), &[], &all, &[], &complete()));
        responses
    });
    insta::assert_snapshot!(told);
}

/// I-2: a question without a turn that waits, answered; its answer begins the next turn.
#[test]
fn a_question() {
    let options = json!([{"label": "Soup", "value": "soup"}, {"label": "Cake", "value": "cake"}]);
    let asked = prompt("select", json!({"question": "Which?", "options": options}));
    let first = [start(), message(1, "assistant", "question", "Which?", Value::Null), asks(&asked)];
    let earlier: Vec<_> = first.iter().cloned().chain([done(), start()]).collect();
    let told = each(&[Version::Six], |version| {
        let closed = closes("answered", json!("soup"));
        let earlier: Vec<_> = earlier.iter().cloned().chain([closed]).collect();
        let next = continuing(version, &[id('p', 1)]);
        vec![
            response(dialect(version), &[], &first, &[&asked], &complete()),
            response(next, &earlier, &[chunk(3, "Soup it is.")], &[], &complete()),
        ]
    });
    insta::assert_snapshot!(told);
}

/// I-2: a plan is approved, on 5 answered.
#[test]
fn a_plan() {
    let plan = json!({"goal": "Dinner",
        "steps": [{"step_number": 1, "action": "Cook", "reason": "Hunger"}]});
    let asked = prompt("plan", json!({"plan": plan}));
    let shown = message(1, "assistant", "plan", "1. Cook", plan.clone());
    let told = each(&ALL, |version| {
        let first = [start(), shown.clone(), asks(&asked)];
        let earlier: Vec<_> =
            first.iter().cloned().chain([closes("answered", json!("execute"))]).collect();
        let next = continuing(version, &[id('p', 1)]);
        vec![
            response(dialect(version), &[], &first, &[&asked], &End::Waits(Vec::new())),
            response(next, &earlier, &[chunk(2, "I begin.")], &[], &complete()),
        ]
    });
    insta::assert_snapshot!(told);
}

/// I-2, I-4: the client's own tool; told again, with the result that the client gave.
#[test]
fn a_tool_of_the_client() {
    let call = json!({"name": "cook", "input": {"dish": "soup"}});
    let asked = prompt("client_call", json!({"toolCall": call, "call_id": id('a', 1)}));
    let first = [start(), chunk(1, "I ask your app."), asks(&asked)];
    let rest = [
        closes("answered", Value::Null),
        tool_use(1, "completed", Value::Null),
        result(2, 1, json!("hot"), false),
        chunk(3, "Eat."),
    ];
    let all: Vec<_> = first.iter().chain(&rest).cloned().collect();
    let earlier: Vec<_> = first.iter().chain(&rest[..1]).cloned().collect();
    let told = each(&[Version::Six], |version| {
        let next = continuing(version, &[id('p', 1)]);
        vec![
            response(dialect(version), &[], &first, &[&asked], &End::Waits(Vec::new())),
            response(next, &earlier, &rest[1..], &[], &complete()),
            response(dialect(version), &[], &all, &[], &complete()),
        ]
    });
    insta::assert_snapshot!(told);
}

/// I-2: what fails, is stopped, or is not there any more.
#[test]
fn other_ends() {
    let half = [start(), chunk(1, "Half")];
    let failure = json!({"message": "The model is down.", "code": "agent_failed",
        "recoverable": true});
    let failed = [start(), chunk(1, "Half"), event("error", failure)];
    let ended = |reason| End::Done { reason, tokens_used: None, open: Vec::new() };
    let told = [
        response(dialect(Version::Six), &[], &failed, &[], &ended(DoneReason::Error)),
        response(dialect(Version::Six), &[], &half, &[], &ended(DoneReason::Interrupted)),
        response(dialect(Version::Six), &[], &half, &[], &ended(DoneReason::Stopped)),
        response(dialect(Version::Six), &[], &half, &[], &End::Lost),
        response(continuing(Version::Six, &[]), &half, &[], &[], &End::Nothing),
    ];
    insta::assert_snapshot!(told.join("--- another\n"));
}

/// I-2: text that is withdrawn. 7 takes the step back; 5 and 6 get the right text after it.
#[test]
fn text_that_is_replaced() {
    let told = each(&[Version::Six, Version::Seven], |version| {
        let events = [
            start(),
            thinking(1, "Hm."),
            chunk(2, "The key is 12"),
            event("snapshot", json!({"text": "The key", "message_id": id('m', 2)})),
            chunk(2, " is secret."),
            said(2, "The key is masked."),
            chunk(3, "More."),
        ];
        vec![response(dialect(version), &[], &events, &[], &complete())]
    });
    insta::assert_snapshot!(told);
}

/// I-2: what happened while the client was asked is told with the answer: the result of a call
/// that ran meanwhile, and a call that the configuration refused.
#[test]
fn what_happened_while_the_client_was_asked() {
    let other = tool_use(2, "running", json!({}));
    let first = [start(), other, asks(&approval())];
    let asked =
        response(dialect(Version::Six), &[], &first, &[&approval()], &End::Waits(Vec::new()));
    let meanwhile = [
        tool_use(2, "completed", Value::Null),
        result(2, 2, json!("warm"), false),
        tool_use(3, "denied", Value::Null),
        result(3, 3, json!("Not allowed here."), true),
        closes("answered", json!("yes")),
    ];
    let earlier: Vec<_> = first.iter().chain(&meanwhile).cloned().collect();
    let holds = [id('a', 1), id('a', 2), id('p', 1)];
    let next = continuing(Version::Six, &holds);
    let rest = response(next, &earlier, &[result(4, 1, json!("hot"), false)], &[], &complete());
    insta::assert_snapshot!(format!("{asked}--- the next response\n{rest}"));
}

/// I-3: a message while something is asked gets it again, under ids of its own, and the answer is
/// told under these.
#[test]
fn asked_again() {
    let mut to = BytesMut::new();
    let again = dialect(Version::Six).again("b2");
    let asked = response(again, &[], &[], &[&approval()], &End::Waits(Vec::new()));
    let earlier = [start(), asks(&approval()), closes("answered", json!("yes"))];
    let holds = [format!("{}~b2", id('a', 1)), format!("{}~b2", id('p', 1))];
    let next = continuing(Version::Six, &holds);
    let rest = response(next, &earlier, &[result(2, 1, json!("hot"), false)], &[], &complete());
    insta::assert_snapshot!(format!("{asked}--- the next response\n{rest}"));
    dialect(Version::Six).keep_alive(&mut to);
    assert_eq!(to, ": keep-alive\n\n");
}
