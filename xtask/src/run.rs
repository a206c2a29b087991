//! `cargo xtask run`: builds the web interface and the server, and starts it.
//!
//! The page is embedded in the server, so it has to be built first. Meanwhile everything below the
//! server is compiled, which takes most of the time.

use std::thread;
use std::time::Instant;

use crate::{cargo, cargo_with, web};

/// Optimised for build time; `cargo build --release` is for installing.
const PROFILE: &str = "--profile=quick";

/// The crates below the server. None of them embeds the page.
const PARTS: &[&str] = &[
    "parlor-chat", "parlor-malloc", "parlor-mcp", "parlor-models", "parlor-programs",
    "parlor-recipes",
];

/// Builds and starts the server: `parlor serve ARGUMENTS`.
pub(crate) fn run(arguments: &[&str]) -> bool {
    let start = Instant::now();
    if !is_built_before() {
        println!("== the first build takes some minutes; later ones take seconds");
    }
    println!("== 1 of 3: the web interface, and the parts of the server");
    let page = thread::spawn(web::build_if_possible);
    let parts: Vec<String> = PARTS.iter().map(|part| format!("--package={part}")).collect();
    let mut build = vec!["build", PROFILE];
    build.extend(parts.iter().map(String::as_str));
    let built = cargo(&build);
    // The page is optional: without it the server has a plain one.
    let _panicked = page.join();
    if !built {
        return false;
    }
    println!("== 2 of 3: the server ({} s so far)", start.elapsed().as_secs());
    if !cargo(&["build", PROFILE, "--bin=parlor"]) {
        return false;
    }
    println!("== 3 of 3: start (built in {} s)", start.elapsed().as_secs());
    cargo_with(&["run", "--quiet", PROFILE, "--bin=parlor", "--", "serve"], arguments)
}

fn is_built_before() -> bool {
    crate::root().join("target/quick/parlor").exists()
}
