//! The user that a child runs as.

use std::fs;

use rustix::process::geteuid;

const PASSWD: &str = "/etc/passwd";

/// A user of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's number.
    pub uid: u32,
    /// The number of the user's group.
    pub gid: u32,
    /// The home directory, if the user is known by name.
    pub home: Option<String>,
}

/// Why a child cannot run as a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// Name another one.
    #[error("{PASSWD} knows no user '{0}'; give a name from there, or numbers as \"1001:1001\"")]
    Unknown(String),
    /// Start the server as root, or leave the setting out.
    #[error("only a server that was started as root can give a child another user")]
    NotRoot,
}

impl User {
    /// Finds a user by name (`nobody`) or by numbers (`65534:65534`).
    pub fn find(wanted: &str) -> Result<Self, UserError> {
        if !geteuid().is_root() {
            return Err(UserError::NotRoot);
        }
        let table = fs::read_to_string(PASSWD).unwrap_or_default();
        numbers(wanted)
            .or_else(|| look_up(&table, wanted))
            .ok_or_else(|| UserError::Unknown(wanted.to_owned()))
    }
}

fn numbers(wanted: &str) -> Option<User> {
    let (uid, gid) = wanted.split_once(':')?;
    Some(User { uid: uid.parse().ok()?, gid: gid.parse().ok()?, home: None })
}

/// `name:password:uid:gid:comment:home:shell`.
fn look_up(table: &str, wanted: &str) -> Option<User> {
    table.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(wanted) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(User { uid, gid, home: fields.nth(1).map(str::to_owned) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_by_numbers() {
        let table = "root:x:0:0:root:/root:/bin/sh\ntools:x:1001:1002:Tools,,,:/srv/tools:\n";
        let tools = User { uid: 1001, gid: 1002, home: Some("/srv/tools".to_owned()) };
        assert_eq!(look_up(table, "tools"), Some(tools));
        assert_eq!(look_up(table, "tool"), None);
        assert_eq!(numbers("7:8"), Some(User { uid: 7, gid: 8, home: None }));
        for bad in ["7", "7:", "-1:7", "a:b"] {
            assert_eq!(numbers(bad), None, "{bad:?}");
        }
    }
}
