//! The header of a frame: opcode, length, and the mask of a client.

use bytes::{Buf, BufMut, BytesMut};

use super::Violation;

/// Two bytes, eight for the length, four for the mask.
const LONGEST: usize = 14;
/// The longest payload of a control frame.
const LONGEST_CONTROL: u8 = 125;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// The header of a client's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) opcode: Opcode,
    /// Whether it is the last frame of its message.
    pub(super) fin: bool,
    pub(super) length: u64,
    pub(super) mask: [u8; 4],
}

/// A header that was not received completely.
#[derive(Debug, Default)]
pub(super) struct PartialHead {
    bytes: [u8; LONGEST],
    have: usize,
}

impl Opcode {
    fn of(number: u8) -> Option<Self> {
        Some(match number {
            0x0 => Self::Continuation,
            0x1 => Self::Text,
            0x2 => Self::Binary,
            0x8 => Self::Close,
            0x9 => Self::Ping,
            0xA => Self::Pong,
            _ => return None,
        })
    }

    fn number(self) -> u8 {
        match self {
            Self::Continuation => 0x0,
            Self::Text => 0x1,
            Self::Binary => 0x2,
            Self::Close => 0x8,
            Self::Ping => 0x9,
            Self::Pong => 0xA,
        }
    }

    /// Whether it is a control frame, which belongs to no message.
    pub(super) fn is_control(self) -> bool {
        match self {
            Self::Close | Self::Ping | Self::Pong => true,
            Self::Continuation | Self::Text | Self::Binary => false,
        }
    }
}

impl PartialHead {
    /// Consumes bytes until the header is complete; `None` if there are too few.
    pub(super) fn take(&mut self, input: &mut BytesMut) -> Result<Option<Head>, Violation> {
        while self.have < self.needed() {
            if input.is_empty() {
                return Ok(None);
            }
            self.bytes[self.have] = input.get_u8();
            self.have += 1;
            if self.have == 2 {
                check(self.bytes[0], self.bytes[1])?;
            }
        }
        let head = self.read()?;
        self.have = 0;
        Ok(Some(head))
    }

    fn needed(&self) -> usize {
        match self.bytes[1] & !MASKED {
            _ if self.have < 2 => 2,
            126 => 8,
            127 => LONGEST,
            _ => 6,
        }
    }

    fn read(&self) -> Result<Head, Violation> {
        let (first, second) = (self.bytes[0], self.bytes[1]);
        let mut rest = &self.bytes[2..self.have];
        let opcode = Opcode::of(first & 0x0F).ok_or_else(unknown_opcode)?;
        let (length, shortest) = match second & !MASKED {
            126 => (u64::from(rest.get_u16()), 126),
            127 => (rest.get_u64(), 1 << 16),
            short => (u64::from(short), 0),
        };
        if length > i64::MAX as u64 {
            return Err(Violation::protocol("A length has at most 63 bits."));
        }
        // A length that can be written in several ways could be hidden from a proxy.
        if length < shortest {
            return Err(Violation::protocol("A length is written as short as it can be."));
        }
        Ok(Head { opcode, fin: first & FIN != 0, length, mask: rest.get_u32().to_be_bytes() })
    }
}

/// Refuses what the first two bytes already show to be invalid.
fn check(first: u8, second: u8) -> Result<(), Violation> {
    let opcode = Opcode::of(first & 0x0F).ok_or_else(unknown_opcode)?;
    let length = second & !MASKED;
    if first & RESERVED != 0 {
        return Err(Violation::protocol("No extension was agreed on."));
    }
    if second & MASKED == 0 {
        return Err(Violation::protocol("A client must mask its frames."));
    }
    if opcode.is_control() && (first & FIN == 0 || length > LONGEST_CONTROL) {
        return Err(Violation::protocol("A control frame is short and in one piece."));
    }
    Ok(())
}

fn unknown_opcode() -> Violation {
    Violation::protocol("There is no such kind of frame.")
}

/// Appends the header of a frame of ours, which is not masked. `fin`: it is the last
/// frame of its message.
pub(super) fn put_head(opcode: Opcode, fin: bool, length: usize, to: &mut BytesMut) {
    to.put_u8(if fin { FIN | opcode.number() } else { opcode.number() });
    match u16::try_from(length) {
        Ok(short) if short <= 125 => to.put_u8(short as u8),
        Ok(medium) => {
            to.put_u8(126);
            to.put_u16(medium);
        }
        Err(_) => {
            to.put_u8(127);
            to.put_u64(length as u64);
        }
    }
}
