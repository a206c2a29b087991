//! `parlor mcp recipes --http`: Recipe Vault over HTTP for one tenant, without the chat server.
//!
//! 1. What is not safe is refused before anything listens: an address that others can reach
//!    without a key, a key that can be guessed, an address that is no name of the server.
//! 2. Connections are limited in number, and each request in size and time.
//! 3. A request must name this server, come from no other site ([`edge`]) and carry the key, if
//!    there is one. The rest is [`McpRequest`], as for `/mcp/recipes` of the chat server.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Router, body};
use clap::Args;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parlor_protocol::TenantId;
use parlor_recipes::{McpRequest, RecipeStore};
use secrecy::{ExposeSecret, SecretString};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::Service;

use crate::auth::{TokenHash, given_key, is_short};
use crate::config::PublicUrl;
use crate::http::edge;
use crate::http::errors::ApiError;
use crate::start::stop_signal;

/// Where it listens unless told otherwise.
const DEFAULT: &str = "127.0.0.1:8788";
/// As at the chat server.
const PATH: &str = "/mcp/recipes";
/// The environment variable of the key, so that it is in no list of processes.
const KEY: &str = "PARLOR_MCP_KEY";
const CONNECTIONS: u32 = 100;
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const BUFFER: usize = 64 << 10;
const ACCEPT_BACKOFF: Duration = Duration::from_millis(250);
/// How long requests may take to end after the process was asked to stop.
const CLOSING: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Serves over HTTP, at /mcp/recipes of this address; a port alone is one of this machine.
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = DEFAULT)]
    http: Option<ListenAddress>,
    /// The URL by which clients reach it, if that is not its address.
    #[arg(long, value_name = "URL", requires = "http")]
    public_url: Option<PublicUrl>,
}

/// An address to listen on.
#[derive(Debug, Clone, Copy)]
struct ListenAddress(SocketAddr);

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.parse::<u16>().map(|port| (Ipv4Addr::LOCALHOST, port).into());
        let address = port.or_else(|_| text.parse());
        address.map(Self).map_err(|_| format!("it is an address and a port, such as {DEFAULT}"))
    }
}

/// Where it listens, and who is let in.
#[derive(Debug)]
pub(super) struct Endpoint {
    address: SocketAddr,
    public_url: Option<PublicUrl>,
    key: Option<TokenHash>,
}

impl Arguments {
    /// Whether it is served over HTTP.
    pub(super) fn is_given(&self) -> bool {
        self.http.is_some()
    }

    /// Checks the arguments; `None` means standard input and output.
    pub(super) fn endpoint(self) -> anyhow::Result<Option<Endpoint>> {
        let Self { http: Some(ListenAddress(address)), public_url } = self else { return Ok(None) };
        let key = std::env::var(KEY).ok().filter(|key| !key.is_empty()).map(SecretString::from);
        Endpoint::new(address, public_url, key).map(Some)
    }
}

impl Endpoint {
    fn new(
        address: SocketAddr,
        public_url: Option<PublicUrl>,
        key: Option<SecretString>,
    ) -> anyhow::Result<Self> {
        if key.as_ref().is_some_and(is_short) {
            bail!("{KEY} can be guessed: it needs at least 20 characters");
        }
        if key.is_none() && !address.ip().is_loopback() {
            bail!(
                "{address} can be reached from other machines, and without a key everybody there \
                 could read, change and delete the recipes. Set a key in {KEY}, or listen on this \
                 machine only: --http 127.0.0.1:{}",
                address.port()
            );
        }
        if public_url.is_none() && address.ip().is_unspecified() {
            bail!(
                "no client reaches this server as {}, and a request for another name is refused. \
                 Say which name they use: --public-url http://HOST:{}",
                address.ip(),
                address.port()
            );
        }
        let key = key.map(|key| TokenHash::of(key.expose_secret()));
        Ok(Self { address, public_url, key })
    }
}

/// What answers requests.
struct Vault {
    store: RecipeStore,
    tenant: TenantId,
    own: PublicUrl,
    key: Option<TokenHash>,
}

