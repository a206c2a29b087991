//! `cargo xtask soak`, and the short ones of `cargo xtask test`.

use crate::test_servers::programs;
use crate::{built, cargo, succeeds};

/// Whether `cargo xtask test` has a short soak of three nodes.
pub(crate) const SEVERAL_NODES: bool = true;

/// Builds the server and the soak, and runs it. Figures are those of the shipped code.
pub(crate) fn soak(arguments: &[&str]) -> bool {
    let built = cargo(&["build", "--release", "--bin", "parlor"])
        && cargo(&["build", "--release", "--package", "parlor-soak"]);
    built && start("release", arguments)
}

/// A short one, with the binaries of the tests.
pub(crate) fn one_node() -> bool {
    short(&["--nodes", "1", "--minutes", "0.3"])
}

/// A short one with everything.
pub(crate) fn three_nodes() -> bool {
    short(&["--nodes", "3", "--minutes", "0.6"])
}

/// The whole workspace is built, so that dependencies have the same features as in its tests.
fn short(arguments: &[&str]) -> bool {
    cargo(&["build", "--workspace", "--bins", "--quiet"]) && start("debug", arguments)
}

/// Starts the binary, which finds the server beside itself.
fn start(profile: &str, arguments: &[&str]) -> bool {
    let Some(mut soak) = built(profile, "parlor-soak") else { return false };
    if needs_servers(arguments) {
        match programs() {
            Ok(programs) => drop(soak.envs(programs)),
            Err(why) => {
                eprintln!("xtask: {why}");
                return false;
            }
        }
    }
    succeeds(soak.args(arguments))
}

/// One node on SQLite needs nothing else.
fn needs_servers(arguments: &[&str]) -> bool {
    let after = arguments.windows(2).filter(|pair| pair[0] == "--nodes").map(|pair| pair[1]);
    let inside = arguments.iter().filter_map(|argument| argument.strip_prefix("--nodes="));
    let asks = ["--postgres", "--proxy"].iter().any(|flag| arguments.contains(flag));
    asks || after.chain(inside).any(|nodes| nodes != "1")
}
