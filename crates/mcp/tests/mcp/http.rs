//! Tools over streamable HTTP, from a server built with the official library (M-1, M-3).

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use futures_util::StreamExt as _;
use parlor_agent::tools::{
    ElicitationReply, ServerState, ToolCall, ToolEvent, ToolOutcome, ToolStream, Tools,
};
use parlor_mcp::{McpHost, McpServerSettings};
use parlor_process::Supervisor;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequestParams,
    ElicitationSchema, ErrorData, InputRequest, InputRequests, InputRequiredResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// A timeout that only turns a hang into a failure.
const FOREVER: Duration = Duration::from_secs(60);

/// A host with one server at a URL.
pub(crate) fn host(settings: Value) -> McpHost {
    install_tls();
    let settings: McpServerSettings = serde_json::from_value(settings).unwrap();
    let env = |name: &str| (name == "TOKEN").then(|| "very secret".to_owned());
    // No process is started in these tests.
    let none = Supervisor { executable: "/nowhere".into(), arguments: Vec::new() };
    let host = McpHost::new("test", [("s", &settings)], &none, &env).unwrap();
    host.start();
    host
}

pub(crate) fn at(address: SocketAddr) -> Value {
    json!({"url": format!("http://{address}/mcp"), "allow_private_addresses": true})
}

pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waiting).await.is_ok(), "not so: {what}");
}

pub(crate) async fn ready(host: &McpHost) {
    until("the server is ready", || host.health()[0].state == ServerState::Ready).await;
}

pub(crate) fn begin(host: &McpHost, tool: &str, arguments: Value) -> ToolStream {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    host.call(ToolCall { tool: tool.to_owned(), arguments, run: Uuid::from_u128(7) })
}

