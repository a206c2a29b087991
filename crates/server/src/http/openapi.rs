//! `GET /api/openapi.json`: the document of the HTTP API (I-7).

use axum::http::header;
use axum::response::IntoResponse;

const DOCUMENT: &str = include_str!("../../../../docs/openapi.json");

/// The document, as it was when the server was built. It needs no credentials: it is the same on
/// every server, it has neither names of tenants nor the server's version, and tools that read it
/// often cannot send a key.
pub(crate) async fn read() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT)
}
