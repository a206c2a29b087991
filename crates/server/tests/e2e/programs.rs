//! The programs of the testkit: an agent and MCP servers that misbehave.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const NAMES: [&str; 2] = ["fake-agent", "faulty-mcp"];

/// A program of the testkit. All of them are built here once, because cargo builds no binaries of
/// another package.
pub(crate) fn testkit_program(name: &str) -> &'static Path {
    static PROGRAMS: OnceLock<BTreeMap<&str, PathBuf>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "parlor-testkit", "--bins"]);
        let beside = Path::new(env!("CARGO_BIN_EXE_parlor")).parent().unwrap();
        if beside.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
        NAMES.iter().map(|name| (*name, beside.join(name))).collect()
    });
    &programs[name]
}
