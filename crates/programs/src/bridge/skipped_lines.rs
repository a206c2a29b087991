//! The log of skipped lines: at most one a second, without secrets.
//!
//! A program may write its secrets: the values of its environment are masked, and so is
//! whatever looks like a key.

use parlor_process::OncePerSecond;
use secrecy::{ExposeSecret as _, SecretString};

/// Shorter values are words, and not secrets.
const SHORTEST_SECRET: usize = 8;
/// Words that are at least this long, and have letters and digits, look like keys.
const SHORTEST_KEY: usize = 20;
const MASK: &str = "[masked]";

/// Logs lines that were skipped.
#[derive(Debug)]
pub(super) struct SkippedLineLog {
    name: String,
    secrets: Vec<SecretString>,
    gate: OncePerSecond,
}

impl SkippedLineLog {
    /// For a program of this name and environment.
    pub(super) fn new(name: &str, environment: &[(String, SecretString)]) -> Self {
        let values = environment.iter().map(|(_, value)| value);
        let is_long = |value: &&SecretString| value.expose_secret().len() >= SHORTEST_SECRET;
        let mut secrets: Vec<SecretString> = values.filter(is_long).cloned().collect();
        // One may hold another.
        secrets.sort_by_key(|value| std::cmp::Reverse(value.expose_secret().len()));
        Self { name: name.to_owned(), secrets, gate: OncePerSecond::default() }
    }

    /// Logs a line that was skipped.
    pub(super) fn log(&self, beginning: &str, length: usize) {
        if let Some(left_out) = self.gate.pass() {
            let line = self.masked(beginning);
            tracing::warn!(child = self.name, length, left_out, line = %line.escape_debug(),
                "skipped a line that is not a message");
        }
    }

    fn masked(&self, line: &str) -> String {
        let line = self
            .secrets
            .iter()
            .fold(line.to_owned(), |line, secret| line.replace(secret.expose_secret(), MASK));
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '=');
        let mut shown = String::with_capacity(line.len());
        for piece in line.split_inclusive(|c: char| !is_part(c)) {
            let word = piece.trim_end_matches(|c: char| !is_part(c));
            shown.push_str(if looks_like_key(word) { MASK } else { word });
            shown.push_str(&piece[word.len()..]);
        }
        shown
    }
}

fn looks_like_key(word: &str) -> bool {
    word.len() >= SHORTEST_KEY
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X-3, B-2: a skipped line shows no secret of its program in the log.
    #[test]
    fn secrets_are_masked() {
        let value = |text: &str| SecretString::from(text);
        let environment =
            [("KEY".to_owned(), value("my secret words")), ("LANG".to_owned(), value("en"))];
        let log = SkippedLineLog::new("agent", &environment);
        for (line, shown) in [
            ("npm warn deprecated glob@7.2.3", "npm warn deprecated glob@7.2.3"),
            ("the key is my secret words, in en", "the key is [masked], in en"),
            ("key=sk-ant-api03-abcdefgh12345678;", "[masked];"),
            ("Bearer abcdefghijklmnop0123456789!", "Bearer [masked]!"),
            ("averyveryverylongwordofletters", "averyveryverylongwordofletters"),
        ] {
            assert_eq!(log.masked(line), shown);
        }
    }
}
