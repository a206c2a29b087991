//! The user of the servers: PostgreSQL refuses to run as root.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

/// Who runs the servers if we are root.
const UNPRIVILEGED: &str = "nobody";

/// A user of the system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct User {
    pub(super) id: u32,
    pub(super) group: u32,
}

/// Whether this process runs as root.
pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The user to change to; `None` if the servers run as we do.
pub(super) fn for_servers() -> Result<Option<User>, String> {
    if !is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = users.lines().find_map(|line| named(UNPRIVILEGED, line));
    found.map(Some).ok_or_else(|| format!("there is no user '{UNPRIVILEGED}' to run it"))
}

/// Reads `name:password:id:group:…`.
fn named(name: &str, line: &str) -> Option<User> {
    let mut fields = line.split(':');
    if fields.next() != Some(name) {
        return None;
    }
    Some(User { id: fields.nth(1)?.parse().ok()?, group: fields.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_the_whole_name() {
        let line = "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin";
        assert_eq!(named("nobody", line), Some(User { id: 65534, group: 65533 }));
        assert_eq!(named("no", line), None);
        assert_eq!(named("nobody", "nobody:x:?"), None);
    }
}
