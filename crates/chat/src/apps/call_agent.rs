//! An agent that makes one call, for an app: it proposes the call, makes it when it may, and ends.
//!
//! It says nothing and leaves nothing in the raw history. Its checkpoint is the call, so that a turn
//! that waits for a person survives a restart: [`of_checkpoint`] finds the agent again.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::Stream;
use parlor_agent::tools::{
    Tool, ToolCall, ToolEvent, ToolOutcome, ToolStream, Tools, tools_of_person,
};
use parlor_agent::{
    Agent, AgentDescription, AgentEvent, Checkpoint, ProposedCall, Reply, TurnOutcome, TurnRunner,
    TurnStart,
};
use parlor_protocol::{ConversationId, Mode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::project::Project;

/// The id of the only call of a turn.
const CALL: &str = "app";
/// The key of a checkpoint that is such a call.
const MARK: &str = "app_call";

/// A call of an app.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AppCall {
    pub(crate) server: String,
    /// The tool's name there.
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
}

/// The call as it is proposed.
pub(crate) fn proposed(tool: Tool, input: Map<String, Value>) -> ProposedCall {
    ProposedCall {
        id: CALL.to_owned(),
        name: tool.spec.name.clone(),
        input,
        tool: Some(tool),
        description: None,
        preview: None,
        ends_with_agent: false,
        caveats: Vec::new(),
    }
}

/// The project with an agent that makes this call.
pub(crate) fn project(project: &Arc<Project>, call: AppCall) -> Arc<Project> {
    let Some(tools) = project.tools.clone() else { return project.clone() };
    let agent = Arc::new(CallAgent { tools, call });
    Arc::new(Project { agent, ..Project::clone(project) })
}

/// The project with the agent that wrote a checkpoint: its own, or one that makes a call.
pub(crate) fn of_checkpoint(own: Arc<Project>, checkpoint: &Checkpoint) -> Arc<Project> {
    let call = checkpoint.0.get(MARK).cloned();
    match call.and_then(|call| serde_json::from_value(call).ok()) {
        Some(call) => project(&own, call),
        None => own,
    }
}

struct CallAgent {
    tools: Arc<dyn Tools>,
    call: AppCall,
}

impl Agent for CallAgent {
    fn runner(&self, _: ConversationId) -> Box<dyn TurnRunner> {
        Box::new(CallRunner {
            all_tools: self.tools.clone(),
            tools: tools_of_person(&self.tools, None),
            call: self.call.clone(),
            name: self.call.tool.clone(),
            next: VecDeque::new(),
            running: None,
            waker: None,
        })
    }

    fn can_resume(&self, from: &Checkpoint) -> bool {
        from.0.get(MARK).is_some()
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: "app", model: String::new() }
    }
}

struct CallRunner {
    /// Those of the project.
    all_tools: Arc<dyn Tools>,
    /// Those of the person of the turn.
    tools: Arc<dyn Tools>,
    call: AppCall,
    /// The exposed name of the tool.
    name: String,
    next: VecDeque<AgentEvent>,
    running: Option<ToolStream>,
    waker: Option<Waker>,
}

impl CallRunner {
    fn push(&mut self, event: AgentEvent) {
        self.next.push_back(event);
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn ended(&self, mut outcome: ToolOutcome) -> AgentEvent {
        // The page that made the call shows the result; there is no second one.
        if let ToolOutcome::Answered { extras, .. } = &mut outcome
            && let Some(app) = &mut extras.app
        {
            app.is_shown = false;
        }
        let (call, tool) = (CALL.to_owned(), self.name.clone());
        AgentEvent::CallEnded { call, tool, outcome, read: false }
    }

    /// The tool, if it can be called now.
    fn admissible(&self, mode: Mode) -> Result<Tool, String> {
        let AppCall { server, tool: name, .. } = &self.call;
        let tool = self.tools.app_tool(server, name);
        let tool = tool.ok_or_else(|| format!("{name} cannot be called by an app now."))?;
        if mode == Mode::Plan && !tool.claims.read_only {
            let why = "the conversation is in plan mode, in which nothing is changed";
            return Err(format!("{name} was not run: {why}."));
        }
        Ok(tool)
    }
}

impl TurnRunner for CallRunner {
    fn begin(&mut self, start: TurnStart) {
        self.running = None;
        self.next.clear();
        let (TurnStart::Message(context)
        | TurnStart::AgentInitiated(context)
        | TurnStart::Resume(context, _)) = start;
        self.tools = tools_of_person(&self.all_tools, context.person);
        self.push(AgentEvent::Checkpoint(Checkpoint(json!({ MARK: self.call }))));
        match self.admissible(context.mode) {
            Ok(tool) => {
                self.name.clone_from(&tool.spec.name);
                let call = proposed(tool, self.call.arguments.clone());
                self.push(AgentEvent::Proposes(Box::new(call)));
            }
            Err(why) => {
                let ended = self.ended(ToolOutcome::NotRun(why));
                self.push(ended);
            }
        }
    }

    fn answer(&mut self, id: &str, reply: Reply) {
        if id != CALL {
            return;
        }
        match reply {
            Reply::Run { arguments, run } => {
                let tool = self.name.clone();
                self.running = Some(self.tools.call(ToolCall { tool, arguments, run }));
                self.wake();
            }
            Reply::Result { .. } => {
                let complete = TurnOutcome::Complete { cut_off: false };
                self.push(AgentEvent::Ended(complete));
            }
            Reply::Answer(_) => {}
        }
    }

    fn stop(&mut self) {
        self.running = None;
        self.next.clear();
        self.push(AgentEvent::Ended(TurnOutcome::Stopped));
    }
}

impl Stream for CallRunner {
    type Item = AgentEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        if let Some(event) = self.next.pop_front() {
            return Poll::Ready(Some(event));
        }
        while let Some(running) = &mut self.running {
            match running.as_mut().poll_next(cx) {
                // A question is cancelled: the person looks at a page, and not at the chat.
                Poll::Ready(Some(ToolEvent::Elicitation { .. })) => {}
                Poll::Ready(Some(ToolEvent::Progress(progress))) => {
                    let call = CALL.to_owned();
                    return Poll::Ready(Some(AgentEvent::Progress { call, progress }));
                }
                Poll::Ready(Some(ToolEvent::Done(outcome))) => {
                    self.running = None;
                    return Poll::Ready(Some(self.ended(outcome)));
                }
                Poll::Ready(None) => self.running = None,
                Poll::Pending => break,
            }
        }
        self.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}
