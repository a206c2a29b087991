//! `[server]`: the address, the URL, the data directory and the limits.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::limits::Limits;
use super::network::Network;
use super::observed::{LogFormat, MetricsConfig};
use super::origins::origins;
use super::public_url::PublicUrl;
use super::raw::RawServer;
use super::{AtPlace, ConfigError};

/// The settings of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// The address to listen on.
    pub bind: SocketAddr,
    /// The URL under which browsers reach it; it alone decides Host, Origin and
    /// `Secure`. Without one, `bind` stands for it, which must be a loopback address.
    pub public_url: Option<PublicUrl>,
    /// The directory of the database.
    pub data_dir: PathBuf,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Other sites whose pages may use this server with a key, as browsers name them.
    pub allowed_origins: Vec<String>,
    /// The log filter: `info`, or `info,parlor_server=debug`.
    pub log: String,
    /// How the log is written.
    pub log_format: LogFormat,
    /// The file to which every entry of the audit chain is appended.
    pub audit_file: Option<PathBuf>,
    /// The timeout of prompts that hold up a turn, unless the project or the tool has
    /// another; zero is none (P-4).
    pub prompt_timeout: Duration,
    /// Rate limits, sizes, numbers and timeouts.
    pub limits: Limits,
    /// Clients that speak OpenAI's protocols.
    pub openai: OpenAiConfig,
    /// Who reads metrics.
    pub metrics: MetricsConfig,
}

/// `[server.openai]`: clients that speak OpenAI's protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAiConfig {
    /// Whether a turn is stopped when the client of a chat completion goes away.
    pub stop_on_disconnect: bool,
}

const DEFAULT_BIND: &str = "127.0.0.1:8787";

impl ServerConfig {
    pub(super) fn resolve(raw: RawServer) -> Result<Self, ConfigError> {
        let public_url =
            raw.public_url.as_deref().map(str::parse).transpose().at("server.public_url")?;
        let trusted_proxies = raw.trusted_proxies.unwrap_or_default();
        let trusted_proxies = trusted_proxies.iter().map(|text| text.parse());
        let server = Self {
            bind: bind(raw.bind.as_deref().unwrap_or(DEFAULT_BIND)).at("server.bind")?,
            public_url,
            data_dir: raw.data_dir.unwrap_or_else(|| "parlor-data".into()),
            trusted_proxies: trusted_proxies
                .collect::<Result<_, String>>()
                .at("server.trusted_proxies")?,
            allowed_origins: origins(raw.allowed_origins, "server.allowed_origins")?,
            log: raw.log.unwrap_or_else(|| "info".to_owned()),
            log_format: raw.log_format.unwrap_or_default(),
            metrics: MetricsConfig::resolve(raw.metrics.token, raw.metrics.labels)?,
            audit_file: raw.audit_file,
            prompt_timeout: raw.prompt_timeout.map_or(Duration::from_secs(30), |span| span.0),
            limits: Limits::resolve(&raw.limits)?,
            openai: OpenAiConfig {
                stop_on_disconnect: raw.openai.stop_on_disconnect.unwrap_or(false),
            },
        };
        server.check()?;
        Ok(server)
    }

    fn check(&self) -> Result<(), ConfigError> {
        if self.public_url.is_none() && !self.bind.ip().is_loopback() {
            let why = format!(
                "{} can be reached from other machines; say under which name, for example \
                 public_url = \"https://chat.example.org\"",
                self.bind
            );
            return Err(ConfigError::invalid("server.public_url", why));
        }
        Ok(())
    }
}

fn bind(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not an address with a port, such as {DEFAULT_BIND} or [::1]:8787")
    })
}
