//! An MCP server of the official library behind an authorization server that keeps the rules: PKCE,
//! secrets of clients, codes and refresh tokens that work once. It writes down who breaks them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, serve};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use url::form_urlencoded;

/// The tool that needs the scope `write`.
pub(super) const PUBLISH: &str = "publish";
const SECRET: &str = "secret-of-a-client";

type Fields = HashMap<String, String>;

/// The servers, and what they saw.
#[derive(Clone)]
pub(crate) struct GuardedServer {
    pub(super) base: String,
    state: Arc<Mutex<Seen>>,
}

#[derive(Default)]
pub(super) struct Seen {
    /// Codes that were given out, with what they are bound to.
    codes: HashMap<String, Fields>,
    /// Access tokens, and what they are for.
    access: HashMap<String, Grant>,
    /// The refresh tokens that work, and what they are for.
    refresh: HashMap<String, Grant>,
    /// The refresh tokens that were used.
    used: HashSet<String>,
    /// Whose token each session of MCP came with.
    sessions: HashMap<String, String>,
    /// The calls of tools that arrived: whose token they came with, and the tool.
    pub(super) calls: Vec<(String, String)>,
    /// The requests that renewed tokens, by the account.
    pub(super) renewed: Vec<String>,
    /// Sessions that were ended by the client.
    pub(super) ended_sessions: Vec<String>,
    /// All tokens that were ever given out.
    pub(super) tokens: Vec<String>,
    pub(super) registrations: usize,
    pub(super) logins: usize,
    pub(super) renewals: usize,
    /// Rules that were broken.
    pub(super) broken: Vec<String>,
    /// How long new tokens last.
    pub(super) lifetime: u64,
    /// Calls wait until so many are here.
    pub(super) together: usize,
}

/// What a token is for.
#[derive(Clone)]
struct Grant {
    scope: String,
    /// The account of whoever logged in.
    account: String,
}

impl GuardedServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(Seen { lifetime: 3600, ..Seen::default() }));
        let this = Self { base, state };
        let mcp = StreamableHttpService::new(
            || Ok(Sample),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default(),
        );
        let guarded =
            Router::new().nest_service("/mcp", mcp).layer(from_fn_with_state(this.clone(), guard));
        let app = Router::new()
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .with_state(this.clone())
            .merge(guarded);
        tokio::spawn(async move { serve(listener, app).await.unwrap() });
        this
    }

    /// Its section of the configuration, as the server `mail` of a project.
    pub(crate) fn section(&self) -> String {
        format!(
            "[tenants.home.projects.recipes.mcp.mail]\nurl = \"{}/mcp\"\n\
             allow_private_addresses = true\n\
             [tenants.home.projects.recipes.mcp.mail.tools.\"*\"]\naction = \"allow\"\n",
            self.base
        )
    }

    /// The same section, for a server that each person logs in to.
    pub(crate) fn section_of_people(&self) -> String {
        self.section().replace("/mcp\"\n", "/mcp\"\nlogin = \"person\"\n")
    }

    pub(super) fn seen<T>(&self, read: impl FnOnce(&mut Seen) -> T) -> T {
        read(&mut self.state.lock().unwrap())
    }

    /// The server no longer knows the access tokens that it gave out.
    pub(super) fn forget_access_tokens(&self) {
        self.seen(|seen| seen.access.clear());
    }

    /// Nobody is logged in any more.
    pub(super) fn forget_all(&self) {
        self.seen(|seen| {
            seen.access.clear();
            seen.refresh.clear();
        });
    }

    /// The server no longer knows the tokens of an account.
    pub(super) fn forget(&self, account: &str) {
        self.seen(|seen| {
            seen.access.retain(|_, grant| grant.account != account);
            seen.refresh.retain(|_, grant| grant.account != account);
        });
    }
}

fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

async fn resource(State(this): State<GuardedServer>) -> Response {
    answer(
        StatusCode::OK,
        &json!({"resource": format!("{}/mcp", this.base), "authorization_servers": [this.base],
        "scopes_supported": ["read"]}),
    )
}

