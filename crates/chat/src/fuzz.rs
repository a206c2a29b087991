//! For fuzzing: the parsers of what comes from outside.

use crate::log::live_frame;

/// Reads what another node sent; returns how many frames it holds.
pub fn live_frames(payload: &str) -> usize {
    live_frame::read(payload).len()
}
