//! Lines of an agent that speaks the Agent Client Protocol, and a person who answers each
//! question.

use std::sync::Arc;

use parlor_agent::{AgentEvent, Answer, HistoryMessage, Reply, TurnContext};
use parlor_programs::acp::{Dialog, DialogSettings, ToolLists, Wanted};
use parlor_programs::bridge::fuzz::message;
use parlor_programs::{Dialect as _, Output};
use parlor_protocol::Mode;
use serde_json::{Map, json};
use uuid::Uuid;

/// A question is answered once, and nothing waits any more after the turn was given up.
pub fn run(data: &[u8]) {
    for mode in [Mode::Act, Mode::Plan] {
        let mut dialog = started(mode);
        for (number, line) in data.split(|byte| *byte == b'\n').enumerate() {
            match message(line) {
                Ok(Some(line)) => {
                    let mut out = Vec::new();
                    dialog.read(&line, &mut out);
                    out.into_iter().for_each(|output| answer(&mut dialog, output, number));
                }
                Ok(None) => dialog.release(&mut Vec::new()),
                // As the bridge does.
                Err(_) => break,
            }
        }
        dialog.give_up(&mut Vec::new());
        assert!(!dialog.waits_for_person() && !dialog.is_busy());
    }
}

fn started(mode: Mode) -> Dialog {
    let mut dialog = Dialog::new(DialogSettings {
        process: Uuid::nil(),
        working_dir: "/work".to_owned(),
        working_dir_content: parlor_protocol::Content::Own,
        wanted: Wanted::default(),
        session_meta: Map::new(),
        instructions: None,
        auth_method: Some("key".to_owned()),
        warns_in_text: true,
        cli_session: None,
        tools: Arc::new(ToolLists::default()),
        durable: true,
        deferred: None,
        mode,
    });
    dialog.opening();
    let history = vec![HistoryMessage::user("Hello")];
    let context = TurnContext { history, mode, ..TurnContext::default() };
    dialog.begin(&context, Uuid::nil(), &mut Vec::new());
    dialog
}

/// Yes, no and anything else, by turns.
fn answer(dialog: &mut Dialog, output: Output, number: usize) {
    let (id, reply) = match output {
        Output::Event(AgentEvent::Proposes(call)) if number.is_multiple_of(2) => {
            (call.id, Reply::Run { arguments: call.input, run: Uuid::nil() })
        }
        Output::Event(AgentEvent::Proposes(call)) => (call.id, Reply::not_run("no")),
        Output::Event(AgentEvent::Asks(ask)) => {
            let answers = [
                Answer::Given(json!({"q": ["a"]})),
                Answer::Given(json!("execute")),
                Answer::Refused(Some("no".to_owned())),
                Answer::Expired,
            ];
            let answer = answers.into_iter().cycle().nth(number % 4);
            (ask.id, Reply::Answer(answer.unwrap_or(Answer::Expired)))
        }
        _ => return,
    };
    let mut sent = Vec::new();
    dialog.answer(&id, reply.clone(), &mut sent);
    let answered = responses(&sent);
    dialog.answer(&id, reply, &mut sent);
    assert!(responses(&sent) == answered && answered <= 1, "{id:?} was answered twice");
}

/// How many requests of the agent were answered.
fn responses(out: &[Output]) -> usize {
    let is_response = |output: &&Output| match output {
        Output::Send(line) => line.get("method").is_none() && line.get("result").is_some(),
        _ => false,
    };
    out.iter().filter(is_response).count()
}
