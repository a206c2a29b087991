//! The two rules that a project's own directories give: `home` and `workspace`.
//!
//! Paths below the agent's home become `[config]`. The workspace is where the
//! person's files are, so that its paths are shortened, not hidden: `src/a.rs`
//! says all that the person needs. If the workspace lies below the home (or the
//! other way round), the inner directory decides.
//!
//! CLIs also name directories of their own after these two, with a hyphen for every
//! other character (`-workspace-demo`): such a directory does not belong to the person.

use std::fmt::Write as _;

use super::automaton::Pattern;

/// What may follow in a path. A dot belongs to it only if the path goes on.
macro_rules! path_tail {
    () => {
        r"(?:[\w@%+=/-]|\\{1,2}[\w@%+=-]|\.{1,2}[\w@%+=/-])*"
    };
}
pub(super) use path_tail;

/// The rule id of the home directory.
pub(super) const HOME: &str = "home";
/// The rule id of the workspace directory.
pub(super) const WORKSPACE: &str = "workspace";
/// What paths below the home become.
pub(super) const HOME_REPLACEMENT: &str = "[config]";

/// No part of a file name may stand before a path.
const BORDER: &str = r"(?-u:[^A-Za-z0-9_.~\-])";

/// The patterns of the home directory. Paths into `workspace`, if that lies below
/// `home`, are left to the workspace's own rule.
pub(super) fn home_patterns(
    home: &str,
    workspace: Option<&str>,
    replacement: &str,
) -> Vec<Pattern> {
    let inner = workspace.and_then(|path| path.strip_prefix(home)).filter(|rest| is_below(rest));
    let rest = match inner {
        Some(inner) => {
            let (separator, inner) = inner.as_bytes().split_at(1);
            format!("(?:{}(?:{})?)?", escape(separator), anything_but(inner))
        }
        None => format!(r"(?:[/\\]{})?", path_tail!()),
    };
    let escaped = escape(home.as_bytes());
    let mut patterns = vec![
        masking(format!("{BORDER}{escaped}{rest}"), replacement),
        sparing(format!(r"{BORDER}{escaped}(?:[\w-]|\.\w)")),
    ];
    patterns.extend(slug_patterns(home, replacement));
    patterns
}

/// The patterns of the workspace directory: it becomes `.`, and its paths become
/// relative. Another replacement stands for the directory in both cases.
pub(super) fn workspace_patterns(workspace: &str, replacement: Option<&str>) -> Vec<Pattern> {
    let escaped = escape(workspace.as_bytes());
    let mut patterns = vec![
        masking(format!("{BORDER}{escaped}"), replacement.unwrap_or(".")),
        sparing(format!(r"{BORDER}{escaped}(?:[\w-]|\.\w)")),
    ];
    if replacement.is_none() {
        patterns.push(masking(format!(r"{BORDER}{escaped}(?:/|\\{{1,2}})\b"), ""));
    }
    patterns.extend(slug_patterns(workspace, HOME_REPLACEMENT));
    patterns
}

/// The patterns of a directory that is named after another one. The name of a single
/// directory (`-root`) counts only as a whole part of a path.
fn slug_patterns(path: &str, replacement: &str) -> [Pattern; 2] {
    let slug: Vec<u8> =
        path.bytes().map(|b| if b.is_ascii_alphanumeric() { b } else { b'-' }).collect();
    let (name, tail) = (escape(&slug), path_tail!());
    let is_unmistakable = slug.iter().filter(|byte| **byte == b'-').count() > 1;
    let (before, below) = if is_unmistakable {
        (r"(?-u:[^A-Za-z0-9_\-])", format!(r"(?:-[\w-]*)?(?:[/\\]{tail})?"))
    } else {
        (r"(?-u:[/\\])", format!(r"[/\\]{tail}"))
    };
    [
        masking(format!("{before}{name}{below}"), replacement),
        sparing(format!("{before}{name}[A-Za-z0-9_]")),
    ]
}

/// The directory without a trailing separator, or nothing if it is not absolute
/// or so short that it would match everywhere.
pub(super) fn normalise(path: &str) -> Option<&str> {
    let path = path.trim_end_matches(['/', '\\']);
    let drive = path.as_bytes().get(1) == Some(&b':');
    let absolute = path.starts_with(['/', '\\']) || drive;
    (absolute && path.len() > if drive { 2 } else { 1 } && path.len() <= 128).then_some(path)
}

fn is_below(rest: &str) -> bool {
    rest.len() > 1 && rest.starts_with(['/', '\\'])
}

/// The alternatives that match every path that differs from `inner` at some byte.
/// Paths that begin like `inner` match up to the difference only, so that the
/// workspace's own rule is the longer one.
fn anything_but(inner: &[u8]) -> String {
    let tail = path_tail!();
    let Some((&byte, rest)) = inner.split_first() else {
        return format!(r"[\w@%+=-]{tail}|\.\w{tail}");
    };
    let here = escape(&[byte]);
    let after = anything_but(rest);
    let optional = if rest.is_empty() { "" } else { "?" };
    format!(r"[\w@%+=/.\-&&[^\x{byte:02X}]]{tail}|{here}(?:{after}){optional}")
}

/// Every byte as an escape. Windows paths are often written with `\\`.
pub(super) fn escape(path: &[u8]) -> String {
    path.iter().fold(String::new(), |mut pattern, byte| {
        // Writing into a string cannot fail.
        let _ = write!(pattern, r"\x{byte:02X}");
        if *byte == b'\\' {
            pattern.push_str("{1,2}");
        }
        pattern
    })
}

fn masking(regex: String, replacement: &str) -> Pattern {
    Pattern { regex, unicode: false, replacement: Some(replacement.to_owned()) }
}

fn sparing(regex: String) -> Pattern {
    Pattern { regex, unicode: false, replacement: None }
}
