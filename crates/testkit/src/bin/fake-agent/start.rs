//! What it does before it says anything. The environment says what:
//!
//! - `FAKE_AGENT`: `crash`, `silent` (reads, and never answers), `deaf` (never
//!   reads), `flood` (fills standard error without end), `noise` (greets on
//!   standard output), `sleeper` (is a process that only sleeps).
//! - `FAKE_AGENT_VERSION`: the version that it says it is of.
//! - `FAKE_AGENT_NOTES`: a file to which it adds a line for each start: its process
//!   id, then its arguments.
//! - `FAKE_AGENT_FAMILY`: a file for process ids. It starts a process in a group of
//!   its own, and one more that loses its parent.

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::thread;
use std::time::Duration;

use crate::write_raw;

const FAMILY: &str = "FAKE_AGENT_FAMILY";

/// Does what the environment says. Most of it does not come back.
pub(crate) fn misbehave() {
    let how = std::env::var("FAKE_AGENT").unwrap_or_default();
    if how == "sleeper" {
        sleep();
    }
    if how == "orphan" {
        leave_sleeper();
        exit(0);
    }
    if let Ok(file) = std::env::var("FAKE_AGENT_NOTES") {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        note(&file, format!("{} {}", std::process::id(), arguments.join(" ")));
    }
    if let Ok(file) = std::env::var(FAMILY) {
        note(&file, std::process::id());
        leave_sleeper();
        let orphan = this_program("orphan").spawn();
        let _gone = orphan.map(|mut orphan| orphan.wait());
    }
    match how.as_str() {
        "crash" => {
            eprintln!("Claude Code cannot start: no key in ANTHROPIC_API_KEY");
            exit(3);
        }
        "silent" => std::io::stdin().lock().lines().for_each(drop),
        "deaf" => sleep(),
        "flood" => drop(thread::spawn(|| {
            loop {
                eprintln!("{}", "noise ".repeat(100));
            }
        })),
        "noise" => {
            let key = std::env::var("ANTHROPIC_API_KEY").unwrap_or_default();
            write_raw(format!("Welcome to Claude Code! Your key is {key}\n").as_bytes());
        }
        _ => {}
    }
}

/// A process that has standard output in its hands, and nothing to do.
pub(crate) fn leave_grandchild() {
    let _inherits_standard_output = this_program("sleeper").spawn();
}

fn leave_sleeper() {
    let sleeper = this_program("sleeper").process_group(0).spawn();
    if let (Ok(sleeper), Ok(file)) = (sleeper, std::env::var(FAMILY)) {
        note(&file, sleeper.id());
    }
}

fn this_program(how: &str) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.env("FAKE_AGENT", how);
    command
}

fn sleep() {
    thread::sleep(Duration::from_secs(3_600));
}

fn note(file: &str, line: impl Display) {
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let _as_far_as_possible = opened.and_then(|mut file| writeln!(file, "{line}"));
}
