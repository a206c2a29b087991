//! Child processes: started so that they die with this one, signalled, and counted.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};

/// `nobody` on Linux: who owns files of users that do not exist.
const NOBODY: u32 = 65_534;
/// Ports below those that the system gives to outgoing connections: one of those could take the port
/// of a server while it is down.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const POLL: Duration = Duration::from_millis(10);

/// A child process. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

/// As whom a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// As we do.
    Same,
    /// As somebody without rights, if we are root: PostgreSQL refuses to run as root.
    Unprivileged,
}

impl Process {
    /// Starts a program in a folder, with its output at the end of a log. The kernel kills it if this
    /// process dies.
    pub(crate) fn start(
        program: &Path,
        user: User,
        folder: &Path,
        log: &Path,
        prepare: impl FnOnce(&mut Command),
    ) -> anyhow::Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program).current_dir(folder);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        if user == User::Unprivileged && is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        prepare(&mut command);
        let child = command.spawn().context("setpriv (util-linux) cannot be started")?;
        Ok(Self { child })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal. A process that has ended gets none.
    pub(crate) fn signal(&self, signal: Signal) {
        signal_to(self.id(), signal);
    }

    /// Sends a signal to it and to its children.
    pub(crate) fn signal_family(&self, signal: Signal) {
        self.signal(signal);
        self.signal_children(signal, |_| true);
    }

    /// Sends a signal to those of its children whose command line is meant.
    pub(crate) fn signal_children(&self, signal: Signal, is_meant: impl Fn(&str) -> bool) {
        for child in children(self.id()) {
            if command_line(child).is_some_and(|line| is_meant(&line)) {
                signal_to(child, signal);
            }
        }
    }

    /// How it ended, if it did.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end; `None` if it does not come in time.
    pub(crate) async fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            match self.status() {
                None if begin.elapsed() < patience => tokio::time::sleep(POLL).await,
                status => return status,
            }
        }
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Makes a folder for a program that runs as somebody else.
pub(crate) fn make_folder(path: &Path, user: User) -> io::Result<()> {
    fs::create_dir_all(path)?;
    give_away(path, user)
}

/// Gives a file to the user of a program.
pub(crate) fn give_away(path: &Path, user: User) -> io::Result<()> {
    match user {
        User::Unprivileged if is_root() => chown(path, Some(NOBODY), Some(NOBODY)),
        _ => Ok(()),
    }
}

/// A port of loopback that nothing listens on.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    // Not from the seed: two runs at the same time must not share their ports.
    let mut tries = std::iter::repeat_with(|| fastrand::u16(PORTS)).take(1_000);
    tries.find(is_free).context("no port is free")
}

/// Resident memory of a process, in KB.
pub(crate) fn memory_kb(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The processes that name this text in their command line, other than this one.
pub(crate) fn naming(text: &str) -> Vec<(u32, String)> {
    let others = all().filter(|id| *id != std::process::id());
    let lines = others.filter_map(|id| Some((id, command_line(id)?)));
    lines.filter(|(_, line)| line.contains(text)).collect()
}

fn command_line(id: u32) -> Option<String> {
    let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    Some(String::from_utf8_lossy(&line).replace('\0', " "))
}

fn signal_to(id: u32, signal: Signal) {
    if let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _gone = kill_process(id, signal);
    }
}

fn children(parent: u32) -> Vec<u32> {
    let is_child = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name, in brackets, may contain spaces.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        fields.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    all().filter(is_child).collect()
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
