//! The decoders of answers, reachable for the fuzz targets in `crates/fuzz-targets`.
//! Nothing else uses it.
//!
//! Each function takes a body in the pieces in which it arrives and returns all
//! that was decoded before the body or the decoder ended.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::client::ModelEvent;
use crate::http::answer::Reader;
use crate::http::sse::SseDecoder;
use crate::{anthropic, openai};

/// The largest event in an answer; far above what a target is fed.
const LARGEST_EVENT: usize = 1 << 20;

/// What was decoded, and why decoding failed, if it did.
pub type Decoded<T> = (Vec<T>, Result<(), String>);

/// The data of server-sent events of at most `limit` bytes each.
pub fn sse_events<'a>(
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Decoded<Vec<u8>> {
    let mut events = Vec::new();
    let end = for_each_event(limit, pieces, |data| {
        events.push(data.to_vec());
        Ok(true)
    });
    (events, end.map(|_| ()))
}

/// An answer of the Anthropic Messages API.
pub fn anthropic_answer<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded<ModelEvent> {
    answer(anthropic::answer::AnswerReader::default(), pieces)
}

/// An answer of OpenAI chat completions.
pub fn openai_answer<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded<ModelEvent> {
    answer(openai::answer::AnswerReader::new("some-model"), pieces)
}

/// Reads as [`crate::http::answer`] does, without a connection.
fn answer<'a>(
    mut reader: impl Reader,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Decoded<ModelEvent> {
    let mut out = VecDeque::new();
    let end = for_each_event(LARGEST_EVENT, pieces, |data| {
        reader.read(data, &mut out).map_err(|error| error.to_string())?;
        Ok(!reader.is_finished())
    });
    let end = match end {
        Ok(true) if !reader.close(&mut out) => Err("it ended without its end marker".to_owned()),
        other => other.map(|_| ()),
    };
    (out.into(), end)
}

/// Calls `take` for each event until it returns false. Whether the body ended first.
fn for_each_event<'a>(
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    mut take: impl FnMut(&[u8]) -> Result<bool, String>,
) -> Result<bool, String> {
    let mut decoder = SseDecoder::new(limit);
    for piece in pieces {
        decoder.push(Bytes::copy_from_slice(piece));
        while let Some(data) = decoder.next().map_err(|_| "an event is too large".to_owned())? {
            if !take(data)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
