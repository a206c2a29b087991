//! What can be seen of a running server: metrics, its log, webhooks (O-3).

mod metrics;
mod reader;
mod receiver;
mod turn_log;
mod webhooks;
