//! A look at one server, exactly as a project would find it (I-5).
//!
//! 1. Connect, in the first protocol version of those given that the server speaks.
//! 2. Take down what it says of itself, its tools, and what is wrong with them.
//! 3. Make the calls that were asked for: with given arguments, or one of each tool with made-up
//!    arguments ([`made_up`]). A question of the server is accepted, with its own defaults.
//!
//! Nothing is asked of a person, so only whoever runs it decides what is called.

mod made_up;

use std::time::Duration;

use futures_util::StreamExt as _;
use parlor_agent::ContentBlock;
use parlor_agent::tools::{
    ElicitationReply, ServerState, Tool, ToolCall, ToolEvent, ToolOutcome, Tools as _,
};
use parlor_process::Supervisor;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::host::McpHost;
use super::identity::ServerIdentity;
use super::login::Login;
use super::settings::{McpServerSettings, McpSettingsError, ProtocolEra};

/// The name of the server in settings and errors.
const NAME: &str = "probed";
/// How long closing the connection may take.
const CLOSING: Duration = Duration::from_secs(3);
/// How much of a result is kept, in characters.
const LONGEST_RESULT: usize = 2_000;

/// The calls to make.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeCalls {
    /// Each tool once, with made-up arguments.
    All,
    /// These tools, by their names at the server, with these arguments.
    These(Vec<(String, Map<String, Value>)>),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeReport {
    /// What the server says of itself, if it was reached.
    pub server: Option<ServerIdentity>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// What is wrong although it can be used.
    pub warnings: Vec<String>,
    /// The tools that can be used.
    pub tools: Vec<ProbedTool>,
    /// The calls that were made.
    pub calls: Vec<ProbedCall>,
}

/// A tool of the server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbedTool {
    /// Its name at the server.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbedCall {
    /// The tool.
    pub tool: String,
    /// With which arguments.
    pub arguments: Map<String, Value>,
    /// How it ended.
    pub outcome: ProbedOutcome,
    /// What the tool said, or why there is nothing; cut off.
    pub text: String,
    /// How many questions the server asked.
    pub questions: usize,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbedOutcome {
    /// With a result.
    Answered,
    /// The tool says that it failed.
    ToolFailed,
    /// It did not run.
    NotRun,
    /// Nobody knows.
    Unknown,
}

/// Connects to a server, in the first of these protocol versions that works, and makes calls.
pub async fn probe(
    settings: McpServerSettings,
    eras: &[ProtocolEra],
    calls: &ProbeCalls,
    supervisor: &Supervisor,
    env: &dyn Fn(&str) -> Option<String>,
    login: Option<&Login>,
) -> Result<ProbeReport, McpSettingsError> {
    let mut problems = Vec::new();
    for era in eras {
        let settings =
            McpServerSettings { protocol: *era, prefix: Some(String::new()), ..settings.clone() };
        let host = McpHost::with_login(NAME, [(NAME, &settings)], supervisor, env, login)?;
        let report = look(&host, calls).await;
        host.close(CLOSING).await;
        match report {
            Ok(report) => return Ok(report),
            Err(problem) => problems.push((era, problem)),
        }
    }
    let words = match problems.as_slice() {
        [(_, problem)] => problem.clone(),
        several => {
            let each = several.iter().map(|(era, problem)| format!("{}: {problem}", era.version()));
            each.collect::<Vec<_>>().join("; ")
        }
    };
    let (tools, calls) = (Vec::new(), Vec::new());
    Ok(ProbeReport { server: None, problem: Some(words), warnings: Vec::new(), tools, calls })
}

/// What there is at a host with one server, or why that cannot be used.
async fn look(host: &McpHost, calls: &ProbeCalls) -> Result<ProbeReport, String> {
    host.start();
    host.tried().await;
    let health = host.health().pop();
    let health = health.ok_or("there is no server")?;
    if health.state != ServerState::Ready {
        return Err(health.problem.unwrap_or_else(|| "it could not be reached".to_owned()));
    }
    let server = host.identities().pop().flatten();
    let tools = host.list();
    let made = make(host, &tools, calls).await;
    Ok(ProbeReport {
        server,
        problem: None,
        warnings: health.warnings,
        tools: tools.iter().map(ProbedTool::of).collect(),
        calls: made,
    })
}

async fn make(host: &McpHost, tools: &[Tool], calls: &ProbeCalls) -> Vec<ProbedCall> {
    let calls: Vec<(String, Map<String, Value>)> = match calls {
        ProbeCalls::All => {
            let each = tools.iter();
            each.map(|tool| (tool.name.clone(), made_up::arguments(&tool.spec.input_schema)))
                .collect()
        }
        ProbeCalls::These(calls) => calls.clone(),
    };
    let mut made = Vec::new();
    for (name, arguments) in calls {
        let exposed = tools.iter().find(|tool| tool.name == name);
        let exposed = exposed.map_or_else(|| name.clone(), |tool| tool.spec.name.clone());
        made.push(call(host, name, exposed, arguments).await);
    }
    made
}

async fn call(
    host: &McpHost,
    tool: String,
    exposed: String,
    arguments: Map<String, Value>,
) -> ProbedCall {
    let call = ToolCall { tool: exposed, arguments: arguments.clone(), run: Uuid::now_v7() };
    let mut events = host.call(call);
    let mut questions = 0;
    while let Some(event) = events.next().await {
        match event {
            ToolEvent::Elicitation { schema, reply, .. } => {
                questions += 1;
                let answer = Value::Object(made_up::arguments(&schema));
                let _nobody_waits = reply.send(ElicitationReply::Accept(answer));
            }
            ToolEvent::Progress(_) => {}
            ToolEvent::Done(outcome) => {
                let (outcome, text) = read(outcome);
                return ProbedCall { tool, arguments, outcome, text, questions };
            }
        }
    }
    let text = "the call had no outcome".to_owned();
    ProbedCall { tool, arguments, outcome: ProbedOutcome::Unknown, text, questions }
}

fn read(outcome: ToolOutcome) -> (ProbedOutcome, String) {
    let (outcome, text) = match outcome {
        ToolOutcome::Answered { content, is_error, .. } => {
            let parts: Vec<String> = content.iter().map(words).collect();
            let kind = if is_error { ProbedOutcome::ToolFailed } else { ProbedOutcome::Answered };
            (kind, parts.join("\n"))
        }
        ToolOutcome::NotRun(why) | ToolOutcome::LoginNeeded(why) => (ProbedOutcome::NotRun, why),
        ToolOutcome::Unknown(why) => (ProbedOutcome::Unknown, why),
    };
    (outcome, text.chars().take(LONGEST_RESULT).collect())
}

fn words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Image { media_type, .. } => format!("(a picture, {media_type})"),
        _ => "(something else)".to_owned(),
    }
}

impl ProbedTool {
    fn of(tool: &Tool) -> Self {
        Self {
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.spec.description.clone(),
            input_schema: tool.spec.input_schema.clone(),
        }
    }
}
