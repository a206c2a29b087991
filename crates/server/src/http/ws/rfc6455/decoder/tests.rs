//! Frames as clients send them, and as they must not.

use super::*;
use crate::http::ws::rfc6455::{close_code, put_close, put_ping, put_pong, put_text};

const LIMIT: usize = 1000;
const FIN: u8 = 0x80;

/// A frame as a client sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = head(first, payload.len() as u64);
    let mask = [bytes[bytes.len() - 4], bytes[bytes.len() - 3], bytes[bytes.len() - 2]];
    let mask = [mask[0], mask[1], mask[2], bytes[bytes.len() - 1]];
    bytes.extend(payload.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
    bytes
}

/// The head of a frame that announces a length.
fn head(first: u8, length: u64) -> Vec<u8> {
    let mut bytes = vec![first];
    match length {
        0..=125 => bytes.push(0x80 | length as u8),
        126..=0xFFFF => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        _ => {
            bytes.push(0x80 | 127);
            bytes.extend(length.to_be_bytes());
        }
    }
    bytes.extend([0x37, 0xFA, 0x21, 0x3D]);
    bytes
}

fn text(payload: &str) -> Vec<u8> {
    frame(FIN | 1, payload.as_bytes())
}

/// Everything that these bytes say, however they are cut.
fn read(bytes: &[u8]) -> Result<Vec<Incoming>, Violation> {
    let whole = read_in_pieces(bytes, bytes.len().max(1));
    for size in [1, 2, 3, 5, 7, 64] {
        assert_eq!(read_in_pieces(bytes, size), whole, "in pieces of {size}");
    }
    whole
}

fn read_in_pieces(bytes: &[u8], size: usize) -> Result<Vec<Incoming>, Violation> {
    let mut decoder = Decoder::new(LIMIT);
    let mut incoming = Vec::new();
    for piece in bytes.chunks(size) {
        let mut input = BytesMut::from(piece);
        while let Some(next) = decoder.next(&mut input)? {
            incoming.push(next);
        }
        assert!(input.is_empty());
    }
    Ok(incoming)
}

fn said(words: &str) -> Incoming {
    Incoming::Text(words.to_owned())
}

/// W-1: texts of every length of the length, and control frames in between.
#[test]
fn messages_are_put_together() {
    let (medium, long) = ("m".repeat(126), "l".repeat(LIMIT));
    let bytes = [
        text(""),
        text("Olá"),
        text(&medium),
        text(&long),
        frame(1, "fragm\u{e9}".as_bytes().split_at(6).0),
        frame(FIN | 9, b"are you there"),
        frame(0, "fragm\u{e9}".as_bytes().split_at(6).1),
        frame(FIN | 10, b"yes"),
        frame(0, b""),
        frame(FIN, b"ents"),
        frame(FIN | 8, &[&1000_u16.to_be_bytes()[..], b"bye"].concat()),
    ];
    let expected = vec![
        said(""),
        said("Olá"),
        said(&medium),
        said(&long),
        Incoming::Ping(b"are you there".to_vec()),
        Incoming::Pong,
        said("fragm\u{e9}ents"),
        Incoming::Close(Some(1000)),
    ];
    assert_eq!(read(&bytes.concat()), Ok(expected));
    assert_eq!(read(&frame(FIN | 8, b"")), Ok(vec![Incoming::Close(None)]));
}

/// W-2, FAULTS 15: a message over the limit is refused, and nothing else happens.
#[test]
fn what_is_not_taken_is_reported_once_and_skipped() {
    let too_long = "x".repeat(LIMIT + 1);
    let half = [b'x'; LIMIT / 2 + 1];
    let bytes = [
        text(&too_long),
        text("a"),
        frame(1, &half),
        frame(FIN | 9, b""),
        frame(0, &half),
        frame(0, &half),
        frame(FIN, &half),
        text("b"),
        frame(FIN | 2, b"\xFF\xFE"),
        frame(2, too_long.as_bytes()),
        frame(FIN, too_long.as_bytes()),
        text("c"),
    ];
    let expected = vec![
        Incoming::TooLarge,
        said("a"),
        Incoming::Ping(vec![]),
        Incoming::TooLarge,
        said("b"),
        Incoming::Binary,
        Incoming::Binary,
        said("c"),
    ];
    assert_eq!(read(&bytes.concat()), Ok(expected));
}

/// FAULTS 9, 15: what is announced costs nothing before it comes.
#[test]
fn an_announcement_takes_no_memory() {
    let mut decoder = Decoder::new(usize::MAX >> 1);
    let mut input = BytesMut::from(&head(FIN | 1, 1 << 40)[..]);
    assert_eq!(decoder.next(&mut input), Ok(None));
    assert!(matches!(&decoder.message, Some(Message::Text(text)) if text.bytes.capacity() == 0));
    let mut decoder = Decoder::new(LIMIT);
    let mut input = BytesMut::from(&head(FIN | 1, i64::MAX as u64)[..]);
    assert_eq!(decoder.next(&mut input), Ok(Some(Incoming::TooLarge)));
    input.extend_from_slice(&[0; 1 << 16]);
    assert_eq!(decoder.next(&mut input), Ok(None));
    assert!(matches!(decoder.message, Some(Message::Discarded)));
}

