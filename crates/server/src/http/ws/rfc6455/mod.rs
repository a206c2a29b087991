//! The WebSocket protocol, as much of it as a server needs: the handshake, the
//! head of a frame, messages out of frames, and the frames that are sent.
//!
//! It is written here because of two things that libraries do otherwise. They
//! end a connection over a frame that is too large, where W-2 has it refused and
//! nothing else happen; and they keep a buffer of the size of the largest frame
//! that ever came or went, where a quiet connection should cost next to nothing.
//! No extension is offered, so nothing is ever compressed.

mod decoder;
mod handshake;
mod head;

use bytes::{BufMut, BytesMut};

pub(crate) use decoder::{Decoder, Incoming};
pub(crate) use handshake::Handshake;
use head::{Opcode, put_head};

/// Why a connection is closed.
pub(crate) mod close_code {
    pub(crate) const NORMAL: u16 = 1000;
    pub(crate) const PROTOCOL_ERROR: u16 = 1002;
    pub(crate) const INVALID_TEXT: u16 = 1007;
    pub(crate) const POLICY: u16 = 1008;
    pub(crate) const RESTART: u16 = 1012;
}

/// What the protocol forbids. The connection has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The code to close with.
    pub(crate) code: u16,
    /// In words.
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

/// Appends a text in one frame.
pub(super) fn put_text(text: &str, to: &mut BytesMut) {
    put(Opcode::Text, text.as_bytes(), to);
}

/// Appends a part of a text, which goes out in several frames. Other texts have to
/// wait until the last one.
pub(super) fn put_part(part: &[u8], is_first: bool, is_last: bool, to: &mut BytesMut) {
    let opcode = if is_first { Opcode::Text } else { Opcode::Continuation };
    put_head(opcode, is_last, part.len(), to);
    to.put_slice(part);
}

/// Appends the question whether the client is there.
pub(super) fn put_ping(to: &mut BytesMut) {
    put(Opcode::Ping, &[], to);
}

/// Appends the answer to a client's ping.
pub(super) fn put_pong(payload: &[u8], to: &mut BytesMut) {
    put(Opcode::Pong, payload, to);
}

/// Appends the last frame. A reason is at most 123 bytes long.
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
