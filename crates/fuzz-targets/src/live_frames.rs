//! Text that streams on another node.

use parlor_chat::fuzz::live_frames;

/// Each frame takes a line of its own and a body, whatever comes.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let frames = live_frames(text);
    assert!(frames <= text.matches('\n').count() / 2, "{frames} frames in {text:?}");
}
