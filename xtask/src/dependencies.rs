//! Checks the dependencies: licences, sources, advisories.
//!
//! Advisories are downloaded: from a git repository for crates, from the registry for npm packages.
//! If that is not possible, this part is skipped with a notice; everything else is still checked.

use crate::checks::skipped;
use crate::tools::Tool;
use crate::{succeeds, web};

const CARGO_DENY: Tool = Tool { name: "deny", version: "0.20.2" };

/// What npm prints if the registry does not support audits.
const NO_AUDIT: &str = "audit endpoint returned an error";

/// Checks the crates against `deny.toml`.
pub(crate) fn deny() -> bool {
    let run = |arguments: &[&str]| {
        CARGO_DENY.command().is_some_and(|mut deny| succeeds(deny.args(arguments)))
    };
    let rest = run(&["check", "licenses", "bans", "sources"]);
    if !run(&["fetch", "db"]) {
        skipped("advisories for crates", "their database cannot be fetched");
        return rest;
    }
    run(&["check", "--disable-fetch", "advisories"]) && rest
}

/// Checks the npm packages of the web interface.
pub(crate) fn audit() -> bool {
    let output = web::command(&["audit", "--package-lock-only"]).output();
    let Ok(output) = output else {
        eprintln!("xtask: npm could not be started");
        return false;
    };
    let (shown, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if said.contains(NO_AUDIT) {
        skipped("advisories for npm packages", "the registry takes no audits");
        return true;
    }
    print!("{shown}");
    eprint!("{said}");
    output.status.success()
}
