//! The log: readable lines on standard error, filtered by level and module.
//!
//! Every line is freed of keys before it is written: of those that the
//! configuration names, and of what looks like one, for others quote them. A model's
//! server does so in its errors, a child on its standard error.

use std::io::{self, IsTerminal, Write};

use parlor_guard::sanitizer::{Sanitizer, SanitizerError};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging. `filter` is `info`, or `info,parlor_server=debug`; `RUST_LOG`
/// wins over it. What cannot be read as a filter means `info`. These `secrets` are not
/// written, whoever says them.
///
/// # Errors
///
/// The secrets are too many to be looked for.
pub fn start(filter: &str, secrets: Vec<String>) -> Result<(), SanitizerError> {
    let masks = Sanitizer::for_log(secrets)?;
    let wish = std::env::var("RUST_LOG").unwrap_or_else(|_| filter.to_owned());
    let targets: Option<Targets> = wish.parse().ok();
    let understood = targets.is_some();
    // The database would tell of each statement.
    let mut targets = targets
        .unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
        .with_target("sqlx", LevelFilter::WARN);
    // The protocol's library tells of each message: a server that floods us would
    // flood the log. Who wants that has to name it.
    if !wish.contains("rmcp") {
        targets = targets.with_target("rmcp", LevelFilter::OFF);
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || MaskedLine { masks: masks.clone(), to: io::stderr() })
        .with_ansi(io::stderr().is_terminal());
    // A test may have started one already.
    let _already = tracing_subscriber::registry().with(targets).with(lines).try_init();
    if !understood {
        tracing::warn!(filter = wish, "this is not a filter for the log; logging from info on");
    }
    Ok(())
}

/// Masks what is written to it. A line of the log is one write.
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

    /// neither a key that is known nor one that looks like it is written; ids stay.
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
