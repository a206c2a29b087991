//! Text files: UTF-8, without what no text holds.

/// The text of a file that is one.
pub fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_plain = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    // C1 controls stand in old encodings, and in nothing that is UTF-8 text.
    text.chars().all(is_plain).then_some(text)
}

pub(crate) fn is_text(bytes: &[u8]) -> bool {
    text(bytes).is_some()
}

/// Text from elsewhere without what no text file may hold.
pub(crate) fn plain(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n'))
}
