//! Child processes, contained (B-2): how they are started, read and ended.
//!
//! A child is never started directly. The server starts `parlor supervise`, and
//! that starts the child and watches over it:
//! 1. The supervisor is in a process group of its own, the child in a session of
//!    its own: a Ctrl-C in the server's terminal reaches neither, and the child
//!    has no terminal to talk to.
//! 2. **The child's standard input is the lifeline.** The server alone holds the
//!    writing end of that pipe; the supervisor has the reading end too and waits
//!    for the hang-up, without ever reading. When the server closes the pipe or
//!    dies, however it dies, the kernel hangs up, and the supervisor ends the
//!    child. No further descriptor has to be inherited, so nothing can leak into
//!    another child. A parent-death signal on the supervisor would not do: it
//!    fires when the *thread* that spawned it ends, and a runtime's threads come
//!    and go.
//! 3. The supervisor is a subreaper: whatever the child leaves behind becomes the
//!    supervisor's own child, wherever it moved its group or session to, and is
//!    killed when the child ends.
//! 4. The environment holds what the specification lists and nothing else. No
//!    shell is involved, ever.
//!
//! The supervisor's side is the `supervise` command of the server. This side
//! builds its command line ([`Supervisor::spawn`]) and ends it ([`Process::end`]).
//!
//! Must never contain: what a child says or is for (a wire format, an agent, MCP).

mod environment;
mod lines;
mod pace;
mod settings;
mod spawn;
mod stderr;
mod user;

pub use environment::base_environment;
pub use lines::{LineError, LineReader, LineWriter};
pub use pace::{Budget, OncePerSecond};
pub use settings::{
    FromFile, FromVariable, LimitSettings, SettingValue, WrongSetting, check_command, environment,
    find_user,
};
pub use spawn::{Limits, NOT_EXECUTABLE, NOT_FOUND, Process, SpawnSpec, Spawned, Supervisor};
pub use stderr::{StderrLine, StderrLog};
pub use user::{User, UserError};
