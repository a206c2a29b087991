//! Cargo subcommands that are not part of Rust: installed into `target/tools` when they are first
//! needed, in a version that is known to work.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::{cargo_command, root, succeeds};

/// A subcommand of cargo, and the version that is installed if it is missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

impl Tool {
    /// `cargo NAME`, installed if it is missing; `None` if that fails.
    pub(crate) fn command(self) -> Option<Command> {
        if !self.is_installed() {
            println!("== installing cargo-{} {} (minutes)", self.name, self.version);
            let package = format!("cargo-{}@{}", self.name, self.version);
            let mut install = cargo_command();
            install.args(["install", "--locked", &package, "--root"]).arg(folder());
            if !succeeds(&mut install) {
                return None;
            }
        }
        Some(self.invocation())
    }

    fn is_installed(self) -> bool {
        let output = self.invocation().arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    }

    /// Cargo looks for its subcommands in `PATH`.
    fn invocation(self) -> Command {
        let mut path = OsString::from(folder().join("bin"));
        if let Some(inherited) = std::env::var_os("PATH") {
            path.push(":");
            path.push(inherited);
        }
        let mut command = cargo_command();
        command.arg(self.name).env("PATH", path).current_dir(root());
        command
    }
}

fn folder() -> PathBuf {
    root().join("target/tools")
}