/// What the protocol forbids ends the connection, with the code for it.
#[test]
fn violations_have_their_codes() {
    let unmasked = vec![FIN | 1, 0];
    let in_a_message = [frame(1, b"a"), frame(FIN | 1, b"b")].concat();
    let long_control = frame(FIN | 9, &[0; 126]);
    let bad_reason = [&1000_u16.to_be_bytes()[..], b"\xFF"].concat();
    let cases: [(&str, Vec<u8>, u16); 14] = [
        ("unmasked", unmasked, close_code::PROTOCOL_ERROR),
        ("a reserved bit", frame(FIN | 0x40 | 1, b"a"), close_code::PROTOCOL_ERROR),
        ("an unknown kind", frame(FIN | 3, b"a"), close_code::PROTOCOL_ERROR),
        ("an unknown control", frame(FIN | 0xB, b""), close_code::PROTOCOL_ERROR),
        ("a long ping", long_control, close_code::PROTOCOL_ERROR),
        ("a ping in pieces", frame(9, b""), close_code::PROTOCOL_ERROR),
        ("nothing to go on with", frame(FIN, b"a"), close_code::PROTOCOL_ERROR),
        ("a message in a message", in_a_message, close_code::PROTOCOL_ERROR),
        ("a length of 64 bits", head(FIN | 1, u64::MAX), close_code::PROTOCOL_ERROR),
        ("half a code", frame(FIN | 8, b"\x03"), close_code::PROTOCOL_ERROR),
        ("a code for no one", frame(FIN | 8, &1005_u16.to_be_bytes()), close_code::PROTOCOL_ERROR),
        ("a code too small", frame(FIN | 8, &999_u16.to_be_bytes()), close_code::PROTOCOL_ERROR),
        ("a reason that is no text", frame(FIN | 8, &bad_reason), close_code::INVALID_TEXT),
        ("a text that is no text", frame(FIN | 1, b"a\xC3"), close_code::INVALID_TEXT),
    ];
    for (what, bytes, code) in cases {
        let violation = read(&bytes).unwrap_err();
        assert_eq!(violation.code, code, "{what}: {violation:?}");
        assert!(violation.reason.len() <= 123, "it must fit into a frame");
    }
}

/// A length that could be written shorter is refused, whatever it is.
#[test]
fn a_length_is_written_as_short_as_it_can_be() {
    let mask = [0; 4];
    let medium = |length: u16| {
        let payload = vec![b'a'; usize::from(length)];
        [&[FIN | 1, 0x80 | 126][..], &length.to_be_bytes(), &mask, &payload].concat()
    };
    let long = |length: u64| {
        let payload = vec![b'a'; usize::try_from(length).unwrap()];
        [&[FIN | 1, 0x80 | 127][..], &length.to_be_bytes(), &mask, &payload].concat()
    };
    for bytes in [medium(0), medium(1), medium(125), long(0), long(126), long(65_535)] {
        assert_eq!(read(&bytes).unwrap_err().code, close_code::PROTOCOL_ERROR, "{:?}", &bytes[..4]);
    }
    assert_eq!(read(&medium(126)), Ok(vec![said(&"a".repeat(126))]));
    assert_eq!(read(&long(65_536)), Ok(vec![Incoming::TooLarge]));
}

/// What can no longer become a text is refused before its frame, or its message,
/// is complete.
#[test]
fn a_text_that_is_none_is_refused_early() {
    let mut decoder = Decoder::new(LIMIT);
    let mut input = BytesMut::from(&frame(1, "κόσμε".as_bytes())[..]);
    assert_eq!(decoder.next(&mut input), Ok(None));
    let whole = frame(FIN, b"\xF4\x90\x80\x80 and much more");
    let mut input = BytesMut::from(&whole[..6 + 2]);
    assert_eq!(decoder.next(&mut input).unwrap_err().code, close_code::INVALID_TEXT);
}

/// Golden: byte for byte.
#[test]
fn our_own_frames_look_like_this() {
    let written = |put: &dyn Fn(&mut BytesMut)| {
        let mut to = BytesMut::new();
        put(&mut to);
        to.to_vec()
    };
    assert_eq!(written(&|to| put_text("Olá", to)), b"\x81\x04Ol\xC3\xA1");
    assert_eq!(written(&|to| put_ping(to)), b"\x89\x00");
    assert_eq!(written(&|to| put_pong(b"x", to)), b"\x8A\x01x");
    assert_eq!(written(&|to| put_close(Some(1012), "so", to)), b"\x88\x04\x03\xF4so");
    assert_eq!(written(&|to| put_close(None, "", to)), b"\x88\x00");
    for (length, head) in [
        (125, vec![0x81, 125]),
        (126, vec![0x81, 126, 0, 126]),
        (65_535, vec![0x81, 126, 0xFF, 0xFF]),
        (65_536, vec![0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] {
        let bytes = written(&|to| put_text(&"a".repeat(length), to));
        assert_eq!((&bytes[..head.len()], bytes.len()), (&head[..], head.len() + length));
    }
}
