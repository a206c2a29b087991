//! One event of a stream, before it is written.

use serde_json::Value;

/// One event.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Its name, where the wire format has names.
    pub(crate) name: Option<String>,
    /// Its data.
    pub(crate) data: Data,
}

/// The data of an event.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Json(Value),
    /// An end marker that is not JSON.
    Word(&'static str),
}
