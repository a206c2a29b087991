//! What a call would change (P-7), for the person whose approval it needs.
//!
//! 1. A trusted server may offer a tool that computes the preview ([`Tool::preview`]).
//! 2. Other servers offer no previews, but their arguments often suffice: a path with its new
//!    content, text replacements, a list of paths or ids. [`Change::of`] recognises them.
//! 3. The present content of a file is read with the server's own reading tool, if calls of that
//!    tool run without approval anyway. Otherwise it is unknown, and the preview shows the new
//!    content alone.
//!
//! If anything fails, there is no preview: the arguments are shown in any case.

use parlor_agent::diff;
use parlor_agent::tools::{Tool, ToolAction};
use parlor_protocol::Preview;
use serde_json::{Map, Value};

use super::call;
use super::callee::Callee;
use super::listing::preview_arguments;
use super::result;

/// Names of tools that return a file as text.
const READERS: &[&str] = &["read_text_file", "read_file"];
const PATHS: &[&str] = &["path", "file_path", "filePath"];
const CONTENTS: &[&str] = &["content", "contents"];
const BEFORE: &[&str] = &["oldText", "old_text", "old_string", "old_str"];
const AFTER: &[&str] = &["newText", "new_text", "new_string", "new_str"];
/// Names of arguments that list the objects of a call.
const MANY: &[&str] = &["paths", "files", "file_paths", "filePaths", "ids", "uris", "urls"];

/// What a call would change, if that can be determined. `others` are the tools of its project.
pub(super) async fn preview(
    callee: &Callee,
    tool: &Tool,
    others: &[Tool],
    arguments: Map<String, Value>,
) -> Option<Value> {
    if let Some(internal) = &tool.preview {
        let arguments = preview_arguments(&tool.name, arguments);
        return call::for_preview(callee, internal, arguments).await.and_then(result::structured);
    }
    let change = Change::of(&arguments)?;
    let preview = match change.path() {
        Some(path) => {
            let now = match reader(tool, others, path) {
                Some((reader, arguments)) => {
                    call::for_preview(callee, &reader.name, arguments).await.and_then(result::text)
                }
                None => None,
            };
            change.preview(now.as_deref())
        }
        None => change.preview(None),
    };
    serde_json::to_value(preview).ok()
}

/// A change that can be derived from the arguments of a call.
#[derive(Debug, PartialEq)]
enum Change<'a> {
    /// A file gets this content.
    Write { path: &'a str, content: &'a str },
    /// Parts of a file are replaced: before and after.
    Edit { path: Option<&'a str>, pieces: Vec<(&'a str, &'a str)> },
    /// Several objects are changed.
    Many(Vec<String>),
}

impl<'a> Change<'a> {
    fn of(arguments: &'a Map<String, Value>) -> Option<Self> {
        let path = text(arguments, PATHS);
        let pieces: Option<Vec<_>> = match arguments.get("edits") {
            Some(Value::Array(edits)) => {
                edits.iter().map(|edit| piece(edit.as_object()?)).collect()
            }
            _ => piece(arguments).map(|piece| vec![piece]),
        };
        if let Some(pieces) = pieces.filter(|pieces| !pieces.is_empty()) {
            return Some(Self::Edit { path, pieces });
        }
        if let (Some(path), Some(content)) = (path, text(arguments, CONTENTS)) {
            return Some(Self::Write { path, content });
        }
        MANY.iter().find_map(|name| many(arguments.get(*name)?.as_array()?)).map(Self::Many)
    }

    fn path(&self) -> Option<&'a str> {
        match self {
            Self::Write { path, .. } => Some(path),
            Self::Edit { path, .. } => *path,
            Self::Many(_) => None,
        }
    }

    /// The preview, compared with the present content of the file if that is known.
    fn preview(&self, now: Option<&str>) -> Preview {
        match self {
            Self::Write { content, .. } => diff::diff(now, Some(content)),
            Self::Edit { pieces, .. } => {
                match now.and_then(|now| Some((now, edited(now, pieces)?))) {
                    Some((now, edited)) => diff::diff(Some(now), Some(&edited)),
                    None => diff::edits(pieces),
                }
            }
            Self::Many(things) => {
                diff::list(&things.iter().map(String::as_str).collect::<Vec<_>>())
            }
        }
    }
}

