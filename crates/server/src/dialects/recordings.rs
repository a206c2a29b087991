//! The recordings of whole conversations (`web/tests/recordings`), which the server wrote as
//! server-sent events, told by the dialects of external clients.
//!
//! A recording is cut into responses as a client would get them: a response ends when the turn ends
//! or waits for an answer, and the next one begins after the answer.

use std::path::{Path, PathBuf};

use bytes::BytesMut;
use insta::assert_snapshot;
use parlor_protocol::{EventBody, PromptId, PromptStatus, Role, Timestamp, metadata};
use parlor_storage::{PromptView, Served};
use serde_json::{Map, Value, json};

use super::agui::{AgUi, Version};
use super::ai_sdk::{self, AiSdk};
use super::chat_completions::{self, ChatCompletions};
use super::responses::{self, About, ResponseId, Responses};
use super::turn_dialect::{End, TurnDialect};

type Events = Vec<Served<EventBody>>;

/// One response: what came before it, its events, its end.
struct Response {
    before: Events,
    events: Events,
    end: End,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/recordings")
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn events(name: &str) -> Events {
    let text = std::fs::read_to_string(folder().join(name).with_extension("jsonl")).unwrap();
    let event = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["event"] == "recipe_artifact" {
            let id = line["data"]["recipe_id"].clone();
            line = json!({"event": "artifact", "data": {"kind": "recipe", "id": id}});
        }
        Served::relayed(serde_json::from_value(line).unwrap())
    };
    text.lines().map(event).collect()
}

fn open(prompt: Served<parlor_protocol::UserPrompt>, turn_waits: bool) -> PromptView {
    PromptView {
        prompt,
        status: PromptStatus::Open,
        origin: "agent".into(),
        turn_waits,
        unseen: false,
        opened_at: Timestamp(0),
        closed: None,
    }
}

/// Cuts a recording into responses.
fn responses_of(name: &str) -> Vec<Response> {
    let all = events(name);
    let (mut responses, mut begins, mut asked) = (Vec::new(), 0, None);
    for (at, event) in all.iter().enumerate() {
        let part = |end: End| Response {
            before: all[..begins].to_vec(),
            events: all[begins..=at].to_vec(),
            end,
        };
        match event.get() {
            EventBody::UserPrompt(prompt) => {
                asked = event.prompt();
                if waits(&all[at..], prompt.id) {
                    let open = asked.take().map(|prompt| open(prompt, true));
                    responses.push(part(End::Waits(open.into_iter().collect())));
                    begins = at + 1;
                }
            }
            // Before its end nothing is shown of the next response.
            EventBody::UserPromptClosed(_) if !responses.is_empty() => begins = at + 1,
            EventBody::Done { reason, tokens_used, .. } => {
                let (reason, tokens_used) = (*reason, *tokens_used);
                let open = asked.take().map(|prompt| open(prompt, false)).into_iter().collect();
                responses.push(part(End::Done { reason, tokens_used, open }));
                begins = at + 1;
            }
            _ => {}
        }
    }
    responses
}

/// Whether the turn waits for a prompt: its end comes before the end of the turn.
fn waits(after: &[Served<EventBody>], id: PromptId) -> bool {
    let ends = |event: &&Served<EventBody>| match event.get() {
        EventBody::UserPromptClosed(closed) => closed.id == id,
        EventBody::Done { .. } => true,
        _ => false,
    };
    let end = after.iter().find(ends).map(Served::get);
    matches!(end, Some(EventBody::UserPromptClosed(_)))
}

fn told(mut dialect: impl TurnDialect, response: &Response) -> String {
    let mut to = BytesMut::new();
    response.before.iter().for_each(|event| dialect.earlier(event));
    dialect.begin(&mut to);
    for event in &response.events {
        dialect.event(event, &mut to);
    }
    dialect.end(&response.end, &mut to);
    String::from_utf8(to.to_vec()).unwrap()
}

fn agui() -> AgUi {
    AgUi::new("thread".into(), "run".into(), Version::One)
}

fn id(n: u32) -> String {
    format!("0198c5a2-7b1e-7cc0-8000-{n:012}")
}

