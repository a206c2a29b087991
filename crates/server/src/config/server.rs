//! `[server]`: where it listens, under which name, where it writes, its limits.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::network::Network;
use super::public_url::PublicUrl;
use super::raw::{RawLimits, RawServer};
use super::{ConfigError, Problem};

/// Where the server listens, under which name, and where it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// The address to listen on.
    pub bind: SocketAddr,
    /// How browsers call it; alone decides Host, Origin and `Secure`. Without
    /// one it is the address that is listened on, which must be a loopback one.
    pub public_url: Option<PublicUrl>,
    /// The directory of the database.
    pub data_dir: PathBuf,
    /// Whose word on a client's address is taken.
    pub trusted_proxies: Vec<Network>,
    /// What is logged: `info`, or `info,parlor_server=debug`.
    pub log: String,
    /// How long a question waits that holds up a turn, unless its project or tool
    /// says otherwise; zero waits for ever (P-4).
    pub prompt_timeout: Duration,
    /// What is too much.
    pub limits: Limits,
}

/// What is too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Messages a minute and session.
    pub messages_per_minute: u32,
    /// Messages a minute and client address.
    pub address_messages_per_minute: u32,
    /// Messages a minute and project.
    pub project_messages_per_minute: u32,
    /// Messages a minute and tenant.
    pub tenant_messages_per_minute: u32,
    /// Turns of a project at the same time.
    pub project_turns: u32,
    /// Turns of a tenant at the same time.
    pub tenant_turns: u32,
    /// The largest body of a request, in bytes.
    pub body: usize,
    /// The largest image, in bytes.
    pub image: usize,
    /// The largest frame of a WebSocket, in bytes.
    pub frame: usize,
    /// The longest answer, in bytes.
    pub answer: usize,
    /// Large bodies that are read at the same time.
    pub bodies: u32,
    /// How much all bodies may take that are being read, in bytes.
    pub body_memory: usize,
    /// Connections at the same time.
    pub connections: u32,
    /// Processes of agents at the same time, in all projects.
    pub agent_processes: u32,
    /// Connections of one address over which nobody signed in.
    pub address_connections: u32,
    /// How long a client may take for the head of a request.
    pub header_timeout: Duration,
    /// How long a request may take until its answer begins.
    pub request_timeout: Duration,
    /// How often a quiet stream says that it is alive.
    pub keep_alive: Duration,
    /// How long turns may go on after the server was told to stop.
    pub shutdown_deadline: Duration,
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
            log: raw.log.unwrap_or_else(|| "info".to_owned()),
            prompt_timeout: raw.prompt_timeout.map_or(Duration::from_secs(30), |span| span.0),
            limits: Limits::resolve(&raw.limits)?,
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

impl Limits {
    fn resolve(raw: &RawLimits) -> Result<Self, ConfigError> {
        let seconds = Duration::from_secs;
        let body = raw.body.map_or(10 << 20, |bytes| bytes.0);
        let limits = Self {
            messages_per_minute: raw.messages_per_minute.unwrap_or(20),
            address_messages_per_minute: raw.address_messages_per_minute.unwrap_or(300),
            project_messages_per_minute: raw.project_messages_per_minute.unwrap_or(600),
            tenant_messages_per_minute: raw.tenant_messages_per_minute.unwrap_or(600),
            project_turns: raw.project_turns.unwrap_or(200),
            tenant_turns: raw.tenant_turns.unwrap_or(200),
            body,
            image: raw.image.map_or(5 << 20, |bytes| bytes.0),
            frame: raw.frame.map_or(1 << 20, |bytes| bytes.0),
            answer: raw.answer.map_or(4 << 20, |bytes| bytes.0),
            bodies: raw.bodies.unwrap_or(100),
            body_memory: raw.body_memory.map_or((64 << 20).max(2 * body), |bytes| bytes.0),
            connections: raw.connections.unwrap_or(12_000),
            agent_processes: raw.agent_processes.unwrap_or(16),
            address_connections: raw.address_connections.unwrap_or(200),
            header_timeout: raw.header_timeout.map_or(seconds(10), |span| span.0),
            request_timeout: raw.request_timeout.map_or(seconds(30), |span| span.0),
            keep_alive: raw.keep_alive.map_or(seconds(15), |span| span.0),
            shutdown_deadline: raw.shutdown_deadline.map_or(seconds(10), |span| span.0),
        };
        limits.check()?;
        Ok(limits)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let at_least_one = [
            ("messages_per_minute", self.messages_per_minute == 0),
            ("address_messages_per_minute", self.address_messages_per_minute == 0),
            ("project_messages_per_minute", self.project_messages_per_minute == 0),
            ("tenant_messages_per_minute", self.tenant_messages_per_minute == 0),
            ("project_turns", self.project_turns == 0),
            ("tenant_turns", self.tenant_turns == 0),
            ("connections", self.connections == 0),
            ("agent_processes", self.agent_processes == 0),
            ("address_connections", self.address_connections == 0),
            ("bodies", self.bodies == 0),
            ("body", self.body == 0),
            ("image", self.image == 0),
            ("frame", self.frame == 0),
            ("answer", self.answer == 0),
            ("header_timeout", self.header_timeout.is_zero()),
            ("request_timeout", self.request_timeout.is_zero()),
            ("keep_alive", self.keep_alive.is_zero()),
        ];
        if self.body_memory < self.body {
            let why = "it must be at least as large as body".to_owned();
            return Err(ConfigError::invalid("server.limits.body_memory", why));
        }
        match at_least_one.iter().find(|(_, is_zero)| *is_zero) {
            Some((key, _)) => Err(ConfigError::invalid(
                &format!("server.limits.{key}"),
                "it must be more than nothing".to_owned(),
            )),
            None => Ok(()),
        }
    }
}

fn bind(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("'{text}' is not an address with a port, such as {DEFAULT_BIND} or [::1]:8787")
    })
}
