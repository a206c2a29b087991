//! An MCP server that misbehaves on demand, over standard input and output.
//!
//! It writes its JSON by hand, so that it can also write it wrong. Its arguments say
//! what it does at the start ([`Arguments`]); the name of a tool says what it does in a
//! call ([`tools`]).

mod tools;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::process::{Command, exit};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How it misbehaves at the start.
#[derive(Debug, Default)]
struct Arguments {
    /// Exits at once.
    crash_at_start: bool,
    /// Says this on standard error first, with its environment variable `TOKEN`.
    complain: Option<String>,
    /// Knows no `initialize`, as servers of another era.
    other_era: bool,
    /// Has a list of tools that never ends.
    endless_list: bool,
    /// Reads, and says nothing at all.
    silent: bool,
    /// Answers the handshake with an error.
    refuse: bool,
    /// Greets on standard output, as some programs do.
    noise: bool,
    /// Writes to standard error without end.
    flood_stderr: bool,
    /// Waits so long before it answers anything.
    slow_start: Option<u64>,
    /// Exits so many milliseconds after the handshake.
    crash_after: Option<u64>,
    /// Leaves processes behind that moved to groups of their own, and writes all
    /// process ids to this file.
    family: Option<String>,
    /// Writes its environment and what it can read of its ancestors' to this file.
    report: Option<String>,
    /// Has a second tool of the same name.
    duplicate: bool,
    /// Has tools that tell the model what to do.
    orders: bool,
    /// Is a process that only sleeps.
    sleeper: bool,
    /// Starts a sleeper and exits, so that it loses its parent.
    orphan: Option<String>,
}

/// What all threads share.
#[derive(Debug, Default)]
struct Server {
    /// Questions that wait for their answer.
    waiting: Mutex<HashMap<String, mpsc::Sender<Value>>>,
    /// Calls that were cancelled.
    cancelled: Mutex<Vec<Value>>,
    /// Tools that were added.
    grown: Mutex<u32>,
}

fn main() {
    let arguments = Arguments::read();
    if arguments.sleeper {
        thread::sleep(Duration::from_secs(3_600));
    }
    if let Some(file) = &arguments.orphan {
        leave_sleeper(file);
        return;
    }
    if let Some(words) = &arguments.complain {
        eprintln!("starting\n{words} {}\n", std::env::var("TOKEN").unwrap_or_default());
    }
    if arguments.crash_at_start {
        exit(3);
    }
    if let Some(file) = &arguments.family {
        raise_family(file);
    }
    if let Some(file) = &arguments.report {
        note(file, tools::environment());
    }
    if arguments.noise {
        write_raw(b"Welcome to the server!\n\n{braces} are not JSON, and this is no line {\n");
    }
    if arguments.flood_stderr {
        thread::spawn(|| {
            loop {
                eprintln!("{}", "noise ".repeat(100));
            }
        });
    }
    thread::sleep(Duration::from_millis(arguments.slow_start.unwrap_or_default()));
    let server = Arc::new(Server::default());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if arguments.silent {
            continue;
        }
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        server.take(&message, &arguments);
    }
}

impl Server {
    fn take(self: &Arc<Self>, message: &Value, arguments: &Arguments) {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") if arguments.other_era => write(&json!({
                "jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Unknown method"},
            })),
            Some("initialize") if arguments.refuse => write(&json!({
                "jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": "Not today."},
            })),
            Some("initialize") => answer(id, &handshake(message)),
            Some("notifications/initialized") => {
                if let Some(after) = arguments.crash_after {
                    thread::spawn(move || {
                        thread::sleep(Duration::from_millis(after));
                        exit(4);
                    });
                }
            }
            Some("notifications/cancelled") => {
                self.cancelled().push(message["params"]["requestId"].clone());
            }
            Some("tools/list") => {
                let grown = *self.grown.lock().unwrap_or_else(PoisonError::into_inner);
                answer(id, &tools::list(message, grown, arguments));
            }
            Some("tools/call") => tools::call(self, id.clone(), &message["params"]),
            Some("ping") => answer(id, &json!({})),
            Some(_) => {}
            // An answer to a question of ours.
            None => {
                let waiting = &mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(asker) = id.as_str().and_then(|id| waiting.remove(id)) {
                    let _gone = asker.send(message["result"].clone());
                }
            }
        }
    }

    fn cancelled(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the client something, and waits for the answer.
    fn ask(&self, id: &str, params: &Value) -> Value {
        let (sender, reply) = mpsc::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), sender);
        write(
            &json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params}),
        );
        reply.recv().unwrap_or_default()
    }
}

fn handshake(message: &Value) -> Value {
    json!({
        "protocolVersion": message["params"]["protocolVersion"],
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "faulty", "version": "1"},
    })
}

/// A child in a group of its own, and one more whose parent is gone.
fn raise_family(file: &str) {
    note(file, std::process::id());
    leave_sleeper(file);
    let orphan = this_program().args(["--orphan", file]).spawn();
    let _gone = orphan.map(|mut orphan| orphan.wait());
}

fn leave_sleeper(file: &str) {
    use std::os::unix::process::CommandExt as _;
    if let Ok(sleeper) = this_program().arg("--sleeper").process_group(0).spawn() {
        note(file, sleeper.id());
    }
}

fn this_program() -> Command {
    Command::new("/proc/self/exe")
}

fn note(file: &str, line: impl std::fmt::Display) {
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let _as_far_as_possible = opened.and_then(|mut file| writeln!(file, "{line}"));
}

fn answer(id: &Value, result: &Value) {
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn notify(method: &str) {
    write(&json!({"jsonrpc": "2.0", "method": method}));
}

fn write(message: &Value) {
    write_raw(format!("{message}\n").as_bytes());
}

fn write_raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|number| number.parse().ok());
            match word.as_str() {
                "--crash-at-start" => arguments.crash_at_start = true,
                "--complain" => arguments.complain = words.next(),
                "--other-era" => arguments.other_era = true,
                "--endless-list" => arguments.endless_list = true,
                "--silent" => arguments.silent = true,
                "--refuse" => arguments.refuse = true,
                "--noise" => arguments.noise = true,
                "--flood-stderr" => arguments.flood_stderr = true,
                "--slow-start" => arguments.slow_start = number(),
                "--crash-after" => arguments.crash_after = number(),
                "--family" => arguments.family = words.next(),
                "--report" => arguments.report = words.next(),
                "--duplicate" => arguments.duplicate = true,
                "--orders" => arguments.orders = true,
                "--sleeper" => arguments.sleeper = true,
                "--orphan" => arguments.orphan = words.next(),
                other => {
                    eprintln!("faulty-mcp: what is {other}?");
                    exit(2);
                }
            }
        }
        arguments
    }
}
