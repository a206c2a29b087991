//! The labels of a program's own tools (F-1): in what they differ from tools of which nothing is
//! known.

use std::path::{Component, Path};

use parlor_agent::flow::{Label, ToolFlow};
use parlor_agent::tools::ToolOutcome;
use parlor_protocol::Content;

/// A tool that only reads: its results hold such words, and no call of it does harm.
pub(crate) fn reads(content: Content) -> ToolFlow {
    ToolFlow { content: Label::believed(content), sink: Label::believed(false), ..changes() }
}

/// A tool that changes something, and says nothing but that it did.
pub(crate) fn changes() -> ToolFlow {
    ToolFlow { content: Label::believed(Content::Own), ..ToolFlow::default() }
}

/// A tool that brings words of others, and carries its arguments outside.
pub(crate) fn reaches_out() -> ToolFlow {
    ToolFlow { reaches_out: true, ..ToolFlow::default() }
}

/// The outcome of a call, with what is known of its result at the end. Before the call it may have
/// looked better than it was, so only the stricter label counts.
pub(crate) fn labelled(mut outcome: ToolOutcome, content: Content) -> ToolOutcome {
    if let (ToolOutcome::Answered { extras, .. }, Content::Others) = (&mut outcome, content) {
        extras.label.content = Some(content);
    }
    outcome
}

/// Whether a path is in a directory, by its text: links are not followed. In doubt it is not.
pub(crate) fn is_inside(path: &str, directory: &str) -> bool {
    let (path, directory) = (Path::new(path), Path::new(directory));
    let is_plain =
        !path.starts_with("~") && !path.components().any(|part| part == Component::ParentDir);
    is_plain && directory.is_absolute() && directory.join(path).starts_with(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F-1: a path that could lead out of a directory is not in it.
    #[test]
    fn a_path_is_inside_only_if_its_text_says_so() {
        for (path, expected) in [
            ("/srv/desk", true),
            ("/srv/desk/a/b.txt", true),
            ("a/b.txt", true),
            ("", true),
            ("/srv/desk2/a", false),
            ("/srv", false),
            ("/srv/desk/../mail", false),
            ("a/../../mail", false),
            ("~/mail", false),
        ] {
            assert_eq!(is_inside(path, "/srv/desk"), expected, "{path}");
        }
        assert!(!is_inside("a", ""), "the directory is not known");
    }
}