fn text<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| fields.get(*name)?.as_str())
}

fn piece(fields: &Map<String, Value>) -> Option<(&str, &str)> {
    Some((text(fields, BEFORE)?, text(fields, AFTER)?))
}

/// The names of the objects in a list, if there are several and each has one.
fn many(list: &[Value]) -> Option<Vec<String>> {
    let name = |thing: &Value| match thing {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => text(fields, &["path", "id", "uri", "name"]).map(str::to_owned),
        _ => None,
    };
    let names: Option<Vec<String>> = list.iter().map(name).collect();
    names.filter(|names| names.len() > 1)
}

/// The text after the edits, if each of them matches exactly.
fn edited(now: &str, pieces: &[(&str, &str)]) -> Option<String> {
    pieces.iter().try_fold(now.to_owned(), |text, (before, after)| {
        text.contains(before).then(|| text.replacen(before, after, 1))
    })
}

/// The tool of the same server that reads files and may do so without approval.
fn reader<'t>(
    tool: &Tool,
    others: &'t [Tool],
    path: &str,
) -> Option<(&'t Tool, Map<String, Value>)> {
    let arguments = Map::from_iter([("path".to_owned(), Value::from(path))]);
    let may = |reader: &Tool| match reader.configured(&arguments) {
        Some(action) => action == ToolAction::Allow,
        None => reader.claims.read_only,
    };
    let found = READERS.iter().find_map(|name| {
        others.iter().find(|reader| {
            reader.server == tool.server
                && reader.name == *name
                && reader.spec.input_schema.pointer("/properties/path").is_some()
                && may(reader)
        })
    })?;
    Some((found, arguments))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(arguments: Value, now: Option<&str>) -> Option<Value> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let change = Change::of(&arguments)?;
        serde_json::to_value(change.preview(now)).ok()
    }

    /// P-7: a tool that writes a file has a diff as its preview.
    #[test]
    fn writing_and_editing_are_differences() {
        let write = json!({"path": "/a", "content": "new"});
        assert_eq!(
            shown(write.clone(), Some("old")).unwrap(),
            json!({"kind": "diff", "old": "old", "new": "new"})
        );
        assert_eq!(shown(write, None).unwrap(), json!({"kind": "diff", "new": "new"}));
        let edit = json!({"path": "/a", "edits": [{"oldText": "b", "newText": "B"}]});
        assert_eq!(
            shown(edit.clone(), Some("a\nb\nc\n")).unwrap(),
            json!({"kind": "diff", "old": "a\nb\nc\n", "new": "a\nB\nc\n"})
        );
        for now in [None, Some("something else")] {
            let pieces = json!({"kind": "diff", "old": "b", "new": "B"});
            assert_eq!(shown(edit.clone(), now).unwrap(), pieces);
        }
        let one = json!({"file_path": "/a", "old_string": "x", "new_string": ""});
        assert_eq!(shown(one, None).unwrap(), json!({"kind": "diff", "old": "x", "new": ""}));
    }

    /// P-7: a tool that changes many objects has their names and their number as its preview.
    #[test]
    fn many_things_are_a_list() {
        let paths = json!({"paths": ["/a", "/b"], "force": true});
        assert_eq!(
            shown(paths, None).unwrap(),
            json!({"kind": "list", "items": ["/a", "/b"], "count": 2})
        );
        let ids = json!({"ids": [1, 2, 3]});
        assert_eq!(
            shown(ids, None).unwrap(),
            json!({"kind": "list", "items": ["1", "2", "3"], "count": 3})
        );
        for nothing in [
            json!({}),
            json!({"paths": ["/a"]}),
            json!({"paths": [["/a"], ["/b"]]}),
            json!({"path": "/a"}),
            json!({"path": 7, "content": "x"}),
            json!({"edits": []}),
            json!({"edits": [{"oldText": "only"}]}),
            json!({"tags": ["a", "b"]}),
        ] {
            assert_eq!(shown(nothing.clone(), None), None, "{nothing}");
        }
    }
}
