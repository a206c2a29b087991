//! A line of a program: a JSON object, or a line that is skipped.
//!
//! A line that begins like a message and is none ends the process: it may have been the
//! answer that a turn waits for. Any other line, such as the greeting of a wrapper script or
//! a warning of a runtime, is skipped.

use serde_json::Value;

/// How much of a skipped line is kept for the log, in bytes.
const LONGEST_SKIPPED: usize = 300;

/// What was read from a program.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A message, and its length in bytes.
    Message(Value, usize),
    /// A line that is no message: its beginning, and its length in bytes.
    Skipped(String, usize),
    /// The program closed its output.
    End,
    /// The output cannot be understood, and why.
    Broken(String),
}

impl Line {
    /// Reads a whole line; `None` if it is empty.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        // A JSON object that is not empty begins with a name.
        let is_message =
            text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
        // Without quoting it: the line may hold anything.
        let broken = |why: &str| Self::Broken(format!("it sent a line that is not {why}"));
        Some(match serde_json::from_slice(text) {
            Ok(value @ Value::Object(_)) => Self::Message(value, line.len()),
            _ if !is_message => {
                let beginning = &text[..text.len().min(LONGEST_SKIPPED)];
                Self::Skipped(String::from_utf8_lossy(beginning).into_owned(), line.len())
            }
            Ok(_) | Err(_) if std::str::from_utf8(text).is_err() => broken("UTF-8"),
            Ok(_) | Err(_) => broken("a JSON object"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// FAULTS 4: a message that cannot be read is an error that says why.
    #[test]
    fn a_line_that_begins_like_a_message_is_one_or_broken() {
        assert_eq!(Line::parse(b" {\"a\": 1} \r\n"), Some(Line::Message(json!({"a": 1}), 12)));
        assert_eq!(Line::parse(b"\n"), None);
        for (bytes, words) in
            [(&b"{\"a\": \n"[..], "not a JSON object"), (b"{\"a\": \"\xff\"}\n", "not UTF-8")]
        {
            let Some(Line::Broken(why)) = Line::parse(bytes) else { panic!("{bytes:?} is broken") };
            assert!(why.contains(words), "{why}");
        }
    }

    /// FAULTS 4: a line that does not even begin like a message is skipped.
    #[test]
    fn other_lines_are_skipped() {
        for other in [&b"hello"[..], b"[1]", b"7", b"{", b"{ a: 1 }", b"\xff\xfe", b"[[[[[["] {
            let line = [other, b"\n"].concat();
            let skipped = Line::Skipped(String::from_utf8_lossy(other).into(), line.len());
            assert_eq!(Line::parse(&line), Some(skipped));
        }
        let long = [&[b'x'; LONGEST_SKIPPED * 2][..], b"\n"].concat();
        let Some(Line::Skipped(beginning, length)) = Line::parse(&long) else {
            panic!("it is skipped")
        };
        assert_eq!((beginning.len(), length), (LONGEST_SKIPPED, long.len()));
    }
}
