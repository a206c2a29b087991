//! The supervisor: waits for the end of the program, and cleans up after it.
//!
//! | what happens | what it does |
//! |---|---|
//! | the program ends | kills what it left behind, exits with its code |
//! | standard input hangs up: the parent is gone | gives it a second to end by itself, then as below; with `--dies-at-once` kills everything |
//! | SIGTERM, SIGINT, SIGHUP | asks it to end, gives it a second, kills everything |
//! | SIGQUIT | kills everything, before the program can do anything about it |

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    set_child_subreaper, wait,
};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use super::Arguments;
use super::descendants::descendants;

/// How long the program may take to end by itself, and again when it was asked to.
const GRACE: Duration = Duration::from_secs(1);
/// How long killing is tried; what survives it hangs in the kernel.
const KILLING: Duration = Duration::from_secs(3);
const BETWEEN_KILLS: Duration = Duration::from_millis(10);
/// Works also if the file was replaced by an update, or if the user cannot read its
/// directory.
const THIS_PROGRAM: &str = "/proc/self/exe";
const SIGNALS: i32 = 128;

pub(super) fn supervise(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    set_child_subreaper(Some(getpid())).context("orphans cannot be taken over")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(watch(arguments))
}

async fn watch(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // Before the program is started, so that no signal is missed.
    let mut ended = signal(SignalKind::child())?;
    let mut terminated = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()]
        .map(signal)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut at_once = signal(SignalKind::quit())?;
    let program = start(arguments)?;
    let mut watched = Watched { program, status: None };
    let is_over = tokio::select! {
        () = watched.end(&mut ended) => true,
        _ = at_once.recv() => true,
        () = any(&mut terminated) => false,
        () = hang_up() => {
            let grace = if arguments.dies_at_once { Duration::ZERO } else { GRACE };
            let ended = timeout_at(Instant::now() + grace, watched.end(&mut ended)).await;
            ended.is_ok() || arguments.dies_at_once
        }
    };
    if !is_over {
        watched.ask_to_end();
        let _killed_below = timeout_at(Instant::now() + GRACE, watched.end(&mut ended)).await;
    }
    watched.kill_the_rest().await;
    Ok(ExitCode::from(watched.code()))
}

/// The program, and how it ended.
struct Watched {
    program: Pid,
    status: Option<WaitStatus>,
}

impl Watched {
    /// Ready when the program has ended.
    async fn end(&mut self, ended: &mut Signals) {
        while self.status.is_none() {
            self.reap();
            if self.status.is_none() {
                ended.recv().await;
            }
        }
    }

    /// Reaps everything that ended, orphans included; returns whether any child is
    /// left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.program => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Asks the whole process group, and descendants that left it. Until the program is
    /// reaped, its process id is not reused.
    fn ask_to_end(&self) {
        if self.status.is_none() {
            let _not_yet_a_group = kill_process_group(self.program, Signal::TERM);
        }
        signal_all(Signal::TERM);
    }

    async fn kill_the_rest(&mut self) {
        let deadline = Instant::now() + KILLING;
        // A process that forks while it is killed leaves children for the next round.
        while self.reap() && Instant::now() < deadline {
            signal_all(Signal::KILL);
            if self.reap() {
                sleep(BETWEEN_KILLS).await;
            }
        }
    }

    fn code(&self) -> u8 {
        let code = self.status.and_then(|status| {
            status.exit_status().or_else(|| Some(SIGNALS + status.terminating_signal()?))
        });
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
    }
}

fn signal_all(signal: Signal) {
    for pid in descendants(getpid()) {
        let _gone_already = kill_process(pid, signal);
    }
}

/// Starts the process that becomes the program.
fn start(arguments: &Arguments) -> anyhow::Result<Pid> {
    let mut command = Command::new(THIS_PROGRAM);
    command.arg("supervise").arg(format!("--supervised-by={}", getpid().as_raw_nonzero()));
    let limits = [
        ("open-files", arguments.open_files),
        ("memory", arguments.memory),
        ("processes", arguments.processes),
        ("cpu-seconds", arguments.cpu_seconds),
    ];
    for (name, most) in limits {
        command.args(most.map(|most| format!("--{name}={most}")));
    }
    if let Some(dir) = &arguments.working_dir {
        command.arg("--working-dir").arg(dir);
    }
    if let Some(user) = arguments.user {
        // This also drops the supplementary groups of the server's own user.
        command.uid(user.uid).gid(user.gid);
    }
    let child = command.arg("--").args(&arguments.command).spawn();
    // It is reaped by its process id, together with everything else.
    Ok(Pid::from_child(&child.context("the program cannot be started")?))
}

/// Ready when one of the signals came.
async fn any(signals: &mut [Signals]) {
    let waiting = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    futures_util::future::select_all(waiting).await;
}

/// Ready when no process can write to standard input any more. The input is for the
/// program, so it is not read here; a thread polls for the hang-up alone.
async fn hang_up() {
    let (sender, hung_up) = oneshot::channel();
    thread::spawn(move || {
        let stdin = std::io::stdin();
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        loop {
            let mut polled = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut polled, None) {
                Err(Errno::INTR) => {}
                Ok(_) if !polled[0].revents().intersects(gone) => {}
                _ => break,
            }
        }
        let _already_over = sender.send(());
    });
    let _hung_up = hung_up.await;
}