/// Serves until the process is asked to stop.
pub(super) async fn serve(
    endpoint: Endpoint,
    store: RecipeStore,
    tenant: TenantId,
) -> anyhow::Result<()> {
    let stop = stop_signal()?;
    let listener = TcpListener::bind(endpoint.address)
        .await
        .with_context(|| format!("cannot listen on {}", endpoint.address))?;
    let address = PublicUrl::of_address(listener.local_addr()?);
    let own = endpoint.public_url.unwrap_or_else(|| address.clone());
    let mut out = std::io::stdout();
    writeln!(out, "listening on {}{PATH}", address.as_str())?;
    out.flush()?;
    let vault = Vault { store: store.clone(), tenant, own, key: endpoint.key };
    let router = Router::new().route(PATH, post(answer)).with_state(Arc::new(vault));
    let connections = Arc::new(Semaphore::new(CONNECTIONS as usize));
    tokio::select! {
        () = accept(&listener, &router, &connections) => {}
        () = stop => {}
    }
    drop(listener);
    let _in_time = timeout(CLOSING, connections.acquire_many(CONNECTIONS)).await;
    store.close().await;
    Ok(())
}

async fn accept(listener: &TcpListener, router: &Router, connections: &Arc<Semaphore>) {
    loop {
        // Others wait in the system's queue, and after that they are refused by it.
        let Ok(permit) = Arc::clone(connections).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    connection(stream, router).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection; retrying");
                sleep(ACCEPT_BACKOFF).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, router: Router) {
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        router.clone().call(request.map(Body::new))
    });
    // The result says only that the client disconnected.
    let _gone = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(State(vault): State<Arc<Vault>>, request: Request) -> Response {
    match timeout(REQUEST_TIMEOUT, vault.answer(request)).await {
        Ok(answer) => answer.unwrap_or_else(IntoResponse::into_response),
        Err(_) => ApiError::too_slow().into_response(),
    }
}

impl Vault {
    async fn answer(&self, request: Request) -> Result<Response, ApiError> {
        edge::check_head(&self.own, &request)?;
        let given = given_key(request.headers()).map(TokenHash::of);
        if self.key.is_some_and(|key| given != Some(key)) {
            return Err(ApiError::unauthorized());
        }
        let (head, body) = request.into_parts();
        let body = body::to_bytes(body, McpRequest::MAX_BODY).await;
        let body = body.map_err(|_| ApiError::too_large(McpRequest::MAX_BODY))?;
        let request = McpRequest::new(head, body.into());
        Ok(request.answer(self.store.clone(), self.tenant.clone()).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(address: &str, public_url: Option<&str>, key: Option<&str>) -> Option<String> {
        let address = address.parse::<ListenAddress>().unwrap().0;
        let public_url = public_url.map(|url| url.parse().unwrap());
        let endpoint = Endpoint::new(address, public_url, key.map(SecretString::from));
        endpoint.err().map(|error| error.to_string())
    }

    /// I-5: what is not safe is refused, and says what would be.
    #[test]
    fn an_address_that_others_reach_needs_a_key_and_a_name() {
        const LONG: Option<&str> = Some("a key of twenty letters");
        let url = Some("http://recipes.lan:8788");
        for safe in [DEFAULT, "8788", "0", "[::1]:8788"] {
            assert_eq!(refusal(safe, None, None), None, "{safe}");
        }
        assert_eq!(refusal("192.168.1.2:80", None, LONG), None);
        assert_eq!(refusal("0.0.0.0:8788", url, LONG), None);
        let refused = refusal("192.168.1.2:80", None, None).unwrap();
        assert!(refused.contains(KEY) && refused.contains("127.0.0.1:80"), "{refused}");
        let refused = refusal("0.0.0.0:80", url, None).unwrap();
        assert!(refused.contains(KEY), "{refused}");
        let refused = refusal("[::]:8788", None, LONG).unwrap();
        assert!(refused.contains("--public-url"), "{refused}");
        let refused = refusal(DEFAULT, None, Some("short")).unwrap();
        assert!(refused.contains("guessed"), "{refused}");
        assert!("recipes.lan:80".parse::<ListenAddress>().is_err());
    }
}
