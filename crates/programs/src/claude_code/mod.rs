//! Claude Code as an agent: its CLI runs headless as a child process and speaks JSON lines
//! (B-1).
//!
//! - `settings`: its settings, and the command line that follows from them; `permission_mode` and
//!   `policy`: what it may do without asking.
//! - `dialect` and `dialog`: convert its lines to events. Pure; every recording is replayed through
//!   them. `message` assembles messages from pieces and content blocks, `calls` tracks tool calls,
//!   `permission` handles its requests, `questions` the answers to them, `edited` reports changed
//!   arguments to its model, `deferral` lets a question outlive the process, `outgoing` builds the
//!   lines to it, `failure` maps errors, `spending` counts tokens and costs.
//! - `labels`: whose words its tools bring, and which calls are sinks; `flow`: whose words its model
//!   was told, after which the hook makes every sink ask.
//! - `preview`: what an edit would change.
//!
//! What it may do is decided here and not by its own settings: every call that it does not make by
//! itself is proposed, allow lists become rules of Parlor's policy, and nothing that a person
//! writes can become an argument or a command of the program.

mod calls;
mod deferral;
mod dialect;
mod dialog;
mod edited;
mod failure;
mod flow;
mod labels;
mod message;
mod outgoing;
mod permission;
mod permission_mode;
mod policy;
mod preview;
mod questions;
mod settings;
mod spending;
mod told;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parlor_agent::flow::ToolFlow;
use parlor_agent::tools::ToolFuture;
use parlor_agent::{
    Agent, AgentDescription, AgentInitiatedTurn, Checkpoint, ProposedCall, Takes, TurnContext,
    TurnRunner,
};
use parlor_process::{SpawnSpec, WrongSetting};
use parlor_protocol::{ConversationId, Preview};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::bridge::{self, Bridge, ProgramHost};
use crate::cli_session;
use crate::dialect::{Continuation, Dialect};
use crate::program::{Program, ProgramLimits};

use deferral::Deferred;
pub use deferral::can_defer;
pub use dialog::{Dialog, DialogSettings};
pub use permission_mode::PermissionMode;
pub use policy::ToolPolicy;
pub use settings::ClaudeCodeSettings;
use settings::Launch;

/// The kind of this agent, in the configuration and in the history.
pub const KIND: &str = "claude_code";

/// The Claude Code agent of a project.
pub struct ClaudeCode {
    bridge: Bridge,
    launch: Arc<Launch>,
    model: String,
    durable: bool,
    /// The installed version, once it is known.
    version: Arc<OnceLock<String>>,
}

/// The consequence of a version that cannot defer calls.
const NOT_DURABLE: &str = "its questions expire if its process or the server ends, although \
                           durable_approvals is on: that needs version 2.1.325 or newer (npm \
                           install -g @anthropic-ai/claude-code@2.1.325)";

impl ClaudeCode {
    /// Checks the settings; nothing is started yet, except to ask for the version. `env`
    /// looks up an environment variable. Must be called within a tokio runtime.
    pub fn new(
        settings: &ClaudeCodeSettings,
        model: Option<&str>,
        base_url: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
        programs: &ProgramHost,
    ) -> Result<Self, WrongSetting> {
        let launch = settings.resolve(model, base_url, env)?;
        let model = launch.model.clone().unwrap_or_else(|| "its own choice".to_owned());
        let durable = launch.durable_approvals;
        let version = Arc::new(OnceLock::new());
        if durable {
            tokio::spawn(check_version(launch.spec.clone(), programs.clone(), version.clone()));
        }
        let launch = Arc::new(launch);
        let bridge = Bridge::new(launch.clone(), programs);
        Ok(Self { bridge, launch, model, durable, version })
    }

    fn warning(&self) -> Option<String> {
        let version = self.version.get()?;
        let falls_short = self.durable && !deferral::can_defer(version);
        falls_short.then(|| format!("version {version}: {NOT_DURABLE}"))
    }
}

impl Agent for ClaudeCode {
    fn takes(&self) -> Takes {
        Takes { pictures: true, pdf: true }
    }

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

    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Preview>> {
        let launch = self.launch.clone();
        let call = launch.tools.call("", tool, arguments.clone(), ToolFlow::default());
        let looks =
            move || launch.preview(&call).or_else(|| preview::of_input(&call.name, &call.input));
        Box::pin(async move { tokio::task::spawn_blocking(looks).await.ok().flatten() })
    }

    fn warnings(&self) -> Vec<String> {
        self.warning().into_iter().collect()
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

/// Finds out which version is installed, and warns if it is too old.
async fn check_version(spec: SpawnSpec, programs: ProgramHost, known: Arc<OnceLock<String>>) {
    let Some(version) = bridge::version(&programs.supervisor, &spec).await else {
        return tracing::warn!(program = spec.program, "the program does not report its version");
    };
    if !deferral::can_defer(&version) {
        tracing::warn!(program = spec.program, version, "the program is too old: {NOT_DURABLE}");
    }
    let _set_once = known.set(version);
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
        let paused = from.deferred.map(Deferred::read);
        let left_in = paused.as_ref().and_then(Deferred::mode);
        let mode = left_in.unwrap_or_else(|| self.mode_for(context.mode));
        let dialog = Dialog::new(DialogSettings {
            act: self.permission_mode,
            started_in: mode,
            cli_session: from.cli_session.map(str::to_owned),
            tools: Arc::clone(&self.tools),
            working_dir: self.working_dir.display().to_string(),
            working_dir_content: self.working_dir_content,
            durable: self.durable_approvals,
            flow: context.flow,
            deferred: from.deferred.cloned(),
        });
        let mut spec = self.spawn_spec(context, mode, from.cli_session);
        // Undocumented: without it, the program may reach the call before the hook is registered.
        spec.arguments.extend(paused.map(|_| "--await-initialize".to_owned()));
        (spec, Box::new(dialog))
    }

    fn preview(&self, call: &ProposedCall) -> Option<Preview> {
        preview::with_files(call, &self.working_dir, self.user.as_ref())
    }

    fn limits(&self) -> ProgramLimits {
        self.limits
    }
}
