//! The tools that an agent may call, wherever they come from.
//!
//! How a call goes:
//! 1. [`Tools::list`] is what there is now; a tool keeps its exposed name as long as its
//!    server is configured.
//! 2. [`Tools::call`] starts one call and returns a stream of its events: its progress,
//!    any number of questions to the person, then exactly one outcome.
//! 3. Dropping the stream cancels the call, if the server supports that.
//!
//! Servers start and stop at any time. Before the list is shown to a model,
//! [`Tools::settle`] waits a moment for servers that are starting.
//!
//! A call is sent once. If its answer is lost, the outcome is
//! [`ToolOutcome::Unknown`]; it is never repeated automatically.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use parlor_protocol::{Approvers, PersonId, ToolProgress};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use uuid::Uuid;

pub use crate::action::ToolAction;
use crate::flow::{ResultLabel, ToolFlow};
use crate::history::ContentBlock;

/// The tool by which a model asks the person. No other tool is called by this name.
pub const ASK_USER: &str = "ask_user";

/// The tools of a project.
pub trait Tools: Send + Sync {
    /// Starts the servers, once, and waits for none of them. Must be called within
    /// a tokio runtime.
    fn start(&self) {}

    /// What there is now, in a stable order. Servers that are down have none; one
    /// that is being brought back keeps those that it had.
    fn list(&self) -> Arc<[Tool]>;

    /// Calls a tool. The call is made when the stream is polled.
    fn call(&self, call: ToolCall) -> ToolStream;

    /// The health of the servers behind the tools, for administrators.
    fn health(&self) -> Vec<ServerHealth>;

    /// What a call would change (P-7), if its server ([`Tool::preview`]) or its arguments
    /// show it. Changes nothing.
    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Value>> {
        let _no_preview = (tool, arguments);
        Box::pin(ready(None))
    }

    /// The tool of a server that its app may call, by its name there.
    fn app_tool(&self, server: &str, name: &str) -> Option<Tool> {
        let _no_apps = (server, name);
        None
    }

    /// The page that shows the results of a tool ([`ToolApp::page`]), or why there is none.
    fn app_page(&self, tool: &str) -> ToolFuture<Result<AppPage, String>> {
        Box::pin(ready(Err(format!("{tool} has no app"))))
    }

    /// These tools for the turns of a person, with what is theirs alone: their logins to servers.
    /// Without a person, those of the shared account. `None`: they are the same for everybody.
    fn of_person(&self, person: Option<PersonId>) -> Option<Arc<dyn Tools>> {
        let _the_same_for_everybody = person;
        None
    }

    /// Waits a moment for servers that are starting.
    fn settle(&self) -> ToolFuture<()> {
        Box::pin(ready(()))
    }

    /// Ends the servers, within the deadline. Calls are refused from now on.
    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        let _nothing_to_end = deadline;
        Box::pin(ready(()))
    }
}

/// Tools for the turns of a person ([`Tools::of_person`]).
pub fn tools_of_person(tools: &Arc<dyn Tools>, person: Option<PersonId>) -> Arc<dyn Tools> {
    tools.of_person(person).unwrap_or_else(|| Arc::clone(tools))
}

/// The events of a call.
pub type ToolStream = Pin<Box<dyn Stream<Item = ToolEvent> + Send>>;

/// A boxed future.
pub type ToolFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// One tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// As the model sees it; the name is unique among all servers.
    pub spec: ToolSpec,
    /// The server that has it, as in the configuration.
    pub server: String,
    /// Its name there.
    pub name: String,
    /// A short title for people, if the server gives one.
    pub title: Option<String>,
    /// Its own annotations, if its server is trusted with them; none otherwise.
    pub claims: Claims,
    /// What the configuration says about it.
    pub rules: Vec<ToolRule>,
    /// A hash of its description, schemas and annotations: an allowance for the tool ends
    /// when it changes.
    pub fingerprint: String,
    /// How long one call may take.
    pub timeout: Duration,
    /// How long an approval waits; `None` leaves it to the project, zero waits for ever.
    pub prompt_timeout: Option<Duration>,
    /// Whose answers to an approval count, if not everybody's who takes part (Y-2).
    pub approvers: Option<Approvers>,
    /// The tool of the same server that previews a call; only trusted servers have one.
    /// Called by [`Tools::preview`].
    pub preview: Option<String>,
    /// The guardrail rule that its description violates, if any (G-8): then its annotations
    /// are ignored.
    pub suspicion: Option<String>,
    /// Whether it is another than when it was first listed, since the start of the server.
    pub is_changed: bool,
    /// What it has to do with the app of its server.
    pub app: ToolApp,
    /// Whose words it brings, and what a call can do.
    pub flow: ToolFlow,
}

/// What a tool has to do with the app of its server: a page that the server brings, shown in the
/// chat (I-6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolApp {
    /// The address at the server of the page that shows its results: `ui://…`.
    pub page: Option<String>,
    /// Whether pages of its server may call it.
    pub is_callable: bool,
    /// Whether only they may: it is not offered to the model.
    pub is_hidden: bool,
}