/// A response in every dialect: the name, and all that was written.
fn in_every_dialect(response: &Response) -> Vec<(&'static str, String)> {
    let (conversation, turn) = (id(1).parse().unwrap(), id(2).parse().unwrap());
    let page = "http://chat.example.org/c/1".to_owned();
    let completion = chat_completions::Form::Stream { with_usage: true };
    let about = About {
        id: ResponseId { turn, after: None },
        conversation,
        model: "recipes".into(),
        label: "recipes".into(),
        page: page.clone(),
        settings: Map::new(),
    };
    let five = AiSdk::new(ai_sdk::Version::Five, conversation, turn);
    let six = AiSdk::new(ai_sdk::Version::Six, conversation, turn);
    let seven = AiSdk::new(ai_sdk::Version::Seven, conversation, turn);
    let chat = ChatCompletions::new(turn, "recipes".into(), page, completion);
    let whole = Responses::new(about, responses::Form::Stream { after: None });
    vec![
        ("AG-UI", told(agui(), response)),
        ("AI SDK 5", told(five, response)),
        ("AI SDK 6", told(six, response)),
        ("AI SDK 7", told(seven, response)),
        ("chat completions", told(chat, response)),
        ("Responses", told(whole, response)),
    ]
}

/// The text that a client of any of these protocols puts together.
fn shown(written: &str) -> String {
    let data = written.lines().filter_map(|line| line.strip_prefix("data: "));
    let pieces = data.filter_map(|data| {
        let data: Value = serde_json::from_str(data).ok()?;
        let is_text = matches!(
            data["type"].as_str(),
            Some("TEXT_MESSAGE_CONTENT" | "text-delta" | "response.output_text.delta")
        );
        let delta = data["delta"].as_str().filter(|_| is_text);
        let content = data["choices"][0]["delta"]["content"].as_str();
        delta.or(content).map(str::to_owned)
    });
    pieces.collect()
}

/// I-1 to I-4: every text of the log reaches the client, in every dialect, once.
#[test]
fn nothing_that_was_said_is_left_out() {
    for name in names() {
        for response in responses_of(&name) {
            let said: Vec<&str> = response
                .events
                .iter()
                .filter_map(|event| match event.get() {
                    EventBody::Message(message) if message.role == Role::Assistant => Some(message),
                    _ => None,
                })
                .filter(|message| matches!(message.message_type.as_str(), "text" | "info"))
                // What takes the place of a text is told in another way.
                .filter(|message| metadata::WITHHELD.get(&message.metadata).is_none())
                .map(|message| message.content.as_str())
                .collect();
            let replaces =
                |event: &Served<EventBody>| matches!(event.get(), EventBody::Snapshot { .. });
            let is_replaced = response.events.iter().any(replaces);
            for (dialect, written) in in_every_dialect(&response) {
                let text = shown(&written);
                for said in &said {
                    let times = text.matches(said.trim_end()).count();
                    // Some protocols can only say the right text after the wrong one.
                    let is_told = times == 1 || is_replaced && times > 0;
                    assert!(is_told, "{name}, {dialect}: {said:?} in {text:?}");
                }
                assert!(!written.contains("null,\"delta\""), "{name}, {dialect}");
            }
        }
    }
}

/// I-1: what is begun is ended, as the verifier of the official client wants it.
#[test]
fn a_run_of_ag_ui_is_well_formed() {
    for name in names() {
        for response in responses_of(&name) {
            let written = told(agui(), &response);
            let mut open: Vec<String> = Vec::new();
            let events: Vec<Value> = written
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .map(|data| serde_json::from_str(data).unwrap())
                .collect();
            assert_eq!(events[0]["type"], "RUN_STARTED", "{name}");
            let last = events.last().unwrap()["type"].as_str().unwrap();
            assert!(matches!(last, "RUN_FINISHED" | "RUN_ERROR"), "{name}: {last}");
            for event in &events {
                let kind = event["type"].as_str().unwrap();
                let key = event["messageId"].as_str().or(event["toolCallId"].as_str());
                let key = key.unwrap_or_default();
                if let Some(what) = kind.strip_suffix("_START") {
                    open.push(format!("{what} {key}"));
                } else if let Some(what) = kind.strip_suffix("_END") {
                    let at = open.iter().position(|open| *open == format!("{what} {key}"));
                    open.remove(at.unwrap_or_else(|| panic!("{name}: {kind} without its start")));
                }
            }
            assert!(open.is_empty(), "{name}: {open:?}");
        }
    }
}

/// I-1: golden stories, one line for each event.
#[test]
fn stories_in_ag_ui() {
    for name in
        ["approval", "approval_refused", "client_call", "plan", "recipe", "question", "error"]
    {
        let told: Vec<String> = responses_of(name).iter().map(|part| told(agui(), part)).collect();
        let lines = told.join("\n--- the next run\n").replace("\n\n", "\n");
        assert_snapshot!(format!("agui_{name}"), lines);
    }
}
