//! `parlor mcp probe URL`: what an MCP server offers, found through the same client as an agent's.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};
use parlor_mcp::{
    Login, McpServerSettings, OAuthSettings, ProbeCalls, ProbeReport, ProbedCall, ProbedOutcome,
    ProtocolEra, probe,
};
use parlor_process::{FromVariable, SettingValue};
use serde_json::{Map, Value};

use super::login_page::LocalPage;
use crate::compose::own_supervisor;
use crate::start::install_tls;

/// How long a server may take, and how long a person may, in seconds.
const FOR_A_SERVER: f64 = 20.0;
const FOR_A_PERSON: f64 = 300.0;

/// Connects to an MCP server over HTTP and prints what it finds: who it is, which protocol it
/// speaks, its tools, and what is wrong with them.
///
/// The exit code is 0 if the server can be used and no call was lost, otherwise 1.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  parlor mcp probe https://mcp.example.org/mcp
  parlor mcp probe http://127.0.0.1:8787/mcp/recipes --header-env X-API-Key=PARLOR_API_KEY
  parlor mcp probe http://127.0.0.1:8788/mcp/recipes --call 'list_recipes={}' --json")]
pub(super) struct Arguments {
    /// The address of the server.
    url: String,
    /// The protocol version; without it, the older one is tried first.
    #[arg(long, value_name = "VERSION")]
    protocol: Option<Protocol>,
    /// A header of each request whose value is in an environment variable.
    #[arg(long, value_name = "NAME=VARIABLE", value_parser = pair)]
    header_env: Vec<(String, String)>,
    /// Calls a tool; {} stands for no arguments.
    #[arg(long, value_name = "TOOL=JSON", value_parser = call)]
    call: Vec<(String, Map<String, Value>)>,
    /// Calls every tool once, with made-up arguments, and accepts what it asks. Mind what the
    /// tools do.
    #[arg(long, conflicts_with = "call")]
    call_all: bool,
    /// Logs in if the server asks for it: the address of the login page is printed, and the
    /// browser that opens it must run on this machine.
    #[arg(long)]
    login: bool,
    /// The id that the authorization server gave to this client; without it, it registers.
    #[arg(long, value_name = "ID", requires = "login")]
    client_id: Option<String>,
    /// The environment variable with the secret that came with it.
    #[arg(long, value_name = "VARIABLE", requires = "client_id")]
    client_secret_env: Option<String>,
    /// An https address at which this client describes itself to authorization servers.
    #[arg(long, value_name = "URL", requires = "login")]
    client_metadata_url: Option<String>,
    /// How long the server may take to begin, and for each call, in seconds; with --login that
    /// includes the person.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Prints everything as one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Protocol {
    #[value(name = "2025-11-25")]
    Initialize,
    #[value(name = "2026-07-28")]
    Discover,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    install_tls();
    let login = login(&arguments).await?;
    let patience = if arguments.login { FOR_A_PERSON } else { FOR_A_SERVER };
    let seconds = arguments.timeout.unwrap_or(patience);
    let eras = match arguments.protocol {
        Some(Protocol::Initialize) => vec![ProtocolEra::Initialize],
        Some(Protocol::Discover) => vec![ProtocolEra::Discover],
        None => vec![ProtocolEra::Initialize, ProtocolEra::Discover],
    };
    let headers = arguments.header_env.into_iter().map(|(name, env)| (name, from_variable(env)));
    let settings = McpServerSettings {
        url: Some(arguments.url),
        headers: headers.collect(),
        oauth: OAuthSettings {
            client_id: arguments.client_id,
            client_secret: arguments.client_secret_env.map(from_variable),
            client_metadata_url: arguments.client_metadata_url,
            scopes: Vec::new(),
        },
        // Whoever types an address may use it.
        allow_private_addresses: true,
        start_timeout_seconds: seconds,
        call_timeout_seconds: seconds,
        ..McpServerSettings::default()
    };
    let calls = match arguments.call_all {
        true => ProbeCalls::All,
        false => ProbeCalls::These(arguments.call),
    };
    let env = |name: &str| std::env::var(name).ok();
    let (supervisor, login) = (own_supervisor(), login.as_ref());
    let report = probe(settings, &eras, &calls, &supervisor, &env, login).await?;
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        print(&mut out, &report)?;
    }
    out.flush()?;
    let was_lost =
        |call: &ProbedCall| matches!(call.outcome, ProbedOutcome::NotRun | ProbedOutcome::Unknown);
    let failed = report.problem.is_some() || report.calls.iter().any(was_lost);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// How to log in, if that is wanted.
