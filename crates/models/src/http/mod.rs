//! A model that is asked over HTTP, whatever its wire format is.
//!
//! 1. `endpoint`: the address, the key and the request; `clients`: the HTTP client of each
//!    runtime.
//! 2. `answer`: the body as a stream of events, within its limits; `sse`: server-sent events.
//! 3. `vendor_error`: what a refusal means.

pub(crate) mod answer;
mod clients;
pub(crate) mod endpoint;
pub(crate) mod sse;
pub(crate) mod vendor_error;
