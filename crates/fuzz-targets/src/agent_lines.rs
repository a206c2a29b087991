//! Lines of an agent program (Claude Code), and a person who answers each question.

use std::sync::Arc;

use parlor_agent::{AgentEvent, Answer, HistoryMessage, Reply, TurnContext, TurnFlow};
use parlor_programs::bridge::fuzz::message;
use parlor_programs::claude_code::{Dialog, DialogSettings, PermissionMode, ToolPolicy};
use parlor_programs::{Dialect as _, Output};
use parlor_protocol::Content;
use serde_json::json;
use uuid::Uuid;

/// A question is answered once, and nothing waits any more after the turn was given up.
pub fn run(data: &[u8]) {
    for strict in [false, true] {
        let mut dialog = started(strict);
        for (number, line) in data.split(|byte| *byte == b'\n').enumerate() {
            match message(line) {
                Ok(Some(line)) => {
                    dialog.begins_turn(&line);
                    let mut out = Vec::new();
                    dialog.read(&line, &mut out);
                    out.into_iter().for_each(|output| answer(&mut dialog, output, number));
                }
                Ok(None) => {}
                // As the bridge does.
                Err(_) => break,
            }
        }
        dialog.give_up(&mut Vec::new());
        assert!(!dialog.waits_for_person() && !dialog.is_busy());
    }
}

/// With durable questions, and questions about every sink; or with neither.
fn started(strict: bool) -> Dialog {
    let mut dialog = Dialog::new(DialogSettings {
        act: PermissionMode::Default,
        started_in: PermissionMode::Default,
        cli_session: None,
        tools: Arc::new(ToolPolicy::default()),
        working_dir: "/work".to_owned(),
        working_dir_content: Content::Own,
        durable: strict,
        flow: TurnFlow { asks: strict, is_tainted: strict },
        deferred: None,
    });
    dialog.opening();
    let history = vec![HistoryMessage::user("Hello")];
    let context = TurnContext { history, ..TurnContext::default() };
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
                Answer::Given(json!({"q1": ["a"], "q2": "b"})),
                Answer::Given(json!("execute")),
                Answer::Refused(Some("no".to_owned())),
                Answer::Expired,
            ];
            let answer = answers.into_iter().cycle().nth(number % 4);
            (ask.id, Reply::Answer(answer.unwrap_or(Answer::Expired)))
        }
        _ => return,
    };
    dialog.person_asked(&id);
    let mut sent = Vec::new();
    dialog.answer(&id, reply.clone(), &mut sent);
    dialog.answer(&id, reply, &mut sent);
    assert!(sent.len() <= 1, "{id:?} was answered twice: {sent:?}");
}