async fn login(arguments: &Arguments) -> anyhow::Result<Option<Login>> {
    if !arguments.login {
        return Ok(None);
    }
    let page = LocalPage::listen().await.context("no port is free for the way back")?;
    Ok(Some(Login::Now(Arc::new(page))))
}

fn print(out: &mut impl Write, report: &ProbeReport) -> io::Result<()> {
    if let Some(problem) = &report.problem {
        writeln!(out, "cannot be used: {}", plain(problem))?;
    }
    if let Some(server) = &report.server {
        let name = server.title.as_deref().or(server.name.as_deref()).unwrap_or("(no name)");
        let version = server.version.as_deref().unwrap_or_default();
        writeln!(out, "server: {} {}", plain(name), plain(version))?;
        writeln!(out, "protocol: {}", plain(&server.protocol))?;
        if let Some(instructions) = &server.instructions {
            writeln!(out, "instructions: {}", plain(instructions))?;
        }
        writeln!(out, "tools: {}", report.tools.len())?;
    }
    for tool in &report.tools {
        writeln!(out, "  {}: {}", plain(&tool.name), plain(&tool.description))?;
    }
    for warning in &report.warnings {
        writeln!(out, "warning: {}", plain(warning))?;
    }
    for call in &report.calls {
        let outcome = match call.outcome {
            ProbedOutcome::Answered => "answered",
            ProbedOutcome::ToolFailed => "failed",
            ProbedOutcome::NotRun => "did not run",
            ProbedOutcome::Unknown => "outcome unknown",
        };
        let asked = match call.questions {
            0 => String::new(),
            number => format!(", questions: {number}"),
        };
        writeln!(out, "call {}: {outcome}{asked}: {}", plain(&call.tool), plain(&call.text))?;
    }
    Ok(())
}

/// On one line and without control characters: a server must not write to the terminal itself.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).collect()
}

fn from_variable(env: String) -> SettingValue {
    SettingValue::Variable(FromVariable { env, prefix: String::new() })
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it has no '='")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn call(text: &str) -> anyhow::Result<(String, Map<String, Value>)> {
    let (tool, arguments) = text.split_once('=').context("it has no '='")?;
    let arguments = serde_json::from_str(arguments).context("the arguments are no JSON object")?;
    Ok((tool.to_owned(), arguments))
}

#[cfg(test)]
mod tests {
    use parlor_mcp::{ProbedTool, ServerIdentity};
    use serde_json::json;

    use super::*;

    /// I-5: people read what was found; a server's text cannot move their cursor.
    #[test]
    fn the_report_is_plain_text() {
        let tool = |name: &str| ProbedTool {
            name: name.to_owned(),
            title: None,
            description: "Reads\n  a \u{1b}[31mfile.".to_owned(),
            input_schema: json!({}),
        };
        let report = ProbeReport {
            server: Some(ServerIdentity {
                protocol: "2025-11-25".to_owned(),
                name: Some("files".to_owned()),
                title: None,
                version: Some("1.0".to_owned()),
                instructions: None,
            }),
            problem: None,
            warnings: vec!["b was left out: its schema is too large".to_owned()],
            tools: vec![tool("read")],
            calls: vec![ProbedCall {
                tool: "read".to_owned(),
                arguments: Map::new(),
                outcome: ProbedOutcome::ToolFailed,
                text: "no such file".to_owned(),
                questions: 1,
            }],
        };
        let mut out = Vec::new();
        print(&mut out, &report).unwrap();
        let expected = "server: files 1.0\nprotocol: 2025-11-25\ntools: 1\n  read: Reads a [31mfile.\n\
             warning: b was left out: its schema is too large\n\
             call read: failed, questions: 1: no such file\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    /// I-5: a call on the command line.
    #[test]
    fn a_call_is_a_tool_and_json() {
        let (tool, arguments) = call(r#"read={"path": "a=b"}"#).unwrap();
        assert_eq!((tool.as_str(), arguments["path"].as_str()), ("read", Some("a=b")));
        assert!(call("read").is_err() && call("read=[]").is_err());
    }
}
