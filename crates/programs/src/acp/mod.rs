//! Any agent that speaks the Agent Client Protocol on standard input and output (B-3).
//!
//! - `settings` and `preset`: how an agent is started, and the agents that are known.
//! - `dialect` and `dialog`: convert its lines to events. Pure; recordings of real agents are
//!   replayed through them. `handshake` gets the agent ready: its session, its mode (`modes`).
//!   `updates` reads what it says and does (`text`, `calls`, `usage`), `permission` what it asks
//!   (`question`, `open_question`), `failure` how a prompt ended; `outgoing` is what it is told, `json_rpc` how.
//! - `tools`: what the configuration says about its tools, and their labels.
//!
//! A person decides: the mode is one in which the agent asks, options are picked by their kind,
//! and no answer becomes a rule of the agent's own. What the protocol cannot carry is told to the
//! agent in words: the reason of a refusal, changed arguments, and an answer that came after its
//! process was ended.

mod calls;
mod dialect;
mod dialog;
mod failure;
mod handshake;
mod json_rpc;
mod modes;
mod open_question;
mod outgoing;
mod permission;
mod preset;
mod question;
mod settings;
mod text;
mod tools;
mod updates;
mod usage;

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::tools::ToolFuture;
use parlor_agent::{
    Agent, AgentDescription, AgentInitiatedTurn, Checkpoint, ProposedCall, TurnContext, TurnRunner,
};
use parlor_process::{SpawnSpec, WrongSetting};
use parlor_protocol::{ConversationId, Preview};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::bridge::{Bridge, ProgramHost};
use crate::cli_session;
use crate::dialect::{Continuation, Dialect};
use crate::program::{Program, ProgramLimits};

pub use dialog::{Dialog, DialogSettings};
pub use modes::Wanted;
pub use preset::{Preset, PresetFacts};
pub use settings::AcpSettings;
use settings::Launch;
pub use tools::ToolLists;

/// The kind of this agent, in the configuration and in the history.
pub const KIND: &str = "acp";

/// The agent of a project.
pub struct Acp {
    bridge: Bridge,
    durable: bool,
    model: String,
}

impl Acp {
    /// Checks the settings; nothing is started yet. `env` looks up an environment variable.
    pub fn new(
        settings: &AcpSettings,
        model: Option<&str>,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
        programs: &ProgramHost,
    ) -> Result<Self, WrongSetting> {
        let launch = settings.resolve(model, base_url, env)?;
        let durable = launch.durable;
        let name = match settings.preset {
            Some(preset) => preset.name(),
            None => launch.spec.program.as_str(),
        };
        let model = match model {
            Some(model) => format!("{name}, {model}"),
            None => name.to_owned(),
        };
        Ok(Self { bridge: Bridge::new(Arc::new(launch), programs), durable, model })
    }
}

impl Agent for Acp {
    fn runner(&self, conversation: ConversationId) -> Box<dyn TurnRunner> {
        self.bridge.runner(conversation)
    }

    /// Only a suspended turn can be continued by another process.
    fn can_resume(&self, from: &Checkpoint) -> bool {
        self.durable && cli_session::suspended_turn(from).is_some()
    }

    fn needs_home(&self) -> bool {
        true
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: KIND, model: self.model.clone() }
    }

    fn agent_initiated_turns(&self) -> Option<mpsc::Receiver<AgentInitiatedTurn>> {
        self.bridge.agent_initiated_turns()
    }

    fn forget(&self, conversation: ConversationId) {
        self.bridge.forget(conversation);
    }

    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        Box::pin(self.bridge.close(deadline))
    }
}

impl Program for Launch {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn start(
        &self,
        context: &TurnContext,
        from: Continuation<'_>,
    ) -> (SpawnSpec, Box<dyn Dialect>) {
        let dialog = Dialog::new(DialogSettings {
            process: Uuid::now_v7(),
            working_dir: self.working_dir.display().to_string(),
            working_dir_content: self.working_dir_content,
            wanted: self.wanted.clone(),
            session_meta: self.session_meta.clone(),
            instructions: context.system_prompt.clone(),
            auth_method: self.auth_method.clone(),
            warns_in_text: self.warns_in_text,
            cli_session: from.cli_session.map(str::to_owned),
            tools: Arc::clone(&self.tools),
            durable: self.durable,
            deferred: from.deferred.cloned(),
            mode: context.mode,
        });
        (self.spec.clone(), Box::new(dialog))
    }

    /// The agent says itself what a call would change.
    fn preview(&self, _call: &ProposedCall) -> Option<Preview> {
        None
    }

    fn limits(&self) -> ProgramLimits {
        self.limits
    }
}
