//! Parsers of this crate, reachable for the fuzz targets in `crates/fuzz-targets`.
//! Nothing else uses it.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, HeaderValue, header};
use bytes::BytesMut;

use parlor_protocol::{PromptAnswer, UserPrompt};

use crate::auth::cookie;
use crate::cli::acp;
use crate::config::{self, Config, ConfigError, Sources};
use crate::http::ws::rfc6455::Decoder;

/// What a WebSocket client sent in these pieces, in the notation of `Debug`, and the code
/// that closes the connection if the client breaks the protocol.
pub fn websocket<'a>(
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<String>, Option<u16>) {
    let mut decoder = Decoder::new(limit);
    let (mut input, mut incoming) = (BytesMut::new(), Vec::new());
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            match decoder.next(&mut input) {
                Ok(Some(next)) => incoming.push(format!("{next:?}")),
                Ok(None) => break,
                Err(violation) => return (incoming, Some(violation.code)),
            }
        }
    }
    (incoming, None)
}

/// The session's token in these `Cookie` headers. What is no header value is left out.
pub fn session_cookie(lines: &[&[u8]]) -> Option<String> {
    let mut headers = HeaderMap::new();
    for line in lines {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(header::COOKIE, value);
        }
    }
    cookie::read(&headers).map(str::to_owned)
}

/// The configuration of a file with this text, under these variables.
pub fn config(text: &str, environment: BTreeMap<String, String>) -> Result<Config, ConfigError> {
    config::from_text(text, &Sources { environment, ..Sources::default() })
}

/// What an editor's line is answered with, and the answers that it gives as the response to a
/// question about this prompt.
pub fn editor_line(line: &[u8], prompt: &UserPrompt) -> (Option<Vec<u8>>, Vec<PromptAnswer>) {
    acp::fuzz::editor_line(line, prompt)
}

/// The answer that an editor's message is to a question for which a turn waits.
pub fn editor_reply(message: &str, prompt: &UserPrompt) -> Option<PromptAnswer> {
    acp::fuzz::editor_reply(message, prompt)
}
