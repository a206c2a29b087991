//! Runs `cargo test`, and once more what failed.
//!
//! 1. All tests run, also after a failure. Their output is shown as it comes.
//! 2. Up to [`MOST`] failed tests are run again, alone. A test that fails twice is a failure.
//! 3. One that passes then is reported as unreliable, at the end of the whole run: a test that
//!    fails because the machine is busy is a fault to mend, but no reason to refuse a change.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::cargo_command;

/// How many tests may fail and be run again. If more do, it is not by chance.
const MOST: usize = 3;

/// What came of a run.
pub(crate) struct TestRun {
    /// Whether all tests passed, at the latest when they were run again.
    pub(crate) has_passed: bool,
    /// Those that passed only when they were run again.
    pub(crate) unreliable: Vec<String>,
}

/// The tests of the workspace, or a part of them. The whole workspace is always named, so that
/// nothing is compiled again with other features.
#[derive(Default)]
pub(crate) struct Tests<'a> {
    /// Which targets: `["--test", "e2e"]`. None: all.
    pub(crate) targets: Vec<&'a str>,
    /// The beginnings of the names of the tests that run. None: all.
    pub(crate) names: Vec<&'a str>,
    /// Whether those that are ignored run, and only they.
    pub(crate) ignored: bool,
    /// Variables for the tests.
    pub(crate) variables: Vec<(&'a str, &'a str)>,
}

impl Tests<'_> {
    /// Runs them.
    pub(crate) fn run(&self) -> TestRun {
        let first = output_of(self.command(&self.targets).args(&self.names));
        if first.has_succeeded || first.failed.is_empty() || first.failed.len() > MOST {
            return TestRun { has_passed: first.has_succeeded, unreliable: Vec::new() };
        }
        println!("== run again, alone: {}", first.failed.join(", "));
        // Without documentation tests, which have no exact names.
        let targets = if self.targets.is_empty() { &["--tests"][..] } else { &self.targets };
        let again = output_of(self.command(targets).arg("--exact").args(&first.failed));
        let has_passed = again.has_succeeded && again.passed >= first.failed.len();
        TestRun { has_passed, unreliable: if has_passed { first.failed } else { Vec::new() } }
    }

    fn command(&self, targets: &[&str]) -> Command {
        let mut command = cargo_command();
        command.args(["test", "--workspace", "--no-fail-fast"]).args(targets).arg("--");
        if self.ignored {
            command.arg("--ignored");
        }
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }
}

/// What a run of `cargo test` printed.
#[derive(Default)]
struct Output {
    has_succeeded: bool,
    failed: Vec<String>,
    passed: usize,
}

/// Runs a command and shows what it prints, line by line.
fn output_of(command: &mut Command) -> Output {
    let mut output = Output::default();
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("xtask: {:?} could not be started: {error}", command.get_program());
            return output;
        }
    };
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let mut shown = std::io::stdout().lock();
            // A closed terminal does not end the tests.
            let _written = shown.write_all(&line).and_then(|()| shown.write_all(b"\n"));
            output.note(&String::from_utf8_lossy(&line));
        }
    }
    output.has_succeeded = child.wait().is_ok_and(|status| status.success());
    output
}

impl Output {
    /// `test name ... FAILED`, or `test result: ok. 3 passed; …`.
    fn note(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test ") else { return };
        if let Some(name) = rest.strip_suffix(" ... FAILED") {
            self.failed.push(name.to_owned());
        } else if let Some(result) = rest.strip_prefix("result: ") {
            let passed =
                result.split_once(". ").and_then(|(_, counts)| counts.split_once(" passed"));
            self.passed += passed.and_then(|(count, _)| count.parse().ok()).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N-2: failures and passes are read as the test runner prints them.
    #[test]
    fn failures_and_passes_are_read() {
        let mut output = Output::default();
        for line in [
            "running 3 tests",
            "test prompts::one ... ok",
            "test prompts::two ... FAILED",
            "---- prompts::two stdout ----",
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
            "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out",
        ] {
            output.note(line);
        }
        assert_eq!(output.failed, ["prompts::two"]);
        assert_eq!(output.passed, 42);
    }
}
