//! `[server.limits]`: rate limits, sizes, numbers and timeouts.

use std::time::Duration;

use parlor_chat::FileLimits;

use super::ConfigError;
use super::raw::RawLimits;

/// The part of a body that is left for what stands beside its files.
const BESIDE_FILES: usize = 16;

/// Rate limits, sizes, numbers and timeouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Messages per minute and session.
    pub messages_per_minute: u32,
    /// Messages per minute and client address.
    pub address_messages_per_minute: u32,
    /// Messages per minute and project.
    pub project_messages_per_minute: u32,
    /// Messages per minute and tenant.
    pub tenant_messages_per_minute: u32,
    /// Parallel turns of a project.
    pub project_turns: u32,
    /// Parallel turns of a tenant.
    pub tenant_turns: u32,
    /// The largest body of a request, in bytes.
    pub body: usize,
    /// The largest export of another chat that is imported, in bytes.
    pub import: usize,
    /// The largest image, in bytes.
    pub image: usize,
    /// Files of a message.
    pub files: u32,
    /// The largest file that is no picture, in bytes.
    pub file: usize,
    /// All files of a message together, in bytes.
    pub files_together: usize,
    /// The most pages of a PDF.
    pub pdf_pages: u32,
    /// The most text of the files of a message, in characters.
    pub file_text: usize,
    /// The largest frame of a WebSocket, in bytes.
    pub frame: usize,
    /// The longest answer, in bytes.
    pub answer: usize,
    /// Large request bodies that are read in parallel.
    pub bodies: u32,
    /// Memory for all request bodies that are being read, in bytes.
    pub body_memory: usize,
    /// Connections at the same time.
    pub connections: u32,
    /// Agent processes at the same time, in all projects.
    pub agent_processes: u32,
    /// Connections of one address over which nobody has signed in.
    pub address_connections: u32,
    /// How long a client may take for the head of a request.
    pub header_timeout: Duration,
    /// How long a request may take until its response begins.
    pub request_timeout: Duration,
    /// How often a quiet stream sends a keep-alive.
    pub keep_alive: Duration,
    /// How long turns may continue after the server was asked to stop.
    pub shutdown_deadline: Duration,
}

impl Limits {
    pub(super) fn resolve(raw: &RawLimits) -> Result<Self, ConfigError> {
        let seconds = Duration::from_secs;
        let body = raw.body.map_or(24 << 20, |bytes| bytes.0);
        // In base64, and with a message beside them.
        let fitting = (body - body / BESIDE_FILES) / 4 * 3;
        let together = raw.files_together.map_or((15 << 20).min(fitting), |bytes| bytes.0);
        let body_memory = raw.body_memory.map_or((64 << 20).max(2 * body), |bytes| bytes.0);
        let import = raw.import.map_or((32 << 20).min(body_memory), |bytes| bytes.0);
        let limits = Self {
            messages_per_minute: raw.messages_per_minute.unwrap_or(20),
            address_messages_per_minute: raw.address_messages_per_minute.unwrap_or(300),
            project_messages_per_minute: raw.project_messages_per_minute.unwrap_or(600),
            tenant_messages_per_minute: raw.tenant_messages_per_minute.unwrap_or(600),
            project_turns: raw.project_turns.unwrap_or(200),
            tenant_turns: raw.tenant_turns.unwrap_or(200),
            body,
            import,
            image: raw.image.map_or(5 << 20, |bytes| bytes.0),
            files: raw.files.unwrap_or(10),
            file: raw.file.map_or((10 << 20).min(together), |bytes| bytes.0),
            files_together: together,
            pdf_pages: raw.pdf_pages.unwrap_or(100),
            file_text: raw.file_text.unwrap_or(200_000),
            frame: raw.frame.map_or(1 << 20, |bytes| bytes.0),
            answer: raw.answer.map_or(4 << 20, |bytes| bytes.0),
            bodies: raw.bodies.unwrap_or(100),
            body_memory,
            connections: raw.connections.unwrap_or(12_000),
            agent_processes: raw.agent_processes.unwrap_or(16),
            address_connections: raw.address_connections.unwrap_or(200),
            header_timeout: raw.header_timeout.map_or(seconds(10), |span| span.0),
            request_timeout: raw.request_timeout.map_or(seconds(30), |span| span.0),
            keep_alive: raw.keep_alive.map_or(seconds(15), |span| span.0),
            shutdown_deadline: raw.shutdown_deadline.map_or(seconds(10), |span| span.0),
        };
        if raw.files_together.is_some() && together > fitting {
            let why = format!("{fitting} bytes fit into server.limits.body, in base64");
            return Err(ConfigError::invalid("server.limits.files_together", why));
        }
        limits.check()?;
        Ok(limits)
    }

    /// Those of the files of a message.
    pub fn of_files(&self) -> FileLimits {
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        FileLimits {
            count: count(self.files),
            image_bytes: self.image,
            file_bytes: self.file,
            total_bytes: self.files_together,
            pdf_pages: count(self.pdf_pages),
            text_chars: self.file_text,
        }
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
            ("import", self.import == 0),
            ("image", self.image == 0),
            ("frame", self.frame == 0),
            ("answer", self.answer == 0),
            ("header_timeout", self.header_timeout.is_zero()),
            ("request_timeout", self.request_timeout.is_zero()),
            ("keep_alive", self.keep_alive.is_zero()),
        ];
        if self.body_memory < self.body.max(self.import) {
            let why = "it must be at least as large as body and import".to_owned();
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
