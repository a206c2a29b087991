//! Exports of other chats that people upload.

/// A small bound, so that a bomb is found.
const MOST_BYTES: usize = 1 << 20;

/// Whatever is read holds words, within the limits.
pub fn run(data: &[u8]) {
    let Ok(export) = parlor_imports::read(data, MOST_BYTES) else { return };
    for conversation in &export.conversations {
        assert!(!conversation.messages.is_empty());
        assert!(conversation.messages.len() <= parlor_imports::MOST_MESSAGES);
        for message in &conversation.messages {
            assert!(!message.text.trim().is_empty() && !message.text.contains('\0'));
            assert!(message.text.len() <= parlor_imports::LONGEST_TEXT);
        }
    }
}
