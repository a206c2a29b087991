//! Opens connections to the server. What cannot be done within a second fails, and says what
//! to do, without the password.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, RedisError};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::url::RedisUrl;

/// How long any answer is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

const LOGIN: &str = "check user and password in fanout.url";
const VERSION: &str = "the server must be Redis 6 or newer, or Valkey";
const RIGHTS: &str =
    "the user of fanout.url needs the commands PUBLISH and SUBSCRIBE, and the channels parlor:*";

/// A server, and how to reach it.
pub(super) struct Server {
    url: RedisUrl,
    /// Made once: the certificates of the system are read for it.
    tls: OnceLock<Arc<ClientConfig>>,
}

/// Drives a connection until it is closed.
pub(super) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Server {
    pub(super) fn new(url: RedisUrl) -> Self {
        Self { url, tls: OnceLock::new() }
    }

    /// How connections behave.
    pub(super) fn config() -> AsyncConnectionConfig {
        AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE))
    }

    /// Opens a connection, which somebody has to drive.
    pub(super) async fn connect(
        &self,
        config: &AsyncConnectionConfig,
    ) -> Result<(MultiplexedConnection, Driver), String> {
        let connecting = async {
            let stream = self.stream().await?;
            let login = self.url.login();
            let connected =
                MultiplexedConnection::new_with_config(login, stream, config.clone()).await;
            let (connection, driver) = connected.map_err(|error| self.explain(&error))?;
            let driver: Driver = Box::pin(driver);
            Ok((connection, driver))
        };
        let connected = tokio::time::timeout(PATIENCE, connecting).await;
        connected.unwrap_or_else(|_| Err(self.timed_out()))
    }

    /// What an error means, and what to do about it.
    pub(super) fn explain(&self, error: &RedisError) -> String {
        if error.is_timeout() {
            return self.timed_out();
        }
        let text = match (error.code(), error.detail()) {
            (Some(code), Some(detail)) => format!("{code} {}", detail.trim_end_matches('.')),
            _ => error.to_string(),
        };
        match self.advice(error) {
            Some(todo) => self.at(&format!("{text}; {todo}")),
            None => self.at(&text),
        }
    }

    /// What it means that the server closed a new connection.
    pub(super) fn closed(&self) -> String {
        self.at(&format!("the server closed the connection; {}", self.reachable()))
    }

    /// A problem with the address that has it. A server may repeat what it was told, so the
    /// password is masked.
    pub(super) fn at(&self, problem: &str) -> String {
        let problem = format!("{}: {problem}", self.url);
        let secrets = self.url.secrets();
        secrets.iter().fold(problem, |text, secret| text.replace(secret.as_str(), "***"))
    }

    fn timed_out(&self) -> String {
        self.at(&format!("it did not answer within a second; {}", self.reachable()))
    }

    fn reachable(&self) -> &'static str {
        match self.url.has_tls() {
            true => "check fanout.url and that the server runs; one without TLS is redis://",
            false => "check fanout.url and that the server runs; one with TLS is rediss://",
        }
    }

    /// What to do about an error.
    fn advice(&self, error: &RedisError) -> Option<&'static str> {
        match error.kind() {
            ErrorKind::AuthenticationFailed => return Some(LOGIN),
            ErrorKind::RESP3NotSupported => return Some(VERSION),
            ErrorKind::Io => return Some(self.reachable()),
            _ => {}
        }
        match error.code()? {
            "WRONGPASS" | "NOAUTH" => Some(LOGIN),
            "NOPROTO" => Some(VERSION),
            "NOPERM" => Some(RIGHTS),
            "OOM" => Some("the server is out of memory; raise its maxmemory"),
            _ => None,
        }
    }

    async fn stream(&self) -> Result<Box<dyn Stream>, String> {
        let unreachable = |error: io::Error| self.at(&format!("{error}; {}", self.reachable()));
        let stream = TcpStream::connect(self.url.address()).await.map_err(unreachable)?;
        stream.set_nodelay(true).map_err(unreachable)?;
        if !self.url.has_tls() {
            return Ok(Box::new(stream));
        }
        let (host, _) = self.url.address();
        let name = ServerName::try_from(host.to_owned()).map_err(|error| self.no_tls(&error))?;
        let connector = TlsConnector::from(self.tls().map_err(|error| self.no_tls(&error))?);
        let stream = connector.connect(name, stream).await.map_err(|error| self.no_tls(&error))?;
        Ok(Box::new(stream))
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
        Ok(Arc::clone(self.tls.get_or_init(|| Arc::new(config))))
    }

    fn no_tls(&self, error: &dyn std::error::Error) -> String {
        self.at(&format!(
            "TLS failed: {error}; check that the server speaks TLS at this port, and that the \
             system trusts its certificate (SSL_CERT_FILE can name another authority)"
        ))
    }
}
