//! The MCP server over streamable HTTP: a request is answered by one JSON message, and nothing is
//! kept between requests.
//!
//! 1. The message is parsed once, and what is judged here is what the library gets.
//! 2. The caller may count a change ([`McpRequest::is_change`]) before it is made.
//! 3. The library answers for the tenant of the request, in either era of the protocol.
//!
//! So any of several nodes can answer any request, no client can fill the memory with connections
//! that it does not use, and nothing outlives the key that it was opened with.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use axum::http::request::Parts;
use axum::response::Response;
use parlor_protocol::TenantId;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::RecipeServer;
use super::tools::Tool;
use crate::limits;
use crate::store::RecipeStore;

/// One request of the protocol. Whoever makes it has checked `Host`, `Origin`, the key and the size.
#[derive(Debug)]
pub struct McpRequest {
    head: Parts,
    body: Vec<u8>,
    is_change: bool,
}

impl McpRequest {
    /// The largest body of a request.
    pub const MAX_BODY: usize = limits::BODY;

    /// Reads a request. One that is no message of the protocol is refused by its answer.
    pub fn new(head: Parts, body: Vec<u8>) -> Self {
        let Ok(message) = serde_json::from_slice::<Value>(&body) else {
            return Self { head, body, is_change: false };
        };
        // Written again, so that a field that is given twice cannot mean two things.
        let body = message.to_string().into_bytes();
        Self { head, body, is_change: is_change(&message) }
    }

    /// Whether it may change recipes.
    pub fn is_change(&self) -> bool {
        self.is_change
    }

    /// Answers it, about the recipes of this tenant.
    pub async fn answer(self, store: RecipeStore, tenant: TenantId) -> Response {
        // The names under which this server is reached are known to the caller, not here.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(Self::MAX_BODY);
        let server = move || Ok(RecipeServer::new(store.clone(), tenant.clone()));
        let nothing_kept = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(server, nothing_kept, config);
        let request = Request::from_parts(self.head, Body::from(self.body));
        service.handle(request).await.map(Body::new)
    }
}

/// A call of a tool that is not known to change nothing.
fn is_change(message: &Value) -> bool {
    let tool = || message["params"]["name"].as_str().and_then(Tool::from_name);
    message["method"] == "tools/call" && !tool().is_some_and(Tool::only_reads)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// I-5: what counts against the rate limits is decided by the message that is answered.
    #[test]
    fn a_call_that_may_change_something_is_a_change() {
        let call = |tool: &str| json!({"method": "tools/call", "params": {"name": tool}});
        for (message, expected) in [
            (json!({"method": "tools/list"}), false),
            (json!({"method": "initialize"}), false),
            (json!([call("delete_recipe")]), false),
            (call("list_recipes"), false),
            (call("preview_recipe_change"), false),
            (call("create_recipe"), true),
            (call("delete_recipe"), true),
            (call("a tool of a later version"), true),
            (json!({"method": "tools/call"}), true),
        ] {
            let (head, ()) = Request::new(()).into_parts();
            let request = McpRequest::new(head, message.to_string().into_bytes());
            assert_eq!(request.is_change(), expected, "{message}");
        }
        let twice = br#"{"method": "tools/call", "method": "tools/list"}"#;
        let (head, ()) = Request::new(()).into_parts();
        let request = McpRequest::new(head, twice.to_vec());
        assert_eq!(request.body, br#"{"method":"tools/list"}"#, "one meaning");
    }
}
