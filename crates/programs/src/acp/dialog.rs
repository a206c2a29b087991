//! The state of one process. Without IO: recordings are replayed through it
//! ([`super::dialect`]).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use parlor_agent::{AgentError, TurnOutcome};
use parlor_protocol::{Content, Mode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::calls::Calls;
use super::json_rpc;
use super::modes::{Change, Options, Wanted};
use super::open_question::{OpenQuestion, Repeat};
use super::outgoing::{PromptContent, Told};
use super::question::Question;
use super::text::Text;
use super::tools::ToolLists;
use super::usage::Spending;
use crate::dialect::{DeferredCall, Output};
use crate::fields::text;

/// The settings that a process was started with.
#[derive(Debug, Clone)]
pub struct DialogSettings {
    /// The process: ids that it makes are unique by it.
    pub process: Uuid,
    /// Its working directory.
    pub working_dir: String,
    /// Whose words are in the files of its working directory.
    pub working_dir_content: Content,
    /// What is set in each session.
    pub wanted: Wanted,
    /// What goes with a new, loaded or resumed session, beside the protocol.
    pub session_meta: Map<String, Value>,
    /// The instructions of the project, for the first prompt of a session.
    pub instructions: Option<String>,
    /// How it logs in, if it wants that.
    pub auth_method: Option<String>,
    /// Whether text without a message id that begins like a warning is not the model's.
    pub warns_in_text: bool,
    /// The session that it continues.
    pub cli_session: Option<String>,
    /// The configured lists of its tools.
    pub tools: Arc<ToolLists>,
    /// Whether its questions are to outlive it, if it can resume its session.
    pub durable: bool,
    /// The question that it was started to answer.
    pub deferred: Option<DeferredCall>,
    /// The mode of the conversation.
    pub mode: Mode,
}

/// The state of one process.
#[derive(Debug)]
pub struct Dialog {
    pub(super) settings: DialogSettings,
    pub(super) stage: Stage,
    pub(super) sent: HashMap<u64, Sent>,
    pub(super) next_request: u64,
    pub(super) can_resume: bool,
    pub(super) can_load: bool,
    /// Whether a session takes instructions; else they go with its first prompt.
    pub(super) takes_instructions: bool,
    /// What a prompt may hold besides text.
    pub(super) prompt_content: PromptContent,
    pub(super) has_logged_in: bool,
    pub(super) session: Option<String>,
    /// Whether the session knows nothing of the conversation yet.
    pub(super) is_new: bool,
    pub(super) options: Options,
    pub(super) mode: Mode,
    /// What is told once the agent is ready.
    pub(super) pending: Option<Told>,
    /// Whether a prompt runs.
    pub(super) prompting: bool,
    pub(super) interrupted: bool,
    pub(super) text: Text,
    pub(super) calls: Calls,
    pub(super) spending: Spending,
    pub(super) open: Option<OpenQuestion>,
    /// Requests that came while a question was open.
    pub(super) waiting: VecDeque<Value>,
    /// The ids that were asked about in this turn.
    pub(super) asked: HashSet<String>,
    /// The call that the agent was told to make.
    pub(super) repeat: Option<Repeat>,
    /// The form that a person has answered already, and the answer.
    pub(super) answered_form: Option<(Question, Value)>,
    /// What is told when the prompt is over.
    pub(super) follow_ups: VecDeque<String>,
    pub(super) followed_up: usize,
    /// What the agent is told of a refusal, if it has not said anything about it.
    pub(super) refusal: Option<String>,
    /// The entries of the plan that was shown.
    pub(super) plan: Vec<String>,
    pub(super) plans: usize,
    /// Whether the question that the process was started for was asked.
    pub(super) reached_deferred: bool,
}

/// How far the process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was sent, or it failed.
    New,
    /// It says what it can do.
    Initializing,
    /// It opens its session.
    Opening,
    /// It changes an option.
    Configuring,
    /// It can be prompted.
    Ready,
}

/// What a request was for.
#[derive(Debug)]
pub(super) enum Sent {
    Initialize,
    LogIn,
    NewSession,
    OldSession,
    Configure(Change),
    Prompt,
}

impl Dialog {
    /// A process that was just started.
    pub fn new(settings: DialogSettings) -> Self {
        Self {
            mode: settings.mode,
            settings,
            stage: Stage::New,
            sent: HashMap::new(),
            next_request: 0,
            can_resume: false,
            can_load: false,
            takes_instructions: false,
            prompt_content: PromptContent::default(),
            has_logged_in: false,
            session: None,
            is_new: false,
            options: Options::default(),
            pending: None,
            prompting: false,
            interrupted: false,
            text: Text::default(),
            calls: Calls::default(),
            spending: Spending::default(),
            open: None,
            waiting: VecDeque::new(),
            asked: HashSet::new(),
            repeat: None,
            answered_form: None,
            follow_ups: VecDeque::new(),
            followed_up: 0,
            refusal: None,
            plan: Vec::new(),
            plans: 0,
            reached_deferred: false,
        }
    }

    pub(super) fn fail(&mut self, error: AgentError, out: &mut Vec<Output>) {
        if self.stage != Stage::Ready {
            self.stage = Stage::New;
        }
        self.clear();
        out.push(Output::Over(TurnOutcome::Failed(error)));
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        self.pending = None;
        self.prompting = false;
        self.interrupted = false;
        self.settings.deferred = None;
        self.open = None;
        self.waiting.clear();
        self.asked.clear();
        self.calls.clear();
        self.repeat = None;
        self.answered_form = None;
        self.follow_ups.clear();
        self.followed_up = 0;
        self.refusal = None;
        self.plan.clear();
        self.text = Text::default();
    }

    /// Tells the agent which session it is about to cancel.
    pub(super) fn cancel(&self) -> Value {
        json_rpc::notification("session/cancel", json!({"sessionId": self.session}))
    }

    /// Whether an update is of this session, and not of the replay of one that is loaded.
    pub(super) fn is_current(&self, params: &Value) -> bool {
        let is_ours = self.session.as_deref() == Some(text(params, "sessionId"));
        is_ours && self.stage != Stage::Opening
    }

    /// An id for people that no other process of the turn has used: an agent may count its calls
    /// from one in each process.
    pub(super) fn shown_id(&mut self, id: &str) -> String {
        let mut shown = match self.settings.deferred {
            None => id.to_owned(),
            Some(_) => format!("{id}~{}", self.settings.process.simple()),
        };
        while !self.asked.insert(shown.clone()) {
            shown.push('+');
        }
        shown
    }
}
