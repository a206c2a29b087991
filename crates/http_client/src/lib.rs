//! What every outgoing HTTP client has in common: whom its TLS connections trust, and what
//! its errors say.
//!
//! Must never contain: a request, a client, anything about models or MCP.

mod error;
mod trust;

pub use error::describe;
pub use trust::trusted;
