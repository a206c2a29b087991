//! Small things made of a person's words, and the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use parlor_protocol::Timestamp;

/// The longest title that is made of a first message.
const TITLE_CHARS: usize = 60;
/// How much of a refused text the audit keeps (G-7).
const EXCERPT_CHARS: usize = 120;

/// This moment.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A title for a conversation: the beginning of its first message.
pub(crate) fn title(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("…");
    shorten(line, TITLE_CHARS)
}

/// The first words of a text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, EXCERPT_CHARS)
}

/// Cuts at a word if there is one near the end.
fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    let words =
        cut.rfind(' ').filter(|at| *at > cut.len() / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}…", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_short_and_end_at_a_word() {
        assert_eq!(title("\n  What recipes do I have?\nTell me."), "What recipes do I have?");
        assert_eq!(title(""), "…");
        let long = title(&"tomato soup ".repeat(20));
        assert!(
            long.chars().count() <= 61 && long.ends_with("tomato…") || long.ends_with("soup…"),
            "{long}"
        );
        assert_eq!(title(&"あ".repeat(100)).chars().count(), 61);
    }
}
