//! No secret is in a log (O-3, X-3): the log of every server that a test starts is searched when the
//! test is done with it, for every secret that it used.
//!
//! - Servers within the test share one log, as a process does; a server searches what was written in
//!   its time. The lines are those of the real log, with its masks, but the configuration's secrets
//!   are not known to it by value: what is only masked because it is known there is found here.
//! - A server that is a process of its own writes its log to a file.
//! - What is searched for: passwords, keys and tokens that the test names ([`secret`]), those that every
//!   test uses, and whatever looks like one that a server made: sessions, keys, invitations, links.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use parlor_server::logging;

/// What servers within the tests wrote.
static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Secrets that tests named.
static SECRETS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// More than is logged by default: whoever looks for a problem raises the level, and sends the log to
/// somebody.
const FILTER: &str = "info,parlor_server=debug,parlor_chat=debug,parlor_mcp=debug,\
    parlor_models=debug,parlor_programs=debug,parlor_oidc=debug,parlor_recipes=debug";
/// How the tokens begin that a server makes; 256 random bits follow.
const TOKENS: [&str; 4] = ["rvs_", "parlor_", "invite_", "share_"];
const RANDOM: usize = 43;

/// The log of a server, searched when this is dropped.
pub(crate) struct LogCheck {
    log: Log,
}

enum Log {
    /// Of all servers within the tests, from here on.
    Shared { from: usize },
    /// Of a process.
    File(PathBuf),
}

/// Names a secret, which must be in no log from then on.
pub(crate) fn secret(text: &str) {
    let mut secrets = lock(&SECRETS);
    if !secrets.iter().any(|known| known == text) {
        secrets.push(text.to_owned());
    }
}

impl LogCheck {
    /// For a server within the test.
    pub(crate) fn within() -> Self {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            logging::start_to(FILTER, Vec::new(), || Shared).unwrap();
        });
        let from = lock(&WRITTEN).len();
        Self { log: Log::Shared { from } }
    }

    /// For a process that writes its log there.
    pub(crate) fn of_file(path: PathBuf) -> Self {
        Self { log: Log::File(path) }
    }

    /// What was written.
    pub(crate) fn text(&self) -> String {
        let written = match &self.log {
            Log::Shared { from } => lock(&WRITTEN)[*from..].to_vec(),
            Log::File(path) => std::fs::read(path).unwrap_or_default(),
        };
        String::from_utf8_lossy(&written).into_owned()
    }
}

impl Drop for LogCheck {
    fn drop(&mut self) {
        // The first failure of a test says more.
        if !std::thread::panicking() {
            let text = self.text();
            let found = found(&text, &lock(&SECRETS));
            assert!(found.is_empty(), "secrets in the log:\n{}", found.join("\n"));
            if let Log::File(path) = &self.log {
                let _gone = std::fs::remove_file(path);
            }
        }
    }
}

/// The lines that have a secret.
fn found<'l>(log: &'l str, secrets: &[String]) -> Vec<&'l str> {
    let has_secret = |line: &&str| secrets.iter().any(|secret| line.contains(secret.as_str()));
    log.lines().filter(|line| has_token(line) || has_secret(line)).collect()
}

fn has_token(line: &str) -> bool {
    let is_random = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        text.bytes().take_while(|byte| fits(*byte)).count() >= RANDOM
    };
    TOKENS.iter().any(|prefix| {
        line.match_indices(prefix).any(|(at, found)| is_random(&line[at + found.len()..]))
    })
}

/// Writes to the shared log.
struct Shared;

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&WRITTEN).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A check that fails must not make every other one fail.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// O-3: the search can fail: it finds what is planted, in either kind of log.
#[test]
fn a_planted_secret_is_found() {
    let token = format!("rvs_{}", "aB3-_".repeat(9));
    let log = format!("INFO fine: rvs_short\nWARN cookie={token}\nDEBUG said=\"hunter2 of Ana\"\n");
    let secrets = ["hunter2".to_owned()];
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(found(&log, &secrets), lines[1..]);
    assert!(found(&log.replace(&token, "[token]"), &[]).is_empty());

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log");
    std::fs::write(&file, &log).unwrap();
    let check = std::panic::catch_unwind(|| drop(LogCheck::of_file(file)));
    assert!(check.is_err(), "the file has a token");

    let quiet = LogCheck::within();
    drop(quiet);
    let planted = LogCheck::within();
    tracing::info!(target: "parlor_server", "planted: {}", "planted-7f3a".to_owned() + "-secret");
    assert!(planted.text().contains("planted-7f3a-secret"), "{}", planted.text());
    let secrets = ["planted-7f3a-secret".to_owned()];
    assert_eq!(found(&planted.text(), &secrets).len(), 1);
}
