//! Runs libFuzzer on one of the targets in `crates/fuzz-targets`.
//!
//! It needs compiler flags that only nightly has; `RUSTC_BOOTSTRAP` makes the pinned toolchain
//! accept them, so that the tested code is compiled by the same compiler as the product. The seeds
//! in `fuzz/seeds` are never written: new inputs that libFuzzer keeps go to `fuzz/corpus`, failing
//! ones to `fuzz/artifacts`, and git ignores both.

use std::fs;
use std::path::Path;

use crate::tools::Tool;
use crate::{cargo, root, succeeds};

const CARGO_FUZZ: Tool = Tool { name: "fuzz", version: "0.13.2" };

/// The default duration of a run, in seconds.
const SECONDS: &str = "60";
/// An input that takes longer than this many seconds is a failure.
const LONGEST_INPUT: &str = "-timeout=10";

/// Runs `fuzz TARGET [--seconds N]`; without a target, lists them.
pub(crate) fn fuzz(arguments: &[&str]) -> bool {
    match arguments {
        [] => list(),
        [target] => run(target, SECONDS),
        [target, "--seconds", seconds] if seconds.parse::<u32>().is_ok() => run(target, seconds),
        _ => {
            eprintln!("xtask: fuzz TARGET [--seconds N]");
            false
        }
    }
}

/// Checks the format of the fuzz binaries, a workspace of their own that `cargo fmt --all` skips.
pub(crate) fn is_formatted() -> bool {
    cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])
}

fn list() -> bool {
    targets().iter().for_each(|target| println!("{target}"));
    true
}

fn run(target: &str, seconds: &str) -> bool {
    if !targets().iter().any(|known| known == target) {
        eprintln!("xtask: there is no fuzz target '{target}'; there are {}", targets().join(", "));
        return false;
    }
    let corpus = root().join("fuzz/corpus").join(target);
    if let Err(error) = fs::create_dir_all(&corpus).and_then(|()| take_lock_file()) {
        eprintln!("xtask: fuzz/ cannot be written: {error}");
        return false;
    }
    let Some(mut fuzz) = CARGO_FUZZ.command() else { return false };
    fuzz.env("RUSTC_BOOTSTRAP", "1").args(["run", target]);
    fuzz.arg(corpus).arg(root().join("fuzz/seeds").join(target));
    fuzz.args(["--", LONGEST_INPUT, &format!("-max_total_time={seconds}")]);
    succeeds(&mut fuzz)
}

/// The names of the files in `fuzz/targets`.
fn targets() -> Vec<String> {
    let files = fs::read_dir(root().join("fuzz/targets")).into_iter().flatten().flatten();
    let name = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = files.filter_map(|file| name(&file.path())).collect();
    names.sort();
    names
}

/// Copies the lock file, so that the fuzzed code has the dependency versions of the product.
fn take_lock_file() -> std::io::Result<()> {
    let (from, to) = (root().join("Cargo.lock"), root().join("fuzz/Cargo.lock"));
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    if changed(&to) < changed(&from) {
        fs::copy(from, to)?;
    }
    Ok(())
}
