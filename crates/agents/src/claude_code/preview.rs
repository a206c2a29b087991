//! What an edit would change (P-7), before it is allowed.
//!
//! What stands in the arguments is enough for an edit. For a file that is written
//! anew its present text is looked at: only below the working directory, only a
//! plain file, only so much of it; and where the agent has a user of its own, only
//! a file of that user. So nothing is shown that the agent could not read itself.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use parlor_protocol::Preview;
use serde_json::{Map, Value};

use crate::ask::ProposedCall;
use crate::process::User;

/// The largest text that is shown, in bytes.
const LARGEST: usize = 256 << 10;
/// Between the places that one call changes.
const BETWEEN: &str = "\n⋯\n";

/// What the arguments alone tell.
pub(super) fn of_input(tool: &str, input: &Map<String, Value>) -> Option<Preview> {
    let field = |name: &str| input.get(name).and_then(Value::as_str).map(short);
    match tool {
        "Edit" => Some(diff(field("old_string")?, field("new_string")?)),
        "MultiEdit" => {
            let edits = input.get("edits")?.as_array()?;
            let all = |name: &str| {
                let texts: Option<Vec<&str>> =
                    edits.iter().map(|edit| edit.get(name)?.as_str()).collect();
                texts.map(|texts| short(&texts.join(BETWEEN)))
            };
            Some(diff(all("old_string")?, all("new_string")?))
        }
        "NotebookEdit" => Some(Preview::Diff { old: None, new: Some(field("new_source")?) }),
        _ => None,
    }
}

/// What files tell beyond that.
pub(super) fn with_files(
    call: &ProposedCall,
    working_dir: &Path,
    user: Option<&User>,
) -> Option<Preview> {
    if call.name != "Write" {
        return None;
    }
    let new = call.input.get("content")?.as_str().map(short)?;
    let path = call.input.get("file_path").and_then(Value::as_str).map(PathBuf::from);
    let old = path.and_then(|path| present_text(&path, working_dir, user));
    Some(Preview::Diff { old, new: Some(new) })
}

/// What is in the file now, as far as it may be shown.
fn present_text(path: &Path, working_dir: &Path, user: Option<&User>) -> Option<String> {
    let path = working_dir.join(path).canonicalize().ok()?;
    // A pipe would be waited for.
    if !path.starts_with(working_dir) || !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let file = File::open(&path).ok()?;
    // Of what was opened, not of what lay there a moment ago.
    let about = file.metadata().ok()?;
    if !about.is_file() || user.is_some_and(|user| user.uid != about.uid()) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok().map(|text| short(&text))
}

fn diff(old: String, new: String) -> Preview {
    let old = Some(old).filter(|old| !old.is_empty());
    Preview::Diff { old, new: Some(new) }
}

fn short(text: &str) -> String {
    let end = text.floor_char_boundary(LARGEST.min(text.len()));
    if end == text.len() { text.to_owned() } else { format!("{}\n[cut off]", &text[..end]) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;

    fn shown(dir: &Path, path: &str, user: Option<&User>) -> Option<String> {
        let input = json!({"file_path": path, "content": "new"});
        let call = ProposedCall {
            id: "t".into(),
            name: "Write".into(),
            input: input.as_object().cloned().unwrap(),
            tool: None,
            description: None,
            preview: None,
        };
        let Some(Preview::Diff { old, new }) = with_files(&call, dir, user) else {
            panic!("a write has a preview")
        };
        assert_eq!(new.as_deref(), Some("new"));
        old
    }

    /// P-7, B-2: the present text is shown, and nothing that is not the agent's.
    #[test]
    fn only_files_of_the_agent_are_looked_at() {
        let root = std::env::temp_dir().join(format!("parlor-preview-{}", std::process::id()));
        let dir = root.join("work");
        std::fs::create_dir_all(&dir).unwrap();
        let dir = dir.canonicalize().unwrap();
        std::fs::write(dir.join("notes.md"), "old").unwrap();
        std::fs::write(dir.join("bytes"), b"\xff\xfe").unwrap();
        std::fs::write(root.join("secret"), "secret").unwrap();
        symlink(root.join("secret"), dir.join("link")).unwrap();
        let inside = dir.join("notes.md").display().to_string();
        assert_eq!(shown(&dir, &inside, None).as_deref(), Some("old"));
        assert_eq!(shown(&dir, "notes.md", None).as_deref(), Some("old"));
        for hidden in ["link", "../secret", "/etc/passwd", "bytes", "missing", ".", ""] {
            assert_eq!(shown(&dir, hidden, None), None, "{hidden}");
        }
        let owner = std::fs::metadata(&inside).unwrap().uid();
        let user = |uid| User { uid, gid: 1, home: None };
        assert_eq!(shown(&dir, &inside, Some(&user(owner))).as_deref(), Some("old"));
        assert_eq!(shown(&dir, &inside, Some(&user(owner + 1))), None);
        std::fs::remove_dir_all(root).unwrap();
    }
}
