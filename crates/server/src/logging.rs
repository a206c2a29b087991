//! The log: lines on standard error, for people or as JSON ([`json_lines`]), filtered by level and
//! module. A line of a request names it, and a line of a turn names its tenant, project and
//! conversation too: they are spans, which are there whatever the filter is.
//!
//! Keys are masked in every line: those that the configuration names, and
//! whatever looks like one. Model servers quote keys in their errors, and child
//! processes on their standard error.

mod json_lines;

use std::io::{self, IsTerminal, Write};

use parlor_guard::sanitizer::{Sanitizer, SanitizerError};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use self::json_lines::JsonLines;
use crate::config::{LogFormat, ServerConfig};

/// Starts logging as the configuration wants it.
///
/// # Errors
///
/// There are too many secrets to search for.
pub fn start_for(server: &ServerConfig, secrets: Vec<String>) -> Result<(), SanitizerError> {
    start_as(server.log_format, &server.log, secrets, io::stderr)
}

/// Starts logging for people. `filter` is `info`, or `info,parlor_server=debug`; `RUST_LOG`
/// overrides it. An invalid filter means `info`. The `secrets` are masked wherever they
/// come from.
///
/// # Errors
///
/// There are too many secrets to search for.
pub fn start(filter: &str, secrets: Vec<String>) -> Result<(), SanitizerError> {
    start_as(LogFormat::Text, filter, secrets, io::stderr)
}

/// The same, written elsewhere: tests read it.
///
/// # Errors
///
/// There are too many secrets to search for.
pub fn start_to<W>(filter: &str, secrets: Vec<String>, to: fn() -> W) -> Result<(), SanitizerError>
where
    W: Write + Send + Sync + 'static,
{
    start_as(LogFormat::Text, filter, secrets, to)
}

fn start_as<W>(
    format: LogFormat,
    filter: &str,
    secrets: Vec<String>,
    to: fn() -> W,
) -> Result<(), SanitizerError>
where
    W: Write + Send + Sync + 'static,
{
    let masks = Sanitizer::for_log(secrets)?;
    let wanted = std::env::var("RUST_LOG").unwrap_or_else(|_| filter.to_owned());
    let targets: Option<Targets> = wanted.parse().ok();
    let is_valid = targets.is_some();
    // The database library logs every statement.
    let mut targets = targets
        .unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
        .with_target("sqlx", LevelFilter::WARN);
    // The MCP library logs every message: a server that floods us would flood the log.
    // It is logged only if the filter names it.
    if !wanted.contains("rmcp") {
        targets = targets.with_target("rmcp", LevelFilter::OFF);
    }
    let log = tracing_subscriber::registry().with(targets);
    // A test may have started one already.
    let _already = match format {
        LogFormat::Text => log.with(text_lines(masks, to)).try_init(),
        LogFormat::Json => log.with(JsonLines::new(masks, to)).try_init(),
    };
    if !is_valid {
        tracing::warn!(filter = wanted, "invalid log filter; using info");
    }
    Ok(())
}

/// Lines for people.
fn text_lines<S, W>(masks: Sanitizer, to: fn() -> W) -> impl Layer<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: Write + 'static,
{
    tracing_subscriber::fmt::layer()
        .with_writer(move || MaskedLine { masks: masks.clone(), to: to() })
        .with_ansi(io::stderr().is_terminal())
}

/// Masks what is written through it. A line of the log is one write.
struct MaskedLine<W> {
    masks: Sanitizer,
    to: W,
}

impl<W: Write> Write for MaskedLine<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.to.write_all(self.masks.sanitize_cow(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// neither a known key nor what looks like one is written; ids are.
    #[test]
    fn keys_are_not_written() {
        let masks = Sanitizer::for_log(vec!["known-to-us".to_owned()]).unwrap();
        let mut line = MaskedLine { masks, to: Vec::new() };
        let said = "said=\"Incorrect API key: sk-proj-abc123, known-to-us\" request=req_011CSabc\n";
        line.write_all(said.as_bytes()).unwrap();
        let written = String::from_utf8(line.to).unwrap();
        assert_eq!(written, "said=\"Incorrect API key: [token], [token]\" request=req_011CSabc\n");
    }
}
