//! How much of a result of a program's tool is kept.

/// The longest result that is shown, in bytes of text.
pub(crate) const LONGEST_RESULT: usize = 100 << 10;

/// The text as far as there is room, which it takes.
pub(crate) fn cut(text: &str, room: &mut usize) -> String {
    let end = text.floor_char_boundary((*room).min(text.len()));
    *room -= end;
    if end == text.len() { text.to_owned() } else { format!("{}\n[cut off]", &text[..end]) }
}
