//! PostgreSQL, Redis (or Valkey), nginx, Caddy and HAProxy of the distribution, for tests: `cargo xtask services`,
//! and a part of `cargo xtask test`.
//!
//! 1. [`begin`] starts this program once more as the [`supervisor`], so that what follows happens
//!    beside other checks.
//! 2. The supervisor finds or installs the programs, starts the servers in a temporary folder, and
//!    writes a [`report::Report`] about each to its standard output.
//! 3. [`Starting::ready`] waits for that. Tests get the addresses as environment variables.
//! 4. The supervisor's standard input is a pipe that only this process holds. When it closes, at an
//!    orderly end or because this process was killed, the supervisor stops the servers and removes
//!    the folder.
//!
//! Ctrl-C reaches neither the supervisor nor the servers, which have process groups of their own. If
//! the supervisor itself is killed, the kernel ends the servers, and the next one removes the folder.

mod folder;
mod install;
mod options;
mod postgres;
mod programs;
mod proxies;
mod redis;
mod report;
mod server;
mod service;
mod supervisor;
mod users;

use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

pub(crate) use self::options::Options;
use self::report::Report;
pub(crate) use self::supervisor::{programs, supervise};
use crate::checks::skipped;
use crate::succeeds;

/// The command of this program that is the supervisor; it is not for people.
pub(crate) const SUPERVISE: &str = "supervise-services";

/// If one of these is set, tests that would be skipped are a failure.
const REQUIRED: &[&str] = &["CI", "PARLOR_REQUIRE_SERVICES"];

/// The servers, while they are started in the background.
pub(crate) struct Starting {
    supervisor: io::Result<Child>,
}

/// The servers that run until this is dropped.
pub(crate) struct TestServers {
    supervisor: Option<Child>,
    reports: Vec<Report>,
}

/// `services [--no-install] [--durable] [COMMAND…]`: runs the command with the servers; without one, prints
/// their addresses and stays until it is interrupted.
pub(crate) fn services(arguments: &[&str]) -> bool {
    let (options, command) = Options::read(arguments);
    let mut servers = begin(options).ready();
    servers.print();
    for (what, why) in servers.missing() {
        skipped(&what, &why);
    }
    if !servers.suffice() {
        return false;
    }
    if let [program, rest @ ..] = command {
        return succeeds(crate::command(program).args(rest).envs(servers.variables()));
    }
    for (name, value) in servers.variables() {
        println!("export {name}='{value}'");
    }
    eprintln!("== they run until Ctrl-C");
    servers.wait()
}

/// Begins to start the servers in the background. Root on Debian installs what is missing.
pub(crate) fn begin(options: Options) -> Starting {
    let supervisor = std::env::current_exe().and_then(|program| {
        Command::new(program)
            .arg(SUPERVISE)
            .args(options.words())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
    });
    Starting { supervisor }
}

impl Starting {
    /// Waits until the servers answer, or are known to be missing.
    pub(crate) fn ready(self) -> TestServers {
        let mut supervisor = self.supervisor;
        let mut reports = supervisor.as_mut().map(read_reports).unwrap_or_default();
        let why = supervisor.as_ref().err().map_or("the supervisor ended".to_owned(), |error| {
            format!("the supervisor cannot be started: {error}")
        });
        for service in supervisor::SERVICES {
            if !reports.iter().any(|report| report.is_about(service.name, service.variable)) {
                reports.push(Report::Missing { name: service.name.to_owned(), why: why.clone() });
            }
        }
        TestServers { supervisor: supervisor.ok(), reports }
    }
}

/// Reads until the last report, or until the supervisor ends.
fn read_reports(supervisor: &mut Child) -> Vec<Report> {
    let lines = supervisor.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
    let lines = lines.map_while(Result::ok).take_while(|line| line != report::END);
    lines.filter_map(|line| Report::from_line(&line)).collect()
}

impl TestServers {
    /// The environment variables for tests.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.reports.iter().filter_map(|report| match report {
            Report::Has { variable, value, .. } => Some((variable.as_str(), value.as_str())),
            Report::Missing { .. } => None,
        })
    }

    /// Whether there is a PostgreSQL server.
    pub(crate) fn has_postgres(&self) -> bool {
        self.variables().any(|(name, _)| name == "TEST_POSTGRES_URL")
    }

    /// Which tests are skipped, and why.
    pub(crate) fn missing(&self) -> Vec<(String, String)> {
        let missing = |report: &Report| match report {
            Report::Missing { name, why } => Some((format!("tests that need {name}"), why.clone())),
            Report::Has { .. } => None,
        };
        self.reports.iter().filter_map(missing).collect()
    }

    /// Whether nothing is missing, or may be.
    pub(crate) fn suffice(&self) -> bool {
        let required = REQUIRED.iter().find(|name| {
            std::env::var(name).is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
        });
        match required {
            Some(name) if !self.missing().is_empty() => {
                eprintln!("xtask: {name} is set, so none of the services may be missing");
                false
            }
            _ => true,
        }
    }

    /// Says which versions were found.
    pub(crate) fn print(&self) {
        for report in &self.reports {
            if let Report::Has { description, .. } = report {
                eprintln!("   {description}");
            }
        }
    }

    /// Waits for the end of the supervisor, which does not come by itself.
    fn wait(&mut self) -> bool {
        let Some(supervisor) = &mut self.supervisor else { return false };
        // `wait` would close the pipe first, and that stops the servers.
        let _open = supervisor.stdin.take();
        supervisor.wait().is_ok()
    }
}

impl Drop for TestServers {
    fn drop(&mut self) {
        if let Some(supervisor) = &mut self.supervisor {
            drop(supervisor.stdin.take());
            let _ended = supervisor.wait();
        }
    }
}
