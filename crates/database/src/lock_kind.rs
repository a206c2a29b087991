//! Who may use a database at the same time.

/// Who may hold the lock of a database at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// Any number of servers.
    Server,
    /// One command, and no server.
    Command,
}
