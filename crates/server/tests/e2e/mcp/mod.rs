//! MCP servers as real child processes under the real `parlor supervise`.

mod bundled;
mod calls;
mod containment;
mod crash_loop;
mod faults;
mod questions;
pub(crate) mod served;
mod status;
pub(crate) mod third_party;

use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use parlor_agent::ContentBlock;
use parlor_agent::tools::{
    ServerHealth, ServerState, ToolCall, ToolEvent, ToolOutcome, ToolStream, Tools,
};
use parlor_mcp::{McpHost, McpServerSettings};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::programs::testkit_program;
use crate::test_app::{PATIENCE, supervisor};

/// The run id of every call in these tests.
pub(crate) const RUN: Uuid = Uuid::from_u128(7);

/// A host for servers with these settings, by name.
pub(crate) fn host(servers: &[(&str, Value)]) -> McpHost {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let settings: Vec<(&str, McpServerSettings)> = servers
        .iter()
        .map(|(name, settings)| (*name, serde_json::from_value(settings.clone()).unwrap()))
        .collect();
    let servers = settings.iter().map(|(name, settings)| (*name, settings));
    let env = |name: &str| std::env::var(name).ok();
    let host = McpHost::new("test", servers, &supervisor(), &env).unwrap();
    host.start();
    host
}

/// The misbehaving server of the testkit, with these arguments.
pub(crate) fn faulty(arguments: &[&str]) -> Value {
    json!({"command": faulty_program(), "args": arguments})
}

pub(crate) fn faulty_program() -> &'static Path {
    testkit_program("faulty-mcp")
}

pub(crate) fn health(host: &McpHost, server: &str) -> ServerHealth {
    host.health().into_iter().find(|health| health.server == server).unwrap()
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "not so: {what}");
}

/// Waits until a server is ready.
pub(crate) async fn ready(host: &McpHost, server: &str) {
    until("the server is ready", || health(host, server).state == ServerState::Ready).await;
}

pub(crate) fn begin(host: &McpHost, tool: &str, arguments: Value) -> ToolStream {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    host.call(ToolCall { tool: tool.to_owned(), arguments, run: RUN })
}

/// The next event of a call.
pub(crate) async fn next(stream: &mut ToolStream) -> ToolEvent {
    let event = tokio::time::timeout(PATIENCE, stream.next()).await.expect("the call hangs");
    event.expect("a call ends with its outcome")
}

/// The outcome of a call that asks nothing.
pub(crate) async fn outcome(mut stream: ToolStream) -> ToolOutcome {
    match next(&mut stream).await {
        ToolEvent::Done(outcome) => {
            assert!(stream.next().await.is_none(), "nothing comes after the outcome");
            outcome
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn call(host: &McpHost, tool: &str, arguments: Value) -> ToolOutcome {
    outcome(begin(host, tool, arguments)).await
}

/// The text of a tool's result.
pub(crate) async fn text(host: &McpHost, tool: &str, arguments: Value) -> String {
    let outcome = call(host, tool, arguments).await;
    words(&outcome).unwrap_or_else(|| panic!("{outcome:?}"))
}

/// The text of an outcome, if it is a result.
pub(crate) fn words(outcome: &ToolOutcome) -> Option<String> {
    match outcome {
        ToolOutcome::Answered { content, .. } => {
            Some(content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// The process ids that a server recorded.
pub(crate) fn family(file: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Waits until none of them runs. A zombie does not count.
pub(crate) async fn gone(processes: &[u32]) {
    until("the processes are gone", || !processes.iter().any(|pid| runs(*pid))).await;
}

pub(crate) fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}
