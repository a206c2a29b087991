//! What happened in the whole server.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use parlor_metrics::{Exposition, Kind};

use crate::app::App;

/// Writes it.
pub(super) async fn write(app: &App, text: &mut Exposition) {
    process(app, text);
    memory(text).await;
    connections(app, text);
    databases(app, text);
    fanout(app, text);
}

fn process(app: &App, text: &mut Exposition) {
    text.metric("parlor_build_info", Kind::Gauge, "The version of the server.");
    text.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
    let started = SystemTime::now().checked_sub(app.started.elapsed()).unwrap_or(UNIX_EPOCH);
    let started = started.duration_since(UNIX_EPOCH).unwrap_or_default();
    text.metric("process_start_time_seconds", Kind::Gauge, "When the server started.");
    text.number(&[], started.as_secs_f64().floor());
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        text.metric("process_open_fds", Kind::Gauge, "Open files.");
        text.sample(&[], files.count() as u64);
    }
    text.metric("parlor_turns_running", Kind::Gauge, "Turns that run on this server.");
    text.sample(&[], app.chat.running_turns() as u64);
}

/// What the system and the allocator say.
async fn memory(text: &mut Exposition) {
    if let Some(bytes) = resident_bytes() {
        text.metric("process_resident_memory_bytes", Kind::Gauge, "Memory, as the system sees it.");
        text.sample(&[], bytes);
    }
    // It takes a lock of every heap.
    let held = tokio::task::spawn_blocking(parlor_malloc::held).await;
    if let Ok(Some(held)) = held {
        let help = "Memory, as the allocator sees it: used, or free and kept for later.";
        text.metric("parlor_allocator_bytes", Kind::Gauge, help);
        text.sample(&[("state", "used")], held.in_use);
        text.sample(&[("state", "free")], held.free);
    }
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn connections(app: &App, text: &mut Exposition) {
    let metrics = &app.metrics;
    let open = |gauge: &parlor_metrics::Gauge| u64::try_from(gauge.get()).unwrap_or_default();
    text.metric("parlor_connections", Kind::Gauge, "Connections of HTTP that are open.");
    text.sample(&[], open(&metrics.connections));
    let help = "Connections that were refused, because there were too many.";
    text.metric("parlor_connections_refused_total", Kind::Counter, help);
    text.sample(&[], metrics.refused_connections.get());
    let help = "Streams that are open: events, websocket, and external for other protocols.";
    text.metric("parlor_streams", Kind::Gauge, help);
    text.sample(&[("kind", "events")], open(&metrics.event_streams));
    text.sample(&[("kind", "websocket")], open(&metrics.websockets));
    text.sample(&[("kind", "external")], open(&metrics.external_streams));
    let help = "Requests that were answered, by class of status.";
    text.metric("parlor_http_requests_total", Kind::Counter, help);
    for (class, count) in metrics.requests() {
        text.sample(&[("status", class)], count);
    }
}

fn databases(app: &App, text: &mut Exposition) {
    let help = "How long it took to store streamed text.";
    text.metric("parlor_text_flush_seconds", Kind::Histogram, help);
    text.histogram(&[], &app.chat.metrics().flushes.counts());
    let help = "How long writes took until they were on the disk, waiting for others included.";
    text.metric("parlor_database_commit_seconds", Kind::Histogram, help);
    let databases = [
        ("conversations", app.store.commits().counts(), app.store.pool()),
        ("recipes", app.recipes.commits().counts(), app.recipes.pool()),
    ];
    for (name, commits, _) in &databases {
        text.histogram(&[("database", name)], commits);
    }
    let help = "Connections to the database that are in use; on SQLite those that read.";
    text.metric("parlor_database_connections", Kind::Gauge, help);
    for (name, _, pool) in &databases {
        text.sample(&[("database", name)], pool.in_use);
    }
    let help = "Connections to the database that there may be.";
    text.metric("parlor_database_connections_max", Kind::Gauge, help);
    for (name, _, pool) in &databases {
        text.sample(&[("database", name)], pool.most);
    }
}

/// The channel to other nodes.
fn fanout(app: &App, text: &mut Exposition) {
    let health = app.fanout.health();
    let help = "Whether hints of other nodes arrive; 1 for a server alone.";
    text.metric("parlor_fanout_heard", Kind::Gauge, help);
    text.sample(&[("channel", health.kind)], u64::from(health.heard));
    let count = |of: fn(&parlor_fanout::Payloads) -> u64| app.fanout.payloads().map_or(0, of);
    let help = "Payloads of hints: sent, failed to be sent, received of other nodes.";
    text.metric("parlor_fanout_payloads_total", Kind::Counter, help);
    text.sample(&[("direction", "sent")], count(|payloads| payloads.sent.get()));
    text.sample(&[("direction", "failed")], count(|payloads| payloads.failed.get()));
    text.sample(&[("direction", "received")], count(|payloads| payloads.received.get()));
}
