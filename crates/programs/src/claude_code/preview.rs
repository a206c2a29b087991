//! What an edit would change (P-7), before it is allowed.
//!
//! 1. The arguments alone give the replaced parts, without the lines around them.
//! 2. If the file can be read, its whole text is compared before and after, so that the lines
//!    around a change are shown with their numbers. Only plain files of limited size below the
//!    working directory are read, and if the agent runs as a user of its own, only files of that
//!    user. So nothing is shown that the agent could not read itself.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use parlor_agent::{ProposedCall, diff};
use parlor_process::User;
use parlor_protocol::Preview;
use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
use serde_json::{Map, Value};

/// The largest file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// The largest text in a preview, in bytes.
const LARGEST: usize = 256 << 10;
/// Separates the parts that one call changes.
const BETWEEN: &str = "\n⋯\n";

/// The preview from the arguments alone.
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

/// The preview with the present text of the file.
pub(super) fn with_files(
    call: &ProposedCall,
    working_dir: &Path,
    user: Option<&User>,
) -> Option<Preview> {
    let path = Path::new(call.input.get("file_path")?.as_str()?);
    let now = || present_text(path, working_dir, user);
    if call.name == "Write" {
        let content = call.input.get("content")?.as_str()?;
        return Some(diff::diff(now().as_deref(), Some(content)));
    }
    let edits = Edit::all_of(&call.name, &call.input)?;
    let now = now()?;
    let edited = edits.iter().try_fold(now.clone(), |text, edit| edit.made_in(&text))?;
    Some(diff::diff(Some(&now), Some(&edited)))
}

/// One replacement in a text.
struct Edit<'a> {
    old: &'a str,
    new: &'a str,
    everywhere: bool,
}

impl<'a> Edit<'a> {
    fn all_of(tool: &str, input: &'a Map<String, Value>) -> Option<Vec<Self>> {
        match tool {
            "Edit" => Some(vec![Self::of(input)?]),
            "MultiEdit" => {
                let edits = input.get("edits")?.as_array()?;
                edits.iter().map(|edit| Self::of(edit.as_object()?)).collect()
            }
            _ => None,
        }
    }

    fn of(fields: &'a Map<String, Value>) -> Option<Self> {
        let text = |name: &str| fields.get(name)?.as_str();
        let everywhere = fields.get("replace_all").and_then(Value::as_bool).unwrap_or_default();
        Some(Self { old: text("old_string")?, new: text("new_string")?, everywhere })
    }

    /// The text after the edit; `None` if it does not match exactly, or if it matches several times
    /// and so would not be applied.
    fn made_in(&self, text: &str) -> Option<String> {
        if self.old.is_empty() {
            return text.is_empty().then(|| self.new.to_owned());
        }
        match (text.matches(self.old).take(2).count(), self.everywhere) {
            (0, _) | (2, false) => None,
            _ => Some(text.replace(self.old, self.new)),
        }
    }
}

/// The present text of a file, if it may be shown.
fn present_text(path: &Path, working_dir: &Path, user: Option<&User>) -> Option<String> {
    let inside = match path.is_absolute() {
        true => path.strip_prefix(working_dir).ok()?,
        false => path,
    };
    // The kernel keeps the path below the directory, whatever links there are and however they
    // change meanwhile. `NONBLOCK`: a pipe must not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let below = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let dir = open(working_dir, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let file = File::from(openat2(dir, inside, flags, Mode::empty(), below).ok()?);
    let about = file.metadata().ok()?;
    if !about.is_file() || user.is_some_and(|user| user.uid != about.uid()) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > LARGEST_FILE {
        return None;
    }
    String::from_utf8(bytes).ok()
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
            ends_with_agent: false,
            caveats: Vec::new(),
        };
        let Some(Preview::Diff { old, new }) = with_files(&call, dir, user) else {
            panic!("a write has a preview")
        };
        assert_eq!(new.as_deref(), Some("new"));
        old
    }

    /// P-7, B-2: the present text is shown, but no file that is not the agent's.
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
        std::fs::create_dir(dir.join("sub")).unwrap();
        symlink("../notes.md", dir.join("sub/inside")).unwrap();
        assert_eq!(shown(&dir, "sub/inside", None).as_deref(), Some("old"));
        std::fs::write(dir.join("large"), vec![b'x'; LARGEST_FILE as usize + 1]).unwrap();
        assert_eq!(shown(&dir, "large", None), None);
        std::fs::remove_dir_all(root).unwrap();
    }

    /// P-7: an edit is shown in its place, with the lines around it.
    #[test]
    fn an_edit_is_shown_in_its_file() {
        let dir = std::env::temp_dir().join(format!("parlor-edit-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let dir = dir.canonicalize().unwrap();
        let text: String = (1..=9).map(|n| format!("line {n}\n")).collect();
        std::fs::write(dir.join("notes.md"), &text).unwrap();
        let preview = |name: &str, mut input: Value| {
            input["file_path"] = json!(dir.join("notes.md"));
            let call = ProposedCall {
                id: "t".into(),
                name: name.into(),
                input: input.as_object().cloned().unwrap(),
                tool: None,
                description: None,
                preview: None,
                ends_with_agent: false,
                caveats: Vec::new(),
            };
            with_files(&call, &dir, None)
        };
        let after =
            |new: &str| Some(Preview::Diff { old: Some(text.clone()), new: Some(new.to_owned()) });
        let edit = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
        let five = text.replace("line 5", "Line V");
        assert_eq!(preview("Edit", edit("line 5", "Line V")), after(&five));
        let edits = json!({"edits": [edit("line 5", "Line V"), edit("Line V\n", "")]});
        assert_eq!(preview("MultiEdit", edits), after(&text.replace("line 5\n", "")));
        let mut all = edit("line", "Line");
        assert_eq!(preview("Edit", all.clone()), None, "it would not be made");
        all["replace_all"] = json!(true);
        assert_eq!(preview("Edit", all), after(&text.replace("line", "Line")));
        for not_there in [edit("line 10", "x"), edit("", "x"), json!({"old_string": "line 5"})] {
            assert_eq!(preview("Edit", not_there), None);
        }
        std::fs::remove_dir_all(dir).unwrap();
    }
}
