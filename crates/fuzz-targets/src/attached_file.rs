//! Files that people attach: what they are, their names and texts, and the answer of the process that
//! reads PDFs.

use parlor_files::pdf::Answer;
use parlor_files::{Kind, file_name, recognise, text};

/// A name, whatever it was, stays on its line; what is text holds nothing that text does not; an answer
/// is read as it was written.
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
        // A library parses these: pictures have a target, and PDFs a process with limits.
        Ok(Kind::Picture(_) | Kind::Pdf) | Err(_) => {}
    }
    if let Ok(line) = std::str::from_utf8(data)
        && let Some(said) = Answer::parse(line)
    {
        assert_eq!(Answer::parse(&said.to_line()), Some(said));
    }
}
