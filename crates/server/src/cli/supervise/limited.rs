//! The process that becomes the program: it sets its own limits, then calls exec.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use parlor_process::{NOT_EXECUTABLE, NOT_FOUND};
use rustix::fs::Mode;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, getppid, getrlimit, set_parent_process_death_signal,
    setrlimit, setsid, umask,
};
use rustix::thread::set_no_new_privs;

use super::Arguments;

/// Files of the program are readable by its user only.
const PRIVATE: Mode = Mode::RWXG.union(Mode::RWXO);

/// Becomes the program. It only returns if that is not possible.
pub(super) fn become_program(arguments: &Arguments, supervisor: i32) -> ExitCode {
    let Some((program, rest)) = arguments.command.split_first() else {
        return exit(NOT_FOUND);
    };
    let failed = match set_limits(arguments, supervisor) {
        Ok(()) => Command::new(program).args(rest).exec(),
        Err(error) => error,
    };
    eprintln!("parlor supervise: {} cannot be run: {failed}", program.display());
    match failed.kind() {
        // A missing directory was reported before, as another kind of error.
        io::ErrorKind::NotFound => exit(NOT_FOUND),
        _ => exit(NOT_EXECUTABLE),
    }
}

fn set_limits(arguments: &Arguments, supervisor: i32) -> io::Result<()> {
    setsid()?;
    limit(Resource::Core, Some(0))?;
    limit(Resource::Nofile, arguments.open_files)?;
    limit(Resource::As, arguments.memory)?;
    limit(Resource::Nproc, arguments.processes)?;
    limit(Resource::Cpu, arguments.cpu_seconds)?;
    umask(PRIVATE);
    if let Some(dir) = &arguments.working_dir {
        chdir(dir).map_err(|error| {
            io::Error::other(format!("the directory {}: {error}", dir.display()))
        })?;
    }
    // A program that gains privileges could no longer be killed by us.
    set_no_new_privs(true)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // If the supervisor ended before that, no signal will come.
    if getppid().map(Pid::as_raw_nonzero).map(i32::from) != Some(supervisor) {
        return Err(io::Error::other("the supervisor is gone"));
    }
    Ok(())
}

/// A limit can be lowered, not raised.
fn limit(resource: Resource, most: Option<u64>) -> io::Result<()> {
    let Some(most) = most else { return Ok(()) };
    let most = getrlimit(resource).maximum.map_or(most, |known| known.min(most));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

fn exit(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
