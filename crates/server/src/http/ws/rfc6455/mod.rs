//! The WebSocket protocol (RFC 6455), as much of it as a server needs: the handshake,
//! frame headers, decoding messages, and encoding frames.
//!
//! We implement it because libraries do two things differently. They end a connection
//! over a frame that is too large, where W-2 refuses the frame and nothing else; and
//! they keep a buffer of the size of the largest frame, where a quiet connection should
//! cost next to nothing. No extension is offered, so nothing is compressed.

mod decoder;
mod handshake;
mod head;

use bytes::{BufMut, BytesMut};

pub(crate) use decoder::{Decoder, Incoming};
pub(crate) use handshake::Handshake;
use head::{Opcode, put_head};

/// The status codes of close frames.
pub(crate) mod close_code {
    pub(crate) const NORMAL: u16 = 1000;
    pub(crate) const PROTOCOL_ERROR: u16 = 1002;
    pub(crate) const INVALID_TEXT: u16 = 1007;
    pub(crate) const POLICY: u16 = 1008;
    pub(crate) const RESTART: u16 = 1012;
}

/// A violation of the protocol. The connection must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The status code of the close frame.
    pub(crate) code: u16,
    /// The reason in the close frame.
    pub(super) reason: &'static str,
}

impl Violation {
    fn protocol(reason: &'static str) -> Self {
        Self { code: close_code::PROTOCOL_ERROR, reason }
    }

    fn invalid_text() -> Self {
        Self { code: close_code::INVALID_TEXT, reason: "The text is not UTF-8." }
    }
}

/// Appends a text message in one frame.
pub(super) fn put_text(text: &str, to: &mut BytesMut) {
    put(Opcode::Text, text.as_bytes(), to);
}

/// Appends a part of a text message that is sent in several frames. Other messages must
/// wait until the last part.
pub(super) fn put_part(part: &[u8], is_first: bool, is_last: bool, to: &mut BytesMut) {
    let opcode = if is_first { Opcode::Text } else { Opcode::Continuation };
    put_head(opcode, is_last, part.len(), to);
    to.put_slice(part);
}

/// Appends a ping.
pub(super) fn put_ping(to: &mut BytesMut) {
    put(Opcode::Ping, &[], to);
}

/// Appends the reply to a client's ping.
pub(super) fn put_pong(payload: &[u8], to: &mut BytesMut) {
    put(Opcode::Pong, payload, to);
}

/// Appends the close frame. A reason has at most 123 bytes.
pub(super) fn put_close(code: Option<u16>, reason: &str, to: &mut BytesMut) {
    let mut payload = BytesMut::with_capacity(2 + reason.len());
    if let Some(code) = code {
        payload.put_u16(code);
        payload.put_slice(reason.as_bytes());
    }
    put(Opcode::Close, &payload, to);
}

fn put(opcode: Opcode, payload: &[u8], to: &mut BytesMut) {
    put_head(opcode, true, payload.len(), to);
    to.put_slice(payload);
}
