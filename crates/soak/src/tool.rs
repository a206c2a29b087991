//! The MCP server whose tools write down that they were called: a line for each call, at the moment
//! when it arrives. The file is the only witness of what a node really did.
//!
//! It is this program, started by each node as `parlor-soak tool FILE`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::event::text;

/// The name of the server in the configuration.
pub(crate) const SERVER: &str = "t";
/// The tool that needs approval.
pub(crate) const NOTE: &str = "note";
/// The tool that needs none.
pub(crate) const JOT: &str = "jot";

/// A call, as its line in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The argument, which no two calls of a run share.
    pub(crate) text: String,
    /// The id of the tool run.
    pub(crate) run: String,
}

/// The name by which the model calls a tool.
pub(crate) fn full_name(tool: &str) -> String {
    format!("{SERVER}_{tool}")
}

/// What a tool answers.
pub(crate) fn result(text: &str) -> String {
    format!("noted {text}")
}

/// Serves until the standard input ends.
pub(crate) fn serve(file: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(file)?;
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        let (id, params) = (message["id"].clone(), &message["params"]);
        match message["method"].as_str() {
            Some("initialize") => answer(&id, &handshake(params))?,
            Some("tools/list") => {
                answer(&id, &json!({"tools": [described(NOTE), described(JOT)]}))?
            }
            Some("tools/call") => call(&file, id, params)?,
            Some("ping") => answer(&id, &json!({}))?,
            _ => {}
        }
    }
    Ok(())
}

/// The calls so far.
pub(crate) fn calls(file: &Path) -> io::Result<Vec<Call>> {
    match std::fs::read_to_string(file) {
        Ok(lines) => Ok(lines.lines().map(read_call).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// A line that is not whole is a call, too.
fn read_call(line: &str) -> Call {
    let line: Value = serde_json::from_str(line).unwrap_or_default();
    Call { tool: text(&line, "tool"), text: text(&line, "text"), run: text(&line, "run") }
}

fn handshake(params: &Value) -> Value {
    json!({
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "soak", "version": "1"},
    })
}

fn described(tool: &str) -> Value {
    json!({
        "name": tool, "description": "Writes down a text.",
        "inputSchema": {"type": "object", "properties": {
            "text": {"type": "string"}, "wait_ms": {"type": "integer"},
        }, "required": ["text"]},
    })
}

/// Writes the line first; the answer takes its time.
fn call(mut file: &File, id: Value, params: &Value) -> io::Result<()> {
    let arguments = &params["arguments"];
    let said = text(arguments, "text");
    let run = &params["_meta"]["parlor/run-id"];
    let line = json!({"tool": params["name"], "text": said, "run": run});
    // One write, so that lines of two processes do not mix.
    file.write_all(format!("{line}\n").as_bytes())?;
    let wait = Duration::from_millis(arguments["wait_ms"].as_u64().unwrap_or_default());
    thread::spawn(move || {
        thread::sleep(wait);
        let content = json!([{"type": "text", "text": result(&said)}]);
        // Nobody reads it if the node is gone.
        let _gone = answer(&id, &json!({"content": content}));
    });
    Ok(())
}

fn answer(id: &Value, result: &Value) -> io::Result<()> {
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let mut out = io::stdout().lock();
    out.write_all(format!("{message}\n").as_bytes())?;
    out.flush()
}
