//! `parlor supervise`: runs a program and makes sure that no process of it is left
//! behind (B-2). The server starts every child process this way; it is not for people.
//!
//! It is two processes:
//! 1. The supervisor ([`watch`]) is a subreaper. It waits for the program's end, for a
//!    signal, and for the hang-up of its standard input, which means that its parent
//!    is gone. Then it kills what is left ([`descendants`]).
//! 2. The other one sets its own limits ([`limited`]) and becomes the program. It dies
//!    with the supervisor. As a process of its own, it keeps the limits to the program,
//!    and needs no code between fork and exec.
//!
//! Standard input, output and error are the program's; the supervisor reads and
//! writes none of them. It exits with the program's code, with 128 and the number
//! of the signal that ended it, with 127 if there is no such program and with 126
//! if it cannot be run.

mod descendants;
mod limited;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;

/// Runs a program and cleans up after it.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Run the program as this user and group, by their numbers.
    #[arg(long, value_name = "UID:GID")]
    user: Option<UserIds>,
    /// Run it in this directory.
    #[arg(long, value_name = "DIR")]
    working_dir: Option<PathBuf>,
    /// The most files that it may have open.
    #[arg(long, value_name = "N")]
    open_files: Option<u64>,
    /// The most address space, in bytes.
    #[arg(long, value_name = "N")]
    memory: Option<u64>,
    /// The most processes of its user.
    #[arg(long, value_name = "N")]
    processes: Option<u64>,
    /// The most processor time, in seconds.
    #[arg(long, value_name = "N")]
    cpu_seconds: Option<u64>,
    /// Kill it as soon as standard input hangs up.
    #[arg(long)]
    dies_at_once: bool,
    /// This is the process that becomes the program; the supervisor has this id.
    #[arg(long, value_name = "PID", hide = true)]
    supervised_by: Option<i32>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UserIds {
    uid: u32,
    gid: u32,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match arguments.supervised_by {
        Some(supervisor) => Ok(limited::become_program(arguments, supervisor)),
        None => watch::supervise(arguments),
    }
}

impl FromStr for UserIds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text
            .split_once(':')
            .and_then(|(uid, gid)| Some(Self { uid: uid.parse().ok()?, gid: gid.parse().ok()? }));
        numbers.ok_or("expected two numbers, such as 1001:1001")
    }
}
