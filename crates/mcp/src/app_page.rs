//! Reads the page of an app from its server, when somebody looks at it.

use std::time::Duration;

use parlor_agent::tools::{AppPage, Tool, ToolOutcome};
use rmcp::model::ReadResourceRequestParams;
use tokio::time::timeout;

use super::apps;
use super::callee::Callee;

const READING: Duration = Duration::from_secs(15);

/// Reads the page of a tool from its server.
pub(super) async fn read(callee: Callee, tool: Tool) -> Result<AppPage, String> {
    let address = tool.app.page.ok_or_else(|| format!("{} has no app", tool.name))?;
    let connected = callee.connected().await;
    let (_server, connection) = connected.map_err(|outcome| match outcome {
        ToolOutcome::NotRun(why) | ToolOutcome::LoginNeeded(why) => why,
        ToolOutcome::Unknown(_) | ToolOutcome::Answered { .. } => "it is not available".to_owned(),
    })?;
    let request = ReadResourceRequestParams::new(address);
    let read = timeout(READING, connection.peer.read_resource(request)).await;
    let read = read.map_err(|_| "the server did not send its page in time".to_owned())?;
    let read = read.map_err(|_| "the server has no such page".to_owned())?;
    let content = read.contents.into_iter().next();
    apps::parse(content.ok_or_else(|| "the server sent no page".to_owned())?)
}
