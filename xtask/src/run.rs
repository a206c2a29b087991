//! `cargo xtask run`: builds the web interface and the server, and starts it.
//!
//! 1. The page is built while the crates are downloaded: the server embeds it, so it has
//!    to be there first.
//! 2. The server is built, with a profile that is quick to build.
//! 3. It is started.

use std::thread;
use std::time::Instant;

use crate::{cargo, cargo_with, web};

/// For trying it out; `cargo build --release` is for installing.
const PROFILE: &str = "--profile=quick";

/// Builds and starts the server: `parlor serve ARGUMENTS`.
pub(crate) fn run(arguments: &[&str]) -> bool {
    let start = Instant::now();
    if !crate::root().join("target/quick/parlor").exists() {
        println!(
            "== the first build takes about five minutes on two cores; later ones take seconds"
        );
    }
    println!("== 1 of 3: the web interface; meanwhile the crates are downloaded");
    let downloads = thread::spawn(|| cargo(&["fetch", "--locked"]));
    web::build_if_possible();
    // The build downloads what is missing, and says so if it cannot.
    let _downloaded = downloads.join();
    println!("== 2 of 3: the server ({} s so far)", start.elapsed().as_secs());
    if !cargo(&["build", PROFILE, "--bin=parlor"]) {
        return false;
    }
    println!("== 3 of 3: start (built in {} s)", start.elapsed().as_secs());
    cargo_with(&["run", "--quiet", PROFILE, "--bin=parlor", "--", "serve"], arguments)
}
