//! Server-sent events, decoded from whatever pieces the network makes of them.
//!
//! 1. [`SseDecoder::push`] takes the next piece of the body.
//! 2. [`SseDecoder::next`] gives the data of the next whole event, until there
//!    is none; then more has to be pushed.
//!
//! It follows the standard: lines end in LF, CR or CRLF, also when the two are
//! in different pieces; a byte order mark, comments, and fields other than
//! `data` are passed over; several `data` lines make one text; an event that
//! the stream ends in is dropped. Names of events are not kept: both wire
//! formats say in the data what it is. Bytes stay bytes, because a character
//! may be cut in two; whoever parses the data checks that it is UTF-8.
//!
//! Memory is bounded: an event of more bytes than the limit is refused, however
//! it is split into lines, and the buffer is used again for the next event.

use std::mem;
use std::ops::Range;

use bytes::Bytes;

/// An event was larger than the limit; the stream is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Oversized;

/// A decoder for one stream.
#[derive(Debug)]
pub(crate) struct SseDecoder {
    limit: usize,
    /// What was pushed, and how far it is decoded.
    input: Bytes,
    at: usize,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The data of the event that is being read; after it was given out, the
    /// data of that event until the next call.
    data: Data,
    buffer: Vec<u8>,
    /// Bytes of the event so far, those of passed-over fields included.
    taken: usize,
    given_out: bool,
    after_cr: bool,
    at_start: bool,
}

/// Where the data of an event is.
#[derive(Debug, PartialEq, Eq)]
enum Data {
    None,
    /// One line that is whole in the input, as nearly all are: it is not copied.
    Input(Range<usize>),
    /// Several lines, or one that came in pieces.
    Buffer,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl SseDecoder {
    /// A decoder that takes events of up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            input: Bytes::new(),
            at: 0,
            line: Vec::new(),
            data: Data::None,
            buffer: Vec::new(),
            taken: 0,
            given_out: false,
            after_cr: false,
            at_start: true,
        }
    }

    /// Takes the next piece. The last one has to be decoded to its end before.
    pub(crate) fn push(&mut self, piece: Bytes) {
        debug_assert!(self.at == self.input.len(), "next() must have given None");
        (self.input, self.at) = (piece, 0);
    }

    /// The data of the next event, or `None` if more has to be pushed.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Oversized> {
        if mem::take(&mut self.given_out) {
            self.start_event();
        }
        while let Some(end) = self.line_end() {
            if self.take_line(end)? {
                self.given_out = true;
                return Ok(Some(match &self.data {
                    Data::None => &[],
                    Data::Input(place) => &self.input[place.clone()],
                    Data::Buffer => &self.buffer,
                }));
            }
        }
        // The event is not at its end. Its input is let go of at once: whoever
        // reads the connection can use that memory again for the next piece.
        self.copy_data();
        self.push(Bytes::new());
        if self.taken + self.line.len() > self.limit { Err(Oversized) } else { Ok(None) }
    }

    fn start_event(&mut self) {
        self.data = Data::None;
        self.buffer.clear();
        self.taken = 0;
    }

    /// Where the line ends in the input. Without an end the input is used up, and
    /// kept as the beginning of a line.
    fn line_end(&mut self) -> Option<usize> {
        if self.after_cr && self.at < self.input.len() {
            self.after_cr = false;
            self.at += usize::from(self.input[self.at] == b'\n');
        }
        let rest = &self.input[self.at..];
        let end = first_line_end(rest);
        if end.is_none() {
            self.line.extend_from_slice(rest);
            self.at = self.input.len();
        }
        end.map(|end| self.at + end)
    }

    /// Takes the line that ends at `end` of the input; true if it ends an event.
    fn take_line(&mut self, end: usize) -> Result<bool, Oversized> {
        let mut place = mem::replace(&mut self.at, end + 1)..end;
        self.after_cr = self.input[end] == b'\r';
        let in_pieces = !self.line.is_empty();
        if in_pieces {
            self.line.extend_from_slice(&self.input[place.clone()]);
            place = 0..self.line.len();
        }
        self.taken += place.len();
        if self.taken > self.limit {
            return Err(Oversized);
        }
        let line = if in_pieces { &self.line[..] } else { &self.input[place.clone()] };
        if mem::take(&mut self.at_start) && line.starts_with(BYTE_ORDER_MARK) {
            place.start += BYTE_ORDER_MARK.len();
        }
        let ended = self.field(place, in_pieces);
        self.line.clear();
        Ok(ended)
    }

    /// Takes the field at a place of the line, or of the input; true if it is the
    /// empty one that ends an event.
    fn field(&mut self, mut place: Range<usize>, in_pieces: bool) -> bool {
        let line = if in_pieces { &self.line[..] } else { &self.input[..] };
        let Some(value) = data_of(&line[place.clone()]) else {
            if place.is_empty() && self.data == Data::None {
                self.start_event();
            }
            return place.is_empty() && self.data != Data::None;
        };
        place.start = place.end - value.len();
        if self.data == Data::None && !in_pieces {
            self.data = Data::Input(place);
            return false;
        }
        self.copy_data();
        if mem::replace(&mut self.data, Data::Buffer) == Data::Buffer {
            self.buffer.push(b'\n');
        }
        let line = if in_pieces { &self.line[..] } else { &self.input[..] };
        self.buffer.extend_from_slice(&line[place]);
        false
    }

    /// Makes the data independent of the input.
    fn copy_data(&mut self) {
        if let Data::Input(place) = &self.data {
            self.buffer.extend_from_slice(&self.input[place.clone()]);
            self.data = Data::Buffer;
        }
    }
}

