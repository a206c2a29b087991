//! The log: readable lines on standard error, filtered by level and module.

use std::io::IsTerminal;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging. `filter` is `info`, or `info,parlor_server=debug`; `RUST_LOG`
/// wins over it. What cannot be read as a filter means `info`.
pub fn start(filter: &str) {
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
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    // A test may have started one already.
    let _already = tracing_subscriber::registry().with(targets).with(lines).try_init();
    if !understood {
        tracing::warn!(filter = wish, "this is not a filter for the log; logging from info on");
    }
}