pub(crate) async fn call(host: &McpHost, tool: &str, arguments: Value) -> ToolOutcome {
    match in_time(begin(host, tool, arguments).next()).await {
        Some(ToolEvent::Done(outcome)) => outcome,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn words(outcome: &ToolOutcome) -> &str {
    match outcome {
        ToolOutcome::Answered { content, .. } => content[0].as_text().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// A server with a few tools.
#[derive(Debug, Clone, Default)]
struct Sample {
    /// The number of additional tools; a change is reported to subscribers.
    grown: watch::Sender<usize>,
}

impl ServerHandler for Sample {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(capabilities.build())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut grown = self.grown.subscribe();
        while grown.changed().await.is_ok() {
            if context.sink().notify_tool_list_changed().await.is_err() {
                break;
            }
        }
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let tool = |name| Tool::new(name, "A sample.", Arc::new(schema.clone()));
        let grown: Vec<String> =
            (0..*self.grown.borrow()).map(|number| format!("grown_{number}")).collect();
        let names = ["header", "ask", "need", "grow"].map(str::to_owned).into_iter().chain(grown);
        Ok(ListToolsResult::with_all_items(names.map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match request.name.as_ref() {
            "header" => {
                let parts = context.extensions.get::<Parts>().unwrap();
                format!("{:?}", parts.headers.get("authorization"))
            }
            "ask" => {
                let message = request.arguments.unwrap()["text"].as_str().unwrap().to_owned();
                let requested_schema = ElicitationSchema::builder().build().unwrap();
                let question = ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message: message.clone(),
                    requested_schema,
                };
                let answer = context.peer.create_elicitation(question).await.unwrap();
                format!("{message} {}", answer.content.unwrap_or_default())
            }
            "grow" => {
                self.grown.send_modify(|grown| *grown += 1);
                "grown".to_owned()
            }
            "need" => match request.input_responses {
                Some(answers) => format!("{} {}", request.request_state.unwrap(), answers["size"]),
                None => return Ok(needs_size()),
            },
            other => return Err(ErrorData::invalid_params(other.to_owned(), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// A question in the form of protocol version 2026-07-28.
fn needs_size() -> CallToolResponse {
    let question = json!({"method": "elicitation/create", "params": {"mode": "form",
        "message": "Which size?", "requestedSchema": {"type": "object", "properties": {}}}});
    let questions = InputRequests::from([(
        "size".to_owned(),
        serde_json::from_value::<InputRequest>(question).unwrap(),
    )]);
    InputRequiredResult::new(Some(questions), Some("state".to_owned())).into()
}

/// Serves at an address until it is aborted.
async fn serve(address: &str) -> (SocketAddr, JoinHandle<()>) {
    let sample = Sample::default();
    let service = StreamableHttpService::new(
        move || Ok(sample.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().route_service("/mcp", service);
    (address, tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }))
}

/// M-1: headers with values from the environment are sent with each request.
#[tokio::test]
async fn headers_are_sent_with_each_request() {
    let (address, _server) = serve("127.0.0.1:0").await;
    let mut settings = at(address);
    settings["headers"] = json!({"Authorization": {"env": "TOKEN", "prefix": "Bearer "}});
    let host = host(settings);
    ready(&host).await;
    let seen = call(&host, "s_header", json!({})).await;
    assert_eq!(words(&seen), "Some(\"Bearer very secret\")");
    assert!(!format!("{host:?}").contains("very secret"));
}

/// M-3: over HTTP a question arrives on the stream of its call, so parallel calls each get their
/// own.
#[tokio::test]
async fn questions_of_calls_side_by_side_find_their_own() {
    let (address, _server) = serve("127.0.0.1:0").await;
    let host = host(at(address));
    ready(&host).await;
    let asked = async |name: &'static str| {
        let mut stream = begin(&host, "s_ask", json!({"text": name}));
        let Some(ToolEvent::Elicitation { message, reply, .. }) = in_time(stream.next()).await
        else {
            panic!("it asks")
        };
        assert_eq!(message, name);
        // All calls have asked before the first answer.
        tokio::time::sleep(Duration::from_millis(50)).await;
        reply.send(ElicitationReply::Accept(json!({"from": name}))).unwrap();
        match in_time(stream.next()).await {
            Some(ToolEvent::Done(outcome)) => words(&outcome).to_owned(),
            other => panic!("{other:?}"),
        }
    };
    let (one, two, three) = tokio::join!(asked("one"), asked("two"), asked("three"));
    assert_eq!(one, r#"one {"from":"one"}"#);
    assert_eq!(two, r#"two {"from":"two"}"#);
    assert_eq!(three, r#"three {"from":"three"}"#);
}

/// M-3, protocol version 2026-07-28: a call that needs an answer returns a question, and is made
/// again with the answer.
#[tokio::test]
async fn a_server_of_the_newer_era_asks_too() {
    let (address, _server) = serve("127.0.0.1:0").await;
    let mut settings = at(address);
    settings["protocol"] = json!("2026-07-28");
    let host = host(settings);
    ready(&host).await;
    assert_eq!(words(&call(&host, "s_header", json!({})).await), "None");
    for (reply, read) in [
        (ElicitationReply::Accept(json!({"size": "L"})), r#""action":"accept""#),
        (ElicitationReply::Decline, r#""action":"decline""#),
    ] {
        let mut stream = begin(&host, "s_need", json!({}));
        let Some(ToolEvent::Elicitation { message, reply: answer, .. }) =
            in_time(stream.next()).await
        else {
            panic!("it asks")
        };
        assert_eq!(message, "Which size?");
        answer.send(reply).unwrap();
        let Some(ToolEvent::Done(outcome)) = in_time(stream.next()).await else {
            panic!("it ends")
        };
        let words = words(&outcome);
        assert!(words.starts_with("state ") && words.contains(read), "{words}");
    }
}

/// M-3, protocol version 2026-07-28: a subscriber is notified when the tools change.
#[tokio::test]
async fn the_list_follows_a_server_of_the_newer_era() {
    let (address, _server) = serve("127.0.0.1:0").await;
    let mut settings = at(address);
    settings["protocol"] = json!("2026-07-28");
    let host = host(settings);
    ready(&host).await;
    let before = host.list().len();
    // The subscription may not be open yet when the first tool is added.
    let grows = async {
        while host.list().len() == before {
            assert_eq!(words(&call(&host, "s_grow", json!({})).await), "grown");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    in_time(grows).await;
}

/// M-2: a server that was down is found again without a restart of the host.
#[tokio::test]
async fn a_server_that_was_away_is_found_again() {
    let (address, server) = serve("127.0.0.1:0").await;
    let host = host(at(address));
    ready(&host).await;
    server.abort();
    let _ended = server.await;
    let away = call(&host, "s_header", json!({})).await;
    assert!(matches!(away, ToolOutcome::NotRun(_)), "nobody took the call: {away:?}");
    until("it is noticed", || host.health()[0].state != ServerState::Ready).await;
    let (_, _server) = serve(&address.to_string()).await;
    assert_eq!(words(&call(&host, "s_header", json!({})).await), "None");
}

/// FAULTS 27: a name that resolves to this machine is refused when the connection is made.
#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_refused() {
    let (address, _server) = serve("127.0.0.1:0").await;
    let url = format!("http://localhost:{}/mcp", address.port());
    let host = host(json!({"url": url}));
    until("it is refused", || host.health()[0].problem.is_some()).await;
    let problem = host.health().remove(0).problem.unwrap();
    assert!(problem.contains("allow_private_addresses"), "{problem}");
    assert!(!problem.contains("localhost"), "addresses are not repeated: {problem}");
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(FOREVER, future).await.expect("the test hangs")
}

fn install_tls() {
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
