//! A streamed answer of the Anthropic Messages API.

use parlor_models::ModelEvent;
use parlor_models::fuzz::{Decoded, anthropic_answer};

use crate::cuts::cuts;

/// The same events for every cut; nothing after the end.
pub fn run(data: &[u8]) {
    let whole = anthropic_answer([data]);
    assert_one_end(&whole);
    for pieces in cuts(data) {
        assert_eq!(anthropic_answer(pieces), whole);
    }
}

/// An answer ends with `Stop` or with an error, and with one of them only.
pub(crate) fn assert_one_end((events, end): &Decoded<ModelEvent>) {
    let stop = events.iter().position(|event| matches!(event, ModelEvent::Stop(_)));
    match end {
        Ok(()) => assert_eq!(stop, events.len().checked_sub(1), "{events:?}"),
        Err(_) => assert_eq!(stop, None, "{events:?}"),
    }
}
