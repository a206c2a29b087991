//! The handshake: an HTTP request that becomes a connection of its own.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use bytes::BytesMut;
use data_encoding::BASE64;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sha1::{Digest, Sha1};
use tokio::net::TcpStream;

use crate::app::App;
use crate::http::errors::ApiError;

/// Makes an answer that no server gives by accident.
const MAGIC: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A request for a WebSocket. It is taken by answering it.
#[derive(Debug)]
pub(crate) struct Handshake {
    accept: HeaderValue,
    upgrade: OnUpgrade,
}

impl Handshake {
    /// The answer, after which the connection is no longer HTTP.
    pub(crate) fn response(&self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept.clone());
        response
    }

    /// The connection itself, and what has come on it already. `None` if the
    /// client left before it was answered.
    pub(crate) async fn connection(self) -> Option<(TcpStream, BytesMut)> {
        let upgraded = self.upgrade.await.ok()?;
        // As the accept loop made it.
        let parts = upgraded.downcast::<TokioIo<TcpStream>>().ok()?;
        // Copied, so that the buffer of the request's head is let go.
        Some((parts.io.into_inner(), BytesMut::from(&parts.read_buf[..])))
    }
}

impl FromRequestParts<Arc<App>> for Handshake {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, ApiError> {
        let headers = &parts.headers;
        let asks = parts.method == Method::GET
            && names(headers, &CONNECTION, "upgrade")
            && names(headers, &UPGRADE, "websocket")
            && names(headers, &SEC_WEBSOCKET_VERSION, "13");
        let accept = if asks { accept(headers) } else { None };
        let upgrade = parts.extensions.remove::<OnUpgrade>();
        match (accept, upgrade) {
            (Some(accept), Some(upgrade)) => Ok(Self { accept, upgrade }),
            _ => Err(ApiError::malformed("This address takes WebSocket connections (version 13).")),
        }
    }
}

/// Whether a header, which may be a list, names something.
fn names(headers: &HeaderMap, header: &HeaderName, wanted: &str) -> bool {
    let lines = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|name| name.trim().eq_ignore_ascii_case(wanted))
}

/// The answer to the client's key, which is 16 bytes.
fn accept(headers: &HeaderMap) -> Option<HeaderValue> {
    let key = headers.get(SEC_WEBSOCKET_KEY)?.as_bytes();
    BASE64.decode(key).ok().filter(|bytes| bytes.len() == 16)?;
    let hash = Sha1::new().chain_update(key).chain_update(MAGIC).finalize();
    HeaderValue::from_str(&BASE64.encode(&hash)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the RFC.
    #[test]
    fn the_key_is_answered() {
        let answer =
            |key: &str| accept(&HeaderMap::from_iter([(SEC_WEBSOCKET_KEY, key.parse().unwrap())]));
        let expected = HeaderValue::from_static("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(answer("dGhlIHNhbXBsZSBub25jZQ=="), Some(expected));
        for bad in ["", "short", "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZQ", "????"] {
            assert_eq!(answer(bad), None, "{bad}");
        }
    }

    #[test]
    fn headers_may_be_lists() {
        let mut headers = HeaderMap::new();
        headers.append(CONNECTION, HeaderValue::from_static("keep-alive, Upgrade"));
        assert!(names(&headers, &CONNECTION, "upgrade"));
        assert!(!names(&headers, &CONNECTION, "grade"));
        headers.append(UPGRADE, HeaderValue::from_static("h2c"));
        headers.append(UPGRADE, HeaderValue::from_static("WebSocket"));
        assert!(names(&headers, &UPGRADE, "websocket"));
    }
}
