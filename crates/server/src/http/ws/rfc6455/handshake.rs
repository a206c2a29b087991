//! The opening handshake: an HTTP request that becomes a WebSocket.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use data_encoding::BASE64;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sha1::{Digest, Sha1};
use tokio::net::TcpStream;

use crate::app::App;
use crate::http::errors::ApiError;

/// The only version of the protocol that was ever final.
const VERSION: &str = "13";
/// The constant of the RFC from which the response key is computed.
const MAGIC: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A request for a WebSocket.
#[derive(Debug)]
pub(crate) struct Handshake {
    accept: HeaderValue,
    upgrade: OnUpgrade,
}

impl Handshake {
    /// The response, after which the connection is no longer HTTP.
    pub(crate) fn response(&self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept.clone());
        response
    }

    /// The connection, and the bytes that were already read from it. `None` if the client
    /// disconnected before the response.
    pub(crate) async fn connection(self) -> Option<(TcpStream, BytesMut)> {
        let upgraded = self.upgrade.await.ok()?;
        // The type that the accept loop uses.
        let parts = upgraded.downcast::<TokioIo<TcpStream>>().ok()?;
        // Copied, so that the buffer of the request is freed.
        Some((parts.io.into_inner(), BytesMut::from(&parts.read_buf[..])))
    }
}

/// Why a request is not a handshake.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoHandshake {
    /// It asks for no WebSocket, or has no valid key.
    NotOne,
    /// It asks for another version; the response names the supported one.
    OtherVersion,
}

impl IntoResponse for NoHandshake {
    fn into_response(self) -> Response {
        let words = "This address takes WebSocket connections (version 13).";
        let refusal = ApiError::malformed(words);
        match self {
            Self::NotOne => refusal.into_response(),
            Self::OtherVersion => {
                let mut response = refusal.into_response();
                *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
                headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
                headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
                response
            }
        }
    }
}

impl FromRequestParts<Arc<App>> for Handshake {
    type Rejection = NoHandshake;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, NoHandshake> {
        let accept = check(&parts.method, &parts.headers)?;
        let upgrade = parts.extensions.remove::<OnUpgrade>().ok_or(NoHandshake::NotOne)?;
        Ok(Self { accept, upgrade })
    }
}

/// The response key, if the request is a handshake.
fn check(method: &Method, headers: &HeaderMap) -> Result<HeaderValue, NoHandshake> {
    let asks = method == Method::GET
        && names(headers, &CONNECTION, "upgrade")
        && names(headers, &UPGRADE, "websocket");
    if !asks {
        return Err(NoHandshake::NotOne);
    }
    // A client sends one version; only servers send a list.
    if single(headers, &SEC_WEBSOCKET_VERSION) != Some(VERSION.as_bytes()) {
        return Err(NoHandshake::OtherVersion);
    }
    accept(headers).ok_or(NoHandshake::NotOne)
}

/// The value of a header that occurs exactly once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.as_bytes();
    values.next().is_none().then_some(value)
}

/// Whether a header, which may be a list, contains a value.
fn names(headers: &HeaderMap, header: &HeaderName, wanted: &str) -> bool {
    let lines = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|name| name.trim().eq_ignore_ascii_case(wanted))
}

/// The response key for the client's key, which has 16 bytes.
fn accept(headers: &HeaderMap) -> Option<HeaderValue> {
    let key = single(headers, &SEC_WEBSOCKET_KEY)?;
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

    /// W-1: one version is asked for, and it is 13.
    #[test]
    fn another_version_is_no_handshake() {
        let asked = |versions: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for (name, value) in [
                (CONNECTION, "Upgrade"),
                (UPGRADE, "websocket"),
                (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
            ] {
                headers.insert(name, HeaderValue::from_static(value));
            }
            for version in versions {
                headers.append(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(version));
            }
            check(&Method::GET, &headers)
        };
        assert!(asked(&["13"]).is_ok());
        for versions in [&[][..], &["12"], &["8"], &["13, 8"], &["8, 13"], &["13", "13"], &["013"]]
        {
            assert_eq!(asked(versions), Err(NoHandshake::OtherVersion), "{versions:?}");
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