/// The value of a `data` line.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    match line.strip_prefix(b"data")? {
        value @ [] => Some(value),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

/// Where the first LF or CR is. Looked for in strides, which the processor
/// compares as a whole.
fn first_line_end(bytes: &[u8]) -> Option<usize> {
    const STRIDE: usize = 32;
    let is_end = |byte: u8| byte == b'\n' || byte == b'\r';
    let mut from = 0;
    for stride in bytes.chunks_exact(STRIDE) {
        if stride.iter().fold(false, |found, &byte| found | is_end(byte)) {
            break;
        }
        from += STRIDE;
    }
    bytes[from..].iter().position(|&byte| is_end(byte)).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The events of a body that comes in the given pieces.
    fn decode<'a>(
        limit: usize,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Vec<Vec<u8>>, Oversized> {
        let mut decoder = SseDecoder::new(limit);
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(Bytes::copy_from_slice(piece));
            while let Some(data) = decoder.next()? {
                events.push(data.to_vec());
            }
        }
        Ok(events)
    }

    fn texts(body: &str) -> Vec<String> {
        let events = decode(1 << 20, [body.as_bytes()]).unwrap();
        events.into_iter().map(|data| String::from_utf8(data).unwrap()).collect()
    }

    #[test]
    fn follows_the_standard() {
        let cases: &[(&str, &[&str])] = &[
            ("data: a\n\ndata: b\n\n", &["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\r", &["a", "b"]),
            ("\u{feff}data: a\n\n", &["a"]),
            (": hello\n\n:\n\ndata:a\n\n", &["a"]),
            ("event: x\nid: 7\nretry: 3\ndata: a\n\n", &["a"]),
            ("data: one\ndata:two\ndata\ndata:  three\n\n", &["one\ntwo\n\n three"]),
            ("event: only a name\n\ndata: a\n\n", &["a"]),
            ("database: no\ndata: yes\n\n", &["yes"]),
            ("data\n\n", &[""]),
            ("data: never ended\n", &[]),
            ("\n\n\r\n\r\r", &[]),
            ("", &[]),
        ];
        for (body, events) in cases {
            assert_eq!(texts(body), *events, "{body:?}");
        }
    }

    #[test]
    fn an_event_over_the_limit_is_refused_however_it_is_written() {
        let long = "x".repeat(100);
        let lines = "data: 1234567890\n".repeat(10);
        for body in [format!("data: {long}\n\n"), format!("data: {long}"), format!("{lines}\n")] {
            let body = body.as_bytes();
            assert_eq!(decode(64, [body]), Err(Oversized));
            assert_eq!(decode(64, body.chunks(1)), Err(Oversized));
            assert!(decode(256, [body]).is_ok());
        }
        let many_small = "data: 1234567890\n\n".repeat(1_000);
        assert_eq!(decode(64, [many_small.as_bytes()]).unwrap().len(), 1_000);
    }

    /// Bodies that are mostly made of what means something to the decoder.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            Just(b"data: ".to_vec()),
            Just(b"data:{\"a\":1}".to_vec()),
            Just("data: é€🙂".as_bytes().to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\n\n".to_vec()),
            Just(b": comment".to_vec()),
            Just(b"event: ping".to_vec()),
            Just("\u{feff}".as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..8),
        ];
        proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        /// FAULTS 11: the same events for every way of cutting the body; nothing panics.
        #[test]
        fn events_do_not_depend_on_how_the_body_is_cut(
            body in body(),
            cuts in proptest::collection::vec(0usize..400, 0..12),
            limit in prop_oneof![Just(1usize << 20), 1usize..64],
        ) {
            let whole = decode(limit, [&body[..]]);
            prop_assert_eq!(decode(limit, body.chunks(1)), whole.clone());
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (body.len() + 1)).collect();
            cuts.extend([0, body.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]);
            prop_assert_eq!(decode(limit, pieces), whole);
        }
    }
}
