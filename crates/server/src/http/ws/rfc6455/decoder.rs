//! Decodes messages from bytes, without IO.
//!
//! 1. The header of a frame is collected; then its payload is unmasked into the message
//!    that it belongs to. Memory grows with what was received, never with what was
//!    announced, and is handed over with the message.
//! 2. A message that is refused (too large, or binary) is reported as soon as its
//!    header is decoded, and its bytes are discarded as they arrive.
//! 3. Control frames may come between the frames of a message.
//! 4. A violation of the protocol is reported with the byte that causes it, not at the
//!    end of its message.

use bytes::{Buf, BytesMut};

use super::Violation;
use super::head::{Head, Opcode, PartialHead};

/// What a client has sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// A complete text message.
    Text(String),
    /// A message over the limit.
    TooLarge,
    /// A binary message.
    Binary,
    /// A ping, to be answered with the same payload.
    Ping(Vec<u8>),
    /// A reply to our ping.
    Pong,
    /// The client closes the connection, perhaps with a status code.
    Close(Option<u16>),
}

/// Decodes what one client sends.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// The largest message, in bytes.
    limit: usize,
    head: PartialHead,
    frame: Option<Frame>,
    message: Option<Message>,
    /// The payload of a control frame.
    control: Vec<u8>,
}

/// A frame whose payload is being received.
#[derive(Debug, Clone, Copy)]
struct Frame {
    head: Head,
    read: u64,
}

/// A message whose frames are being received.
#[derive(Debug)]
enum Message {
    Text(Text),
    Discarded,
}

/// The text of a message so far.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    /// How many of them were checked to be UTF-8.
    checked: usize,
}

impl Text {
    /// Checks the new bytes: invalid UTF-8 is refused before the end of the message.
    fn check(&mut self) -> Result<(), Violation> {
        match std::str::from_utf8(&self.bytes[self.checked..]) {
            Ok(_) => self.checked = self.bytes.len(),
            // The rest of a character may still arrive.
            Err(error) if error.error_len().is_none() => self.checked += error.valid_up_to(),
            Err(_) => return Err(Violation::invalid_text()),
        }
        Ok(())
    }
}

impl Decoder {
    /// A decoder for messages of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        let head = PartialHead::default();
        Self { limit, head, frame: None, message: None, control: Vec::new() }
    }

    /// The next message or control frame; `None` when the input is used up.
    pub(crate) fn next(&mut self, input: &mut BytesMut) -> Result<Option<Incoming>, Violation> {
        loop {
            let Some(frame) = self.frame else {
                let Some(head) = self.head.take(input)? else { return Ok(None) };
                self.frame = Some(Frame { head, read: 0 });
                match self.begin(head)? {
                    Some(refused) => return Ok(Some(refused)),
                    None => continue,
                }
            };
            let frame = self.read(frame, input)?;
            if frame.read < frame.head.length {
                self.frame = Some(frame);
                return Ok(None);
            }
            self.frame = None;
            if let Some(complete) = self.end(frame.head)? {
                return Ok(Some(complete));
            }
        }
    }

    /// Checks the header of a frame before its payload arrives.
    fn begin(&mut self, head: Head) -> Result<Option<Incoming>, Violation> {
        match (head.opcode, &self.message) {
            (Opcode::Close | Opcode::Ping | Opcode::Pong, _) => return Ok(None),
            (Opcode::Text | Opcode::Binary, Some(_)) => {
                return Err(Violation::protocol("A message begins inside another."));
            }
            (Opcode::Continuation, None) => {
                return Err(Violation::protocol("There is no message to go on with."));
            }
            (Opcode::Binary, None) => {
                self.message = Some(Message::Discarded);
                return Ok(Some(Incoming::Binary));
            }
            (Opcode::Text, None) => self.message = Some(Message::Text(Text::default())),
            (Opcode::Continuation, Some(_)) => {}
        }
        match &self.message {
            Some(Message::Text(so_far)) if self.is_too_much(so_far.bytes.len(), head.length) => {
                self.message = Some(Message::Discarded);
                Ok(Some(Incoming::TooLarge))
            }
            _ => Ok(None),
        }
    }

    fn is_too_much(&self, so_far: usize, more: u64) -> bool {
        more > (self.limit - so_far) as u64
    }

    /// Reads the available part of a frame's payload.
    fn read(&mut self, mut frame: Frame, input: &mut BytesMut) -> Result<Frame, Violation> {
        let left = frame.head.length - frame.read;
        let count = input.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let to = match &mut self.message {
            _ if frame.head.opcode.is_control() => Some(&mut self.control),
            Some(Message::Text(text)) => Some(&mut text.bytes),
            Some(Message::Discarded) | None => None,
        };
        if let Some(to) = to {
            let mut mask = frame.head.mask;
            mask.rotate_left((frame.read % 4) as usize);
            let before = to.len();
            to.extend_from_slice(&input[..count]);
            for (at, byte) in to[before..].iter_mut().enumerate() {
                *byte ^= mask[at % 4];
            }
        }
        input.advance(count);
        frame.read += count as u64;
        match &mut self.message {
            Some(Message::Text(text)) if !frame.head.opcode.is_control() => text.check()?,
            _ => {}
        }
        Ok(frame)
    }

    /// What a complete frame completes.
    fn end(&mut self, head: Head) -> Result<Option<Incoming>, Violation> {
        Ok(match head.opcode {
            Opcode::Ping => Some(Incoming::Ping(std::mem::take(&mut self.control))),
            Opcode::Pong => {
                self.control = Vec::new();
                Some(Incoming::Pong)
            }
            Opcode::Close => Some(Incoming::Close(reason(&std::mem::take(&mut self.control))?)),
            Opcode::Text | Opcode::Binary | Opcode::Continuation if !head.fin => None,
            Opcode::Text | Opcode::Binary | Opcode::Continuation => match self.message.take() {
                Some(Message::Text(text)) => {
                    let text =
                        String::from_utf8(text.bytes).map_err(|_| Violation::invalid_text())?;
                    Some(Incoming::Text(text))
                }
                Some(Message::Discarded) | None => None,
            },
        })
    }
}

/// The status code of a close frame.
fn reason(payload: &[u8]) -> Result<Option<u16>, Violation> {
    let (code, words) = match payload {
        [] => return Ok(None),
        [high, low, words @ ..] => (u16::from_be_bytes([*high, *low]), words),
        [_] => return Err(Violation::protocol("A code has two bytes.")),
    };
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(Violation::protocol("There is no such code."));
    }
    std::str::from_utf8(words).map_err(|_| Violation::invalid_text())?;
    Ok(Some(code))
}

#[cfg(test)]
mod tests;
