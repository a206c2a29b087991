//! Short forms of a person's text: titles and excerpts.

/// The longest title, in characters, without the ellipsis.
const TITLE_CHARS: usize = 60;
/// The longest excerpt of a blocked input, in characters (G-7).
const EXCERPT_CHARS: usize = 120;

/// The title of a conversation: the first line of its first message, shortened.
pub(crate) fn title(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("…");
    shorten(line, TITLE_CHARS)
}

/// The beginning of a text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, EXCERPT_CHARS)
}

/// Cuts after a word if one ends in the second half.
fn shorten(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let cut: String = text.chars().take(max_chars).collect();
    let words =
        cut.rfind(' ').filter(|at| *at > cut.len() / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}…", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A title is the first line, cut after a word, and at most 60 characters and an
    /// ellipsis long.
    #[test]
    fn titles_are_short_and_end_at_a_word() {
        assert_eq!(title("\n  What recipes do I have?\nTell me."), "What recipes do I have?");
        assert_eq!(title(""), "…");
        let long = "tomato soup tomato soup tomato soup tomato soup tomato soup…";
        assert_eq!(title(&"tomato soup ".repeat(20)), long);
        assert_eq!(title(&"tomato ".repeat(20)).chars().count(), 56, "eight words and the mark");
        let exact = "x".repeat(60);
        assert_eq!(title(&exact), exact);
        assert_eq!(title(&"あ".repeat(100)), format!("{}…", "あ".repeat(60)), "no word to cut at");
    }
}
