//! `cargo xtask flow-eval`, and the sample of it in `cargo xtask test`.
//!
//! The Python packages of the evaluation are installed below `target` when they are first needed, and
//! again when their list changes.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::{built, cargo, command, root, succeeds};

/// Whether `cargo xtask test` has a sample.
pub(crate) const IN_TESTS: bool = true;

/// How many attacks a sample has; tasks without one come on top.
const SAMPLE: &str = "20";

/// Runs everything, or what the arguments say.
pub(crate) fn whole(arguments: &[&str]) -> bool {
    evaluate(&[arguments])
}

/// A sample, first with everything allowed: then it shows that its attacks do something.
pub(crate) fn sample() -> bool {
    evaluate(&[
        &["--sample", SAMPLE, "--policy", "all-allowed"],
        &["--sample", SAMPLE, "--policy", "flow"],
    ])
}

/// Builds what is needed and runs it, once for each list of arguments. The whole workspace is built, so
/// that dependencies have the same features as in its tests; what is measured does not depend on speed.
fn evaluate(runs: &[&[&str]]) -> bool {
    let Some(packages) = packages() else { return false };
    cargo(&["build", "--workspace", "--bins", "--quiet"])
        && runs.iter().all(|arguments| {
            let Some(mut run) = built("debug", "parlor-flow-eval") else { return false };
            succeeds(run.arg("--packages").arg(&packages).args(*arguments))
        })
}

/// The folder with the packages, installed unless the same list was installed before.
fn packages() -> Option<PathBuf> {
    let list = root().join("evals/flow/requirements.txt");
    let folder = root().join("target/flow-eval");
    let (place, mark) = (folder.join("packages"), folder.join("installed.txt"));
    let is_there = fs::read(&mark).is_ok_and(|installed| Some(installed) == fs::read(&list).ok());
    if is_there {
        return Some(place);
    }
    let mut pip = command("python3");
    // agentdojo asks for the clients of model APIs, which its suites do not need.
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&place);
    pip.arg("--requirement").arg(&list);
    let prepared = prepare(&folder);
    let done = prepared.is_ok() && succeeds(&mut pip) && fs::copy(&list, &mark).is_ok();
    if !done {
        eprintln!(
            "xtask: the packages of {} could not be installed; Python 3.10 or later with pip is needed",
            list.display()
        );
    }
    done.then_some(place)
}

/// An empty folder: pip leaves what an earlier list had.
fn prepare(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
}
