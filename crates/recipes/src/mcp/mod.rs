//! The MCP server: the recipes of one tenant, for any client, in both eras of the
//! protocol (`initialize` up to 2025-11-25, `server/discover` from 2026-07-28 on).
//!
//! - [`http`]: the server over HTTP; over standard input and output it is [`serve_stdio`].
//! - [`tools`]: the tools with their descriptions; [`schemas`]: those of their arguments.
//! - [`arguments`]: arguments, parsed to a call.
//! - [`answers`]: results and errors, as the model reads them.
//!
//! Standard output belongs to the protocol; the log goes to standard error.

mod answers;
mod arguments;
mod http;
mod schemas;
mod tools;

use parlor_protocol::TenantId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;

use crate::change::{Run, RunId};
use crate::error::RecipeError;
use crate::preview::preview;
use crate::store::RecipeStore;
use arguments::Call;
use tools::Tool;

pub use http::McpRequest;

/// In a call: the caller's run id, so that the call happens once.
pub const RUN_ID_META: &str = "parlor/run-id";
/// In a result: `{"kind", "id"}` of an artifact to show beside the chat.
pub const ARTIFACT_META: &str = "parlor/artifact";
/// In a tool: the name of the tool that previews a call.
pub const PREVIEW_META: &str = "parlor/preview";
/// In a tool: only the host may call it, not the model.
pub const INTERNAL_META: &str = "parlor/internal";

/// The longest line that a client may send.
const MAX_LINE: usize = 4 << 20;

const INSTRUCTIONS: &str = "Recipe Vault keeps this household's recipes. list_recipes gives titles \
    and ids; every other tool takes such an id as recipe_id. Use display_recipe when the person \
    wants to see, read or cook a recipe, also right after create_recipe; use get_recipe when only \
    you need the details.";

/// Serves one tenant on standard input and output, until the client closes them.
pub async fn serve_stdio(store: RecipeStore, tenant: TenantId) -> Result<(), RecipeError> {
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE);
    let failed = |error: &dyn std::error::Error| RecipeError::Client(error.to_string());
    let served = match RecipeServer::new(store.clone(), tenant).serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| failed(&error)),
        // A client that closes the connection first has not failed.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    };
    store.close().await;
    served
}

/// Answers MCP requests about the recipes of one tenant.
#[derive(Debug, Clone)]
pub struct RecipeServer {
    store: RecipeStore,
    tenant: TenantId,
}

impl RecipeServer {
    /// A server for one tenant.
    pub fn new(store: RecipeStore, tenant: TenantId) -> Self {
        Self { store, tenant }
    }

    async fn call(
        &self,
        tool: Tool,
        arguments: Value,
        run_id: Option<&Value>,
    ) -> Result<CallToolResult, RecipeError> {
        let run_id = run_id.map(RunId::try_from).transpose()?;
        let (store, tenant) = (&self.store, &self.tenant);
        Ok(match arguments::parse(tool, &arguments)? {
            Call::List => answers::list(&store.list(tenant).await?),
            Call::Get(id) => answers::recipe(&store.get(tenant, id).await?),
            Call::Display(id) => answers::display(&store.get(tenant, id).await?),
            Call::Change(change) => {
                let run = run_id.as_ref();
                let run = run.map(|id| Run { id, tool: tool.name(), arguments: &arguments });
                let recipe = store.change(tenant, change, run).await?;
                match tool {
                    Tool::Delete => answers::deleted(&recipe),
                    _ => answers::recipe(&recipe),
                }
            }
            Call::Preview(change) => {
                let run = store.dry_run(tenant, change).await?;
                answers::preview(&preview(run.before.as_ref(), run.after.as_ref()))
            }
        })
    }
}

impl ServerHandler for RecipeServer {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("parlor-recipes", env!("CARGO_PKG_VERSION"))
            .with_title("Recipe Vault");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Tool::ALL.into_iter().map(Tool::definition).collect()))
    }

    /// Errors that a model can correct are results of the tool, which it reads; only an
    /// unknown tool is an error of the protocol.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_name(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let run_id = context.meta.get(RUN_ID_META);
        let result = self.call(tool, arguments, run_id).await;
        Ok(result.unwrap_or_else(|error| answers::error(tool, &error)).into())
    }
}
