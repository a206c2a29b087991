//! A client library in a process of its own: commands in, what the library saw out.
//!
//! The drivers and their commands are described in `tests/e2e/clients/README.md`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::npm;
use crate::server_process::KEY;
use crate::test_app::PATIENCE;

/// A library and the driver around it.
pub(super) struct ExternalClient {
    _child: Child,
    input: ChildStdin,
    seen: Arc<Seen>,
    last: u64,
}

#[derive(Default)]
struct Seen {
    lines: Mutex<Vec<Value>>,
    changed: Notify,
    log: Mutex<String>,
}

impl ExternalClient {
    /// Installs the library of a folder below `clients`, and starts its driver for this address.
    pub(super) async fn start(folder: &str, url: &str, variables: &[(&str, &str)]) -> Self {
        let place = npm::install(&format!("clients/{folder}")).await;
        let mut command = Command::new("node");
        command.arg(place.join("driver.mjs")).current_dir(&place);
        Self::run(command, url, variables)
    }

    /// Starts a driver.
    pub(super) fn run(mut command: Command, url: &str, variables: &[(&str, &str)]) -> Self {
        command.env("DRIVER_LIB", library()).env("PARLOR_URL", url).env("PARLOR_KEY", KEY);
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let seen = Arc::new(Seen::default());
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let reader = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let line = serde_json::from_str(&line).unwrap_or(json!({"not_json": line}));
                reader.lines.lock().unwrap().push(line);
                reader.changed.notify_waiters();
            }
        });
        let (writer, mut log) = (Arc::clone(&seen), child.stderr.take().unwrap());
        tokio::spawn(async move {
            let mut text = String::new();
            let _closed = log.read_to_string(&mut text).await;
            *writer.log.lock().unwrap() = text;
        });
        Self { _child: child, input, seen, last: 0 }
    }

    /// Gives a command, and returns what the library made of it.
    pub(super) async fn call(&mut self, command: &str, arguments: Value) -> Value {
        let n = self.begin(command, arguments).await;
        self.done(n).await
    }

    /// Gives a command without waiting; returns its number.
    pub(super) async fn begin(&mut self, command: &str, mut arguments: Value) -> u64 {
        self.last += 1;
        arguments["cmd"] = json!(command);
        arguments["n"] = json!(self.last);
        self.input.write_all(format!("{arguments}\n").as_bytes()).await.unwrap();
        self.input.flush().await.unwrap();
        self.last
    }

    /// Waits for the end of a command.
    pub(super) async fn done(&self, n: u64) -> Value {
        self.line(&format!("the end of command {n}"), |line| {
            line["n"] == n && line.get("done").is_some()
        })
        .await
    }

    /// Waits until a command has told this much text.
    pub(super) async fn text(&self, n: u64, length: usize) -> String {
        let text = || {
            let lines = self.seen.lines.lock().unwrap();
            let told = lines.iter().filter(|line| line["n"] == n && line["event"] == "text");
            told.map(|line| line["delta"].as_str().unwrap_or_default().to_owned())
                .collect::<String>()
        };
        self.until("text", || Some(text()).filter(|text| text.len() >= length)).await
    }

    async fn line(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.until(what, || {
            self.seen.lines.lock().unwrap().iter().find(|line| is_it(line)).cloned()
        })
        .await
    }

    async fn until<T>(&self, what: &str, find: impl Fn() -> Option<T>) -> T {
        let waiting = async {
            loop {
                let changed = self.seen.changed.notified();
                if let Some(found) = find() {
                    return found;
                }
                changed.await;
            }
        };
        timeout(PATIENCE, waiting).await.unwrap_or_else(|_| {
            let lines = self.seen.lines.lock().unwrap();
            let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
            let log = self.seen.log.lock().unwrap();
            panic!("{what} does not come; {}\n{log}", lines.join("\n"))
        })
    }
}

/// What the drivers have in common.
fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/clients/driver")
}
