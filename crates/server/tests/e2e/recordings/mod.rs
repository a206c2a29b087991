//! The recordings that the tests of the web interface read (`web/tests/recordings`), as
//! this server writes them.
//!
//! 1. A story is played against a real server with a scripted model ([`story`]).
//! 2. What differs from run to run is replaced ([`normalise`]).
//! 3. The events must be those of the committed file. If a change is meant,
//!    `PARLOR_UPDATE_GOLDEN=1 cargo test -p parlor-server --test e2e -- recordings::`
//!    writes the files anew; read the difference, run the tests of `web`, and commit both.
//!
//! What no server sends, such as a message type that does not exist yet, is made by hand:
//! `web/tests/recordings/by_hand`.

mod answers;
mod approvals;
mod asked;
mod normalise;
mod programs;
mod story;
mod tools;

use std::path::{Path, PathBuf};

use crate::streams::Event;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/recordings")
}

/// Asserts that these events are the committed recording, or writes it.
fn check(name: &str, events: &[Event]) {
    let path = folder().join(name).with_extension("jsonl");
    let played = normalise::lines(events);
    if std::env::var_os("PARLOR_UPDATE_GOLDEN").is_some() {
        std::fs::write(path, played).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = played.lines().zip(committed.lines()).position(|(played, line)| played != line);
    let line = line.unwrap_or_else(|| played.lines().count().min(committed.lines().count()));
    assert!(
        played == committed,
        "{} is not what the server sends any more. If the change is meant, set \
         PARLOR_UPDATE_GOLDEN=1.\nThe first line that differs is {}.\n--- committed\n{}\n--- sent\n{}",
        path.display(),
        line + 1,
        committed.lines().nth(line).unwrap_or_default(),
        played.lines().nth(line).unwrap_or_default(),
    );
}
