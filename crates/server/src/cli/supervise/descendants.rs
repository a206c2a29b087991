//! All descendants of a process, also those that changed their process group or
//! session. An orphan becomes a child of the supervisor, because that is a subreaper.

use std::collections::HashMap;
use std::fs;

use rustix::process::Pid;

/// All descendants, in no particular order.
pub(super) fn descendants(of: Pid) -> Vec<Pid> {
    let mut below = Vec::new();
    let children = children();
    let mut next = vec![of];
    while let Some(parent) = next.pop() {
        let found = children.get(&parent).map(Vec::as_slice).unwrap_or_default();
        below.extend_from_slice(found);
        next.extend_from_slice(found);
    }
    below
}

/// The children of each process. One that ends meanwhile is left out.
fn children() -> HashMap<Pid, Vec<Pid>> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return children };
    for entry in entries.flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some(parent) = parent(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

/// `pid (name) state ppid …`, where the name may hold anything, brackets included.
fn parent(stat: &str) -> Option<Pid> {
    let after_name = stat.rsplit_once(')')?.1;
    after_name.split_ascii_whitespace().nth(1)?.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_name_cannot_disguise_a_parent() {
        let parent_of = |stat| parent(stat).map(|pid| pid.as_raw_nonzero().get());
        assert_eq!(parent_of("42 (cat) S 7 42 42 0"), Some(7));
        assert_eq!(parent_of("42 (a) S 9 (b) R 7 42 42 0"), Some(7));
        assert_eq!(parent_of("1 (init) S 0 1 1"), None);
        assert_eq!(parent_of(""), None);
    }

    #[test]
    fn children_of_children_are_found() {
        let script = "sleep 60 & read wait; kill $!";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut shell = shell.spawn().unwrap();
        let us = rustix::process::getpid();
        let is_there = |found: &[Pid]| {
            let shell = Pid::from_child(&shell);
            found.contains(&shell) && descendants(shell).iter().all(|pid| found.contains(pid))
        };
        while descendants(Pid::from_child(&shell)).is_empty() {
            std::thread::yield_now();
        }
        assert!(is_there(&descendants(us)));
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