/// The page of an app, and whom it may talk to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppPage {
    /// The HTML of the server.
    pub html: String,
    /// Origins that its scripts may send requests to.
    pub connect: Vec<String>,
    /// Origins that scripts, styles, pictures and fonts may come from.
    pub resources: Vec<String>,
    /// Origins of frames inside it.
    pub frames: Vec<String>,
}

impl Tool {
    /// The configured action for a call with these arguments, if any.
    pub fn configured(&self, arguments: &Map<String, Value>) -> Option<ToolAction> {
        self.rules.iter().find(|rule| rule.fits(arguments)).map(|rule| rule.action)
    }
}

/// The annotations of a tool (M-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claims {
    /// It changes nothing.
    pub read_only: bool,
    /// It says outright that it destroys nothing.
    pub not_destructive: bool,
}

/// A configured rule for calls of a tool; the first that matches counts.
#[derive(Debug, Clone)]
pub struct ToolRule {
    /// Matches if every one of these arguments is present and matches its pattern; empty
    /// matches always.
    pub arguments: Vec<(String, regex::Regex)>,
    /// What is done then.
    pub action: ToolAction,
}

impl PartialEq for ToolRule {
    fn eq(&self, other: &Self) -> bool {
        let patterns = |rule: &Self| -> Vec<(String, String)> {
            rule.arguments.iter().map(|(name, p)| (name.clone(), p.as_str().to_owned())).collect()
        };
        self.action == other.action && patterns(self) == patterns(other)
    }
}

impl ToolRule {
    /// Whether the rule matches a call with these arguments. A text is matched as it is,
    /// anything else as its JSON.
    pub fn fits(&self, arguments: &Map<String, Value>) -> bool {
        self.arguments.iter().all(|(name, pattern)| match arguments.get(name) {
            Some(Value::String(text)) => pattern.is_match(text),
            Some(other) => pattern.is_match(&other.to_string()),
            None => false,
        })
    }
}

/// One call, as it was approved.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The exposed name.
    pub tool: String,
    /// Exactly what runs.
    pub arguments: Map<String, Value>,
    /// The id of the tool run, sent as `_meta["parlor/run-id"]`, so that a server can
    /// recognise a repetition.
    pub run: Uuid,
}

/// An event of a call.
#[derive(Debug)]
pub enum ToolEvent {
    /// The server has a question for the person (M-3). Dropping `reply` cancels it.
    Elicitation {
        /// The question.
        message: String,
        /// The JSON Schema of the answer.
        schema: Value,
        /// Takes the answer.
        reply: oneshot::Sender<ElicitationReply>,
    },
    /// How far the call is, as its server says.
    Progress(ToolProgress),
    /// The call is over. Nothing comes after it.
    Done(ToolOutcome),
}

/// A person's answer to a server's question.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationReply {
    /// The answer.
    Accept(Value),
    /// No.
    Decline,
    /// No answer.
    Cancel,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutcome {
    /// The server answered; a tool that failed is an answer too.
    Answered {
        /// What it said, capped.
        content: Vec<ContentBlock>,
        /// The tool says that it failed.
        is_error: bool,
        /// What the server gives beside it.
        extras: Box<ResultExtras>,
    },
    /// It did not run, and why, for the model and the person.
    NotRun(String),
    /// It did not run, because the person of the turn is not logged in to the server, or not for
    /// this.
    LoginNeeded(String),
    /// It was sent, and no answer came (the server died, or a timeout): it may or may not
    /// have had an effect.
    Unknown(String),
}

/// What a server gives beside the content of a result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultExtras {
    /// Something to show beside the chat, of a kind that the configuration lists.
    pub artifact: Option<Artifact>,
    /// For the apps of the server, if it has some.
    pub app: Option<AppResult>,
    /// What it says of whose words these are.
    pub label: ResultLabel,
}

impl ToolOutcome {
    /// An answer that is nothing but its content.
    pub fn answered(content: Vec<ContentBlock>, is_error: bool) -> Self {
        Self::Answered { content, is_error, extras: Box::default() }
    }
}

/// What an app shows of a result beside its content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AppResult {
    /// Data that the server gives for programs.
    pub structured: Option<Value>,
    /// Whether a page shows the result.
    pub is_shown: bool,
}

/// Something to show beside the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its kind: `recipe`.
    pub kind: String,
    /// Which one.
    pub id: String,
}

/// The health of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerHealth {
    /// As in the configuration.
    pub server: String,
    /// Its state.
    pub state: ServerState,
    /// How many tools it has now.
    pub tools: usize,
    /// How often it was restarted.
    pub restarts: u64,
    /// Why it is down, without secrets.
    pub problem: Option<String>,
    /// Problems although it answers: tools that were left out, and why.
    pub warnings: Vec<String>,
    /// Whether somebody is logged in to it, if it asks for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginState>,
}

/// Whether somebody is logged in to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginState {
    /// It asks for a login.
    Needed,
    /// There is a login, which does not cover a call.
    MoreNeeded,
    /// There is a login.
    LoggedIn,
    /// Each person logs in for themselves.
    PerPerson,
}

/// The state of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// It is being started.
    Starting,
    /// It answers.
    Ready,
    /// It is down, and will be started again.
    Down,
}
