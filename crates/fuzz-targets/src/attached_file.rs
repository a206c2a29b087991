//! Files that people attach: what they are, their names and texts, and the answer of the process that
//! reads PDFs.

use std::panic::catch_unwind;

use parlor_files::pdf::{Answer, Limits, answer};
use parlor_files::{Kind, file_name, recognise, text};

/// Far below what a process may read: the parser is bounded by the length of its input here.
const LIMITS: Limits = Limits { pages: 5, chars: 2_000 };

/// A name, whatever it was, stays on its line; what is text holds nothing that text does not; a PDF
/// has an answer.
pub fn run(data: &[u8]) {
    let name = file_name(&String::from_utf8_lossy(data));
    assert!(!name.is_empty() && name.chars().count() <= 120, "{name:?}");
    assert!(!name.contains(['\n', '\r', '\0', '"', '/', '\\', '[', ']']), "{name:?}");
    assert_eq!(file_name(&name), name, "a name that is safe stays as it is");
    match recognise(&name, data) {
        Ok(Kind::Text(_)) => {
            let text = text(data).expect("what is text can be read");
            assert!(!text.contains(['\0', '\u{1b}']));
        }
        Ok(Kind::Pdf) => {
            // A parser that panics ends the process that reads PDFs, and nothing else.
            let answered = catch_unwind(|| answer(data, LIMITS));
            if let Ok(Answer::Text { text, pages, .. }) = answered {
                assert!(pages <= LIMITS.pages && text.chars().count() <= LIMITS.chars);
            }
        }
        Ok(Kind::Picture(_)) | Err(_) => {}
    }
    if let Ok(line) = std::str::from_utf8(data)
        && let Some(said) = Answer::parse(line)
    {
        assert_eq!(Answer::parse(&said.to_line()), Some(said));
    }
}
