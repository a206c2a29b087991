//! The checks of `cargo xtask test`, one after the other, with a summary.

use crate::test_run::TestRun;

/// What was run so far.
#[derive(Default)]
pub(crate) struct Checks {
    failed: Vec<&'static str>,
    skipped: Vec<(String, String)>,
    /// Tests that passed only when they were run again.
    unreliable: Vec<String>,
}

impl Checks {
    /// Runs a check, and continues after a failure: a contributor wants to see the whole list.
    pub(crate) fn run(&mut self, name: &'static str, check: impl FnOnce() -> bool) {
        println!("== {name}");
        if !check() {
            self.failed.push(name);
        }
    }

    /// Runs tests, and notes those that passed only when they were run again.
    pub(crate) fn run_tests(&mut self, name: &'static str, tests: impl FnOnce() -> TestRun) {
        let mut unreliable = Vec::new();
        self.run(name, || {
            let run = tests();
            unreliable = run.unreliable;
            run.has_passed
        });
        self.unreliable.append(&mut unreliable);
    }

    /// Something cannot be checked. It is said now and in the summary.
    pub(crate) fn skip(&mut self, what: String, why: String) {
        skipped(&what, &why);
        self.skipped.push((what, why));
    }

    /// The summary; whether nothing failed.
    pub(crate) fn report(&self) -> bool {
        for (what, why) in &self.skipped {
            skipped(what, why);
        }
        for name in &self.unreliable {
            eprintln!("\n== UNRELIABLE: {name} failed, and passed when it was run again\n");
        }
        if self.failed.is_empty() {
            let but = if self.skipped.is_empty() { "" } else { " but those that were skipped" };
            println!("== all checks passed{but}");
        } else {
            eprintln!("== failed: {}", self.failed.join(", "));
        }
        self.failed.is_empty()
    }
}

/// Says that something is not checked.
pub(crate) fn skipped(what: &str, why: &str) {
    eprintln!("\n== SKIPPED: {what} ({why})\n");
}
