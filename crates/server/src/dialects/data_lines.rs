//! Server-sent events that are one line of data: `data: {json}`, as external clients read them.

use bytes::{BufMut, BytesMut};
use serde::Serialize;

/// Writes one event. JSON has no bare line breaks, so it is one line.
pub(super) fn write(to: &mut BytesMut, data: &impl Serialize) {
    let before = to.len();
    to.extend_from_slice(b"data: ");
    match serde_json::to_writer((&mut *to).writer(), data) {
        Ok(()) => to.extend_from_slice(b"\n\n"),
        // Our own types always serialize; half an event must not go out.
        Err(_) => to.truncate(before),
    }
}

/// Writes the line that ends a stream of OpenAI's protocols.
pub(super) fn write_done(to: &mut BytesMut) {
    to.extend_from_slice(b"data: [DONE]\n\n");
}
