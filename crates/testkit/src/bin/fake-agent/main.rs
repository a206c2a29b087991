//! An agent CLI that misbehaves on demand: it speaks the JSON stream of Claude
//! Code over standard input and output, and writes it by hand, so that it can
//! also write it badly.
//!
//! 1. What it does at its start is in its environment ([`start`]); its arguments
//!    are those that the bridge gives to the real program, and only noted.
//! 2. What it does in a turn is the first word of the message ([`abuses`]); any
//!    other message is answered as the real program would ([`stream`]).
//! 3. A call that it puts off is taken up by its next process ([`deferral`]).
//!
//! `steady COUNT MILLISECONDS` makes it a well-behaved source of load.

mod abuses;
mod deferral;
mod start;
mod stream;

use std::io::{BufRead, Write};
use std::process::exit;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

/// What the host writes, line by line, while a turn may be going on.
struct Host {
    lines: Receiver<Value>,
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("--version") {
        return println!("{} (Claude Code)", stream::version());
    }
    start::misbehave();
    let (heard, lines) = channel();
    thread::spawn(move || listen(&heard));
    let mut host = Host { lines };
    if deferral::was_left_with_call() {
        deferral::go_on(&mut host);
    }
    while let Some(line) = host.next() {
        if kind(&line) == "user" {
            abuses::turn(&mut host, words(&line["message"]["content"]));
        }
    }
}

/// What the person said: a text, or the text before the last, which is the host's.
fn words(content: &Value) -> &str {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut texts = blocks.iter().rev().filter_map(|block| block["text"].as_str());
    texts.nth(1).or(content.as_str()).unwrap_or_default()
}

impl Host {
    /// The next line that is not about the connection itself; `None` when the
    /// host has hung up.
    fn next(&mut self) -> Option<Value> {
        loop {
            let line = self.lines.recv().ok()?;
            let request = &line["request"];
            if kind(&line) != "control_request" {
                return Some(line);
            }
            let id = &line["request_id"];
            write(&json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": id, "response": {"commands": []},
            }}));
            if request["subtype"] == "interrupt" {
                return Some(line);
            }
        }
    }

    /// Asks for a permission, and gives the answer.
    fn ask(&mut self, id: &str, tool: &str, input: &Value) -> Option<Value> {
        write(&stream::permission(id, tool, input));
        self.answer_to(id)
    }

    /// The answer to a request that was made; `None` if an interrupt comes instead.
    fn answer_to(&mut self, id: &str) -> Option<Value> {
        loop {
            let line = self.next()?;
            match kind(&line) {
                "control_response" if line["response"]["request_id"] == id => {
                    return Some(line["response"]["response"].clone());
                }
                "control_request" => return None,
                _ => {}
            }
        }
    }

    /// Waits for an interrupt, and for nothing else.
    fn wait_for_interrupt(&mut self) {
        while let Some(line) = self.next() {
            if kind(&line) == "control_request" {
                return;
            }
        }
    }
}

/// Reads standard input to its end.
fn listen(heard: &Sender<Value>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if let Ok(line) = serde_json::from_str(&line)
            && heard.send(line).is_err()
        {
            return;
        }
    }
}

fn kind(line: &Value) -> &str {
    line["type"].as_str().unwrap_or_default()
}

fn write(line: &Value) {
    write_raw(format!("{line}\n").as_bytes());
}

fn write_raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}