async fn metadata(State(this): State<GuardedServer>) -> Response {
    let at = |path: &str| format!("{}/{path}", this.base);
    answer(
        StatusCode::OK,
        &json!({"issuer": this.base, "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"), "registration_endpoint": at("register"),
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"]}),
    )
}

async fn register(State(this): State<GuardedServer>, client: String) -> Response {
    let client: Value = serde_json::from_str(&client).unwrap();
    let number = this.seen(|seen| {
        seen.registrations += 1;
        seen.registrations
    });
    let new = json!({"client_id": format!("client-{number}"), "client_secret": SECRET,
        "redirect_uris": client["redirect_uris"]});
    answer(StatusCode::CREATED, &new)
}

/// The login page: whoever opens it is logged in at once, with the account that they name.
async fn authorize(State(this): State<GuardedServer>, Query(asked): Query<Fields>) -> Response {
    let code = this.seen(|seen| {
        seen.logins += 1;
        let code = format!("code-{}", seen.logins);
        seen.codes.insert(code.clone(), asked.clone());
        code
    });
    let back =
        format!("{}?code={code}&state={}&iss={}", asked["redirect_uri"], asked["state"], this.base);
    (StatusCode::FOUND, [(header::LOCATION, back)]).into_response()
}

async fn token(State(this): State<GuardedServer>, headers: HeaderMap, asked: String) -> Response {
    let asked: Fields = form_urlencoded::parse(asked.as_bytes()).into_owned().collect();
    let given = headers.get("authorization").and_then(|value| value.to_str().ok());
    let by = given.and_then(|value| value.strip_prefix("Basic "));
    let by = by.and_then(|value| BASE64.decode(value.as_bytes()).ok());
    let has_secret = by.is_some_and(|by| String::from_utf8_lossy(&by).ends_with(SECRET));
    this.seen(|seen| {
        if !has_secret {
            seen.broken.push("a client without its secret".to_owned());
        }
        if asked.get("resource").is_none_or(|resource| *resource != format!("{}/mcp", this.base)) {
            seen.broken.push(format!("resource: {:?}", asked.get("resource")));
        }
        let grant = match asked["grant_type"].as_str() {
            "authorization_code" => seen.exchange(&asked),
            _ => seen.renew(&asked),
        };
        match grant {
            Some(grant) => answer(StatusCode::OK, &seen.give_out(&grant)),
            None => answer(StatusCode::BAD_REQUEST, &json!({"error": "invalid_grant"})),
        }
    })
}

impl Seen {
    fn exchange(&mut self, asked: &Fields) -> Option<Grant> {
        let bound = self.codes.remove(&asked["code"])?;
        let proof = BASE64URL_NOPAD.encode(&Sha256::digest(asked["code_verifier"].as_bytes()));
        if bound["code_challenge"] != proof || bound["redirect_uri"] != asked["redirect_uri"] {
            self.broken.push("a code of somebody else".to_owned());
            return None;
        }
        let part = |name: &str| bound.get(name).cloned().unwrap_or_default();
        Some(Grant { scope: part("scope"), account: part("account") })
    }

    fn renew(&mut self, asked: &Fields) -> Option<Grant> {
        let token = &asked["refresh_token"];
        let Some(grant) = self.refresh.remove(token) else {
            // One that the server forgot may be tried.
            if self.used.contains(token) {
                self.broken.push("a refresh token that was used already".to_owned());
            }
            return None;
        };
        self.used.insert(token.clone());
        self.renewals += 1;
        self.renewed.push(grant.account.clone());
        Some(grant)
    }

    fn give_out(&mut self, grant: &Grant) -> Value {
        let number = self.tokens.len();
        let [access, refresh] = ["access", "refresh"].map(|kind| format!("{kind}-token-{number}"));
        self.access.insert(access.clone(), grant.clone());
        self.refresh.insert(refresh.clone(), grant.clone());
        self.tokens.extend([access.clone(), refresh.clone()]);
        crate::logs::secret(&access);
        crate::logs::secret(&refresh);
        json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer",
            "expires_in": self.lifetime, "scope": grant.scope})
    }
}

/// Lets in who has a token that covers the request.
async fn guard(State(this): State<GuardedServer>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let given = parts.headers.get("authorization").and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", this.base);
    let refused = |status: StatusCode, more: &str| {
        let challenge = format!("Bearer resource_metadata=\"{metadata}\"{more}");
        (status, [(header::WWW_AUTHENTICATE, challenge)]).into_response()
    };
    let Some(Grant { scope, account }) = this.seen(|seen| seen.access.get(given).cloned()) else {
        return refused(StatusCode::UNAUTHORIZED, ", scope=\"read\"");
    };
    let session = parts.headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
    let is_end = parts.method == Method::DELETE;
    this.seen(|seen| seen.note_session(session, &account, is_end));
    let publishes = String::from_utf8_lossy(&body).contains("\"name\":\"publish\"");
    if publishes && !scope.split(' ').any(|scope| scope == "write") {
        let more = ", error=\"insufficient_scope\", scope=\"write\"";
        return refused(StatusCode::FORBIDDEN, more);
    }
    let call = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    if call["method"] == "tools/call" {
        let tool = call["params"]["name"].as_str().unwrap().to_owned();
        this.seen(|seen| seen.calls.push((account, tool)));
        while this.seen(|seen| seen.calls.len() < seen.together) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

impl Seen {
    /// A session belongs to whoever began it.
    fn note_session(&mut self, session: Option<&str>, account: &str, is_end: bool) {
        let Some(session) = session else { return };
        let owner = self.sessions.entry(session.to_owned()).or_insert_with(|| account.to_owned());
        if owner != account {
            self.broken.push(format!("{account} in a session of {owner}"));
        }
        if is_end {
            self.ended_sessions.push(account.to_owned());
        }
    }
}

#[derive(Debug, Clone)]
struct Sample;

impl ServerHandler for Sample {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let tool = |name| Tool::new(name, "A sample.", Arc::new(schema.clone()));
        Ok(ListToolsResult::with_all_items([PUBLISH, "read"].map(tool).into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = format!("{} is done", request.name);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
