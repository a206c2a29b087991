//! Apps: pages that MCP servers bring, shown in the chat (I-6).
//!
//! 1. The message that shows the result of a tool names the server whose page shows it. The page is
//!    read from the server when somebody looks at it.
//! 2. A page may call tools of its own server. The approval policy decides, as for an agent.
//! 3. A call that only reads, and needs no approval, runs at once; its result goes to the page
//!    alone. Every other call is a turn of its own ([`call_agent`]), so that it is proposed, asked
//!    about, stored, shown and recovered as every call is. The page finds the result in the log.

pub(crate) mod call_agent;

use std::sync::Arc;

use futures_util::StreamExt as _;
use parlor_agent::tools::{AppPage, Tool, ToolCall, ToolEvent, ToolOutcome, Tools};
use parlor_agent::{ContentBlock, ProposedCall};
use parlor_guard::Clean;
use parlor_protocol::message::MessageData;
use parlor_protocol::{ConversationId, MessageId, Verdict, metadata};
use parlor_storage::Path;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use self::call_agent::AppCall;
use crate::approval_policy::judge;
use crate::caller::{Accepted, Caller};
use crate::error::ChatError;
use crate::project::Project;
use crate::state::ChatState;
use crate::turn;

/// What became of a call of an app.
#[derive(Debug)]
pub enum AppCallOutcome {
    /// It has run; this is the result, as MCP writes it.
    Answered(Clean<Value>),
    /// It is a turn now: its result comes as a message of that turn.
    Began(Accepted),
}

/// The app that shows a message.
struct ShownApp {
    project: Arc<Project>,
    tools: Arc<dyn Tools>,
    server: String,
    /// The tool whose result it shows.
    tool: String,
    /// The current path of its conversation.
    path: Path,
}

/// The page that shows a message.
pub(crate) async fn page(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    message: MessageId,
) -> Result<AppPage, ChatError> {
    let app = find(state, caller, conversation, message).await?;
    app.tools.app_page(&app.tool).await.map_err(|why| {
        tracing::warn!(server = app.server, %why, "the page of an app cannot be shown");
        ChatError::Unavailable("The server of this app does not have its page now.".to_owned())
    })
}

/// A call of the page that shows a message.
pub(crate) async fn call(
    state: &Arc<ChatState>,
    caller: &Caller,
    conversation: ConversationId,
    message: MessageId,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<AppCallOutcome, ChatError> {
    state.take_part(caller, conversation).await?;
    let app = find(state, caller, conversation, message).await?;
    let tool = app.tools.app_tool(&app.server, name).ok_or(ChatError::NotFound)?;
    let proposed = call_agent::proposed(tool.clone(), arguments.clone());
    if only_reads(state, &app.project, app.path, &proposed).await? {
        let outcome = run(&app, &tool, arguments).await;
        return Ok(AppCallOutcome::Answered(Clean::new(&app.project.sanitizer, outcome)));
    }
    let call = AppCall { server: app.server.clone(), tool: tool.name, arguments };
    let project = call_agent::project(&app.project, call);
    let write = turn::app_turn(caller, &project, conversation, app.server);
    let slot = state.turn_slot(caller, &project).await?;
    Ok(AppCallOutcome::Began(turn::begin(state, write, &project, slot).await?))
}

async fn find(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    message: MessageId,
) -> Result<ShownApp, ChatError> {
    let of = state.store.conversation(&caller.scope, conversation).await?;
    let project = state.projects.get(&caller.tenant, &of.project).ok_or(ChatError::NotFound)?;
    let tools = project.tools_of(caller.person()).ok_or(ChatError::NotFound)?;
    let message = state.store.message(&caller.scope, conversation, message).await?;
    let message = message.get();
    let server = metadata::APP.raw(&message.metadata).and_then(Value::as_str);
    let server = server.ok_or(ChatError::NotFound)?.to_owned();
    // Of a server that each person logs in to, what is listed for this one.
    tools.settle().await;
    let Some(MessageData::ToolResult(result)) = &message.data else {
        return Err(ChatError::NotFound);
    };
    let (project, tool, path) = (project.clone(), result.name.clone(), of.path());
    Ok(ShownApp { project, tools, server, tool, path })
}

/// Whether a call changes nothing, by the word of a server that is trusted with it, and needs no
/// approval.
async fn only_reads(
    state: &ChatState,
    project: &Project,
    path: Path,
    call: &ProposedCall,
) -> Result<bool, ChatError> {
    let reads = call.tool.as_ref().is_some_and(|tool| tool.claims.read_only);
    let allowances = state.store.allowances(path.conversation()).await?;
    let flow = project.flow_context(&state.store, path).await?;
    Ok(reads && judge(call, &allowances, &flow).verdict == Verdict::Allow)
}

async fn run(app: &ShownApp, tool: &Tool, arguments: Map<String, Value>) -> Value {
    let call = ToolCall { tool: tool.spec.name.clone(), arguments, run: Uuid::now_v7() };
    let mut events = app.tools.call(call);
    while let Some(event) = events.next().await {
        // A question is cancelled: the person looks at a page, and not at the chat.
        if let ToolEvent::Done(outcome) = event {
            return as_mcp(outcome);
        }
    }
    as_mcp(ToolOutcome::Unknown("The call ended without a result.".to_owned()))
}

/// An outcome as MCP writes it.
fn as_mcp(outcome: ToolOutcome) -> Value {
    match outcome {
        ToolOutcome::Answered { content, is_error, extras } => {
            let content: Vec<Value> = content.iter().map(block).collect();
            let mut result = json!({"content": content, "isError": is_error});
            if let Some(structured) = extras.app.and_then(|app| app.structured) {
                result["structuredContent"] = structured;
            }
            result
        }
        ToolOutcome::NotRun(why) | ToolOutcome::LoginNeeded(why) | ToolOutcome::Unknown(why) => {
            json!({"content": [{"type": "text", "text": why}], "isError": true})
        }
    }
}

fn block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Image { media_type, data } => {
            json!({"type": "image", "mimeType": media_type, "data": data})
        }
        other => json!({"type": "text", "text": other.as_text().unwrap_or("[…]")}),
    }
}
