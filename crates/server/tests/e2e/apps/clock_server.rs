//! An MCP server with an app, made with the official library: a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::mcp_over_http::serve;

const PAGE: &str = "<!doctype html><title>Clock</title><p>12:00</p>";

#[derive(Debug, Clone, Default)]
pub(crate) struct ClockServer {
    url: String,
    /// How often the clock was set.
    sets: Arc<AtomicUsize>,
}

impl ClockServer {
    pub(crate) async fn start() -> Self {
        let mut this = Self::default();
        this.url = serve(this.clone()).await;
        this
    }

    pub(super) fn sets(&self) -> usize {
        self.sets.load(Ordering::SeqCst)
    }

    /// Its section of the configuration.
    pub(crate) fn section(&self, more: &str) -> String {
        format!(
            "[tenants.home.projects.recipes.mcp.clock]\nurl = \"{}\"\n\
             allow_private_addresses = true\ntrust_annotations = true\n{more}\n",
            self.url
        )
    }
}

fn tool(name: &str, annotations: Value, ui: Value) -> Tool {
    let tool = json!({"name": name, "description": "About a clock.", "annotations": annotations,
        "inputSchema": {"type": "object"}, "_meta": {"ui": ui}});
    serde_json::from_value(tool).unwrap()
}

impl ServerHandler for ClockServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources();
        ServerConfig::new(capabilities.build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let reads = json!({"readOnlyHint": true});
        Ok(ListToolsResult::with_all_items(vec![
            tool("show", reads.clone(), json!({"resourceUri": "ui://clock/page"})),
            tool("tick", reads.clone(), json!({"visibility": ["app"]})),
            tool("set", json!({"destructiveHint": true}), json!({})),
            tool("wind", reads, json!({"visibility": ["model"]})),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "set" {
            self.sets.fetch_add(1, Ordering::SeqCst);
        }
        let result = json!({"content": [{"type": "text", "text": "It is noon."}],
            "structuredContent": {"hour": 12, "maker": "Anthropic"}});
        Ok(serde_json::from_value::<CallToolResult>(result).unwrap().into())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let content = json!({"uri": request.uri, "mimeType": "text/html;profile=mcp-app",
            "text": PAGE, "_meta": {"ui": {"csp": {"connectDomains": ["https://time.example"]}}}});
        let content: ResourceContents = serde_json::from_value(content).unwrap();
        Ok(ReadResourceResult::new(vec![content]).into())
    }
}
