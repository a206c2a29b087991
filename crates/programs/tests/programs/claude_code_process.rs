//! A process of Claude Code in a test: the lines of the real program (2.1.325), and what the dialog
//! answers.

use std::sync::Arc;

use parlor_agent::{AgentEvent, HistoryMessage, ToolOutcome, TurnContext, TurnFlow};
use parlor_programs::claude_code::{Dialog, DialogSettings, PermissionMode, ToolPolicy};
use parlor_programs::{DeferredCall, Dialect, Output};
use parlor_protocol::Content;
use serde_json::{Value, json};
use uuid::Uuid;

const DIR: &str = "/srv/desk";

pub(super) struct Process {
    pub(super) dialog: Dialog,
    requests: usize,
}

impl Process {
    pub(super) fn new(
        tools: &[String],
        durable: bool,
        flow: TurnFlow,
        paused: Option<DeferredCall>,
    ) -> Self {
        let dialog = Dialog::new(DialogSettings {
            act: PermissionMode::AcceptEdits,
            started_in: PermissionMode::AcceptEdits,
            cli_session: paused.as_ref().map(|_| "s1".to_owned()),
            tools: Arc::new(ToolPolicy::new(tools, &[])),
            working_dir: DIR.to_owned(),
            working_dir_content: Content::Own,
            durable,
            flow: if paused.is_some() { flow } else { TurnFlow::default() },
            deferred: paused,
        });
        Self { dialog, requests: 0 }
    }

    /// A process that works on a person's message.
    pub(super) fn at_work(tools: &[String], durable: bool, flow: TurnFlow) -> Self {
        let mut process = Self::new(tools, durable, flow, None);
        process.says(flow);
        process
    }

    pub(super) fn says(&mut self, flow: TurnFlow) -> Vec<Output> {
        let history = vec![HistoryMessage::user("Go on")];
        let context = TurnContext { history, flow, ..TurnContext::default() };
        let mut out = Vec::new();
        self.dialog.begin(&context, Uuid::max(), &mut out);
        out.extend(self.read(json!({"type": "system", "subtype": "init", "session_id": "s1",
            "claude_code_version": "2.1.325", "user_message_uuids": [Uuid::max()]})));
        out
    }

    pub(super) fn read(&mut self, line: Value) -> Vec<Output> {
        let mut out = Vec::new();
        self.dialog.read(&line, &mut out);
        out
    }

    pub(super) fn piece(&mut self, event: Value) -> Vec<Output> {
        self.read(json!({"type": "stream_event", "event": event, "parent_tool_use_id": null}))
    }

    /// Its model proposes these calls in one message.
    pub(super) fn proposes(&mut self, ids: &[&str], ends: bool) -> Vec<Output> {
        let mut out = self.piece(json!({"type": "message_start", "message": {"id": "m1"}}));
        for (index, id) in ids.iter().enumerate() {
            let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}});
            out.extend(self.piece(
                json!({"type": "content_block_start", "index": index, "content_block": block}),
            ));
        }
        if ends {
            out.extend(self.piece(json!({"type": "message_stop"})));
        }
        out
    }

    /// The hook is asked about a call; what it answers at once.
    pub(super) fn hook(
        &mut self,
        call: &str,
        tool: &str,
        input: &Value,
        more: Value,
    ) -> Option<String> {
        self.requests += 1;
        let mut asked = json!({"hook_event_name": "PreToolUse", "cwd": DIR, "tool_use_id": call,
            "permission_mode": "acceptEdits", "tool_name": tool, "tool_input": input,
            "transcript_path": "/home/agent/.claude/projects/desk/s1.jsonl"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let request = json!({"subtype": "hook_callback", "callback_id": "parlor", "input": asked});
        let id = format!("h{}", self.requests);
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        answer(&self.read(line))
    }

    pub(super) fn calls(
        &mut self,
        id: &str,
        tool: &str,
        input: &Value,
        parent: Option<&str>,
    ) -> Vec<Output> {
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let message = json!({"id": "m1", "role": "assistant", "content": [block]});
        self.read(json!({"type": "assistant", "parent_tool_use_id": parent, "message": message}))
    }

    pub(super) fn result(&mut self, id: &str, words: &str, parent: Option<&str>) -> Vec<Output> {
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": words});
        let message = json!({"role": "user", "content": [result]});
        self.read(json!({"type": "user", "parent_tool_use_id": parent, "message": message}))
    }

    /// A call that its own rules allow, from beginning to end.
    pub(super) fn makes(
        &mut self,
        id: &str,
        tool: &str,
        input: Value,
        parent: Option<&str>,
    ) -> Vec<Output> {
        self.calls(id, tool, &input, parent);
        self.result(id, "words", parent)
    }

    /// Ends its turn.
    pub(super) fn ends(&mut self) {
        self.read(json!({"type": "result", "subtype": "success", "num_turns": 1,
            "terminal_reason": "completed", "user_message_uuids": [Uuid::max()]}));
    }

    /// Whether it has to ask about a change of a file that its own rules allow.
    pub(super) fn asks_about_edits(&mut self) -> bool {
        let input = json!({"file_path": "/srv/desk/a", "content": "x"});
        self.hook("w", "Write", &input, json!({})).as_deref() == Some("ask")
    }
}

/// The decision in an answer to the hook; "nothing" leaves it to the program's own rules.
pub(super) fn answer(out: &[Output]) -> Option<String> {
    let lines = out.iter().filter_map(|output| match output {
        Output::Send(line) => Some(&line["response"]["response"]),
        _ => None,
    });
    let answers: Vec<&Value> = lines.collect();
    let [answer] = answers[..] else { return None };
    let decision = &answer["hookSpecificOutput"]["permissionDecision"];
    Some(decision.as_str().unwrap_or("nothing").to_owned())
}

/// The calls that are shown, with whose words their results hold.
pub(super) fn shown(out: &[Output]) -> Vec<(String, Option<Content>)> {
    let ended = out.iter().filter_map(|output| match output {
        Output::Event(AgentEvent::CallEnded { tool, outcome, .. }) => {
            let ToolOutcome::Answered { extras, .. } = outcome else { panic!("{outcome:?}") };
            Some((tool.clone(), extras.label.content))
        }
        _ => None,
    });
    ended.collect()
}

pub(super) fn deferred(process: &mut Process) -> DeferredCall {
    let out = process.read(json!({"type": "result", "subtype": "success", "num_turns": 1,
        "terminal_reason": "tool_deferred", "total_cost_usd": 0.0}));
    match out.last() {
        Some(Output::Deferred(call)) => call.clone(),
        _ => panic!("{out:?}"),
    }
}
