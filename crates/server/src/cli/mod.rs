//! The commands of the `parlor` binary.
//!
//! - `serve` runs the server; `keys`, `password` and `people` change who may come in, also
//!   while it runs; `audit` exports the decisions of people; `db` moves, checks and backs
//!   up the databases; `config` checks a configuration and shows what holds.
//! - `doctor` looks at the installation, and says what to do where something is wrong.
//! - `mcp` serves bundled tools to any MCP client, `acp` a project to any editor that speaks
//!   the Agent Client Protocol.
//! - `agents` lists the agents that can be put behind a project, and which are installed.
//! - `guard`, `classify` and `sanitize` need no server: each reads lines from
//!   standard input and writes one JSON line for each to standard output, so that
//!   policies can be tried and evaluated with `jq`, a loop or a spreadsheet.
//! - `supervise` runs the child processes of the server, `pdf-text` is one of them; they are not
//!   for people.

pub(crate) mod acp;
mod agents;
mod audit;
mod classify;
mod config;
mod db;
mod doctor;
mod guard;
mod json_lines;
mod keys;
mod masks;
mod mcp;
mod password;
mod pdf_text;
mod people;
mod sanitize;
mod secret_input;
mod serve;
mod supervise;
mod tenant_store;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Puts an AI agent in front of people, safely.
#[derive(Debug, Parser)]
#[command(name = "parlor", version)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Arguments),
    Keys(keys::Arguments),
    Password(password::Arguments),
    People(people::Arguments),
    Audit(audit::Arguments),
    Config(config::Arguments),
    Db(db::Arguments),
    Doctor(doctor::Arguments),
    Mcp(mcp::Arguments),
    Acp(acp::Arguments),
    Agents(agents::Arguments),
    Guard(guard::Arguments),
    Classify(classify::Arguments),
    Sanitize(sanitize::Arguments),
    #[command(hide = true)]
    PdfText(pdf_text::Arguments),
    #[command(hide = true)]
    Supervise(supervise::Arguments),
}

/// Runs the command. The exit code is 0; 1 if something failed or a line could not be
/// read; 2 if the command line itself is wrong.
pub fn run(line: CommandLine) -> anyhow::Result<ExitCode> {
    let outcome = match line.command {
        Command::Serve(arguments) => serve::run(arguments),
        Command::Keys(arguments) => keys::run(arguments),
        Command::Password(arguments) => password::run(arguments),
        Command::People(arguments) => people::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Config(arguments) => config::run(arguments),
        Command::Db(arguments) => db::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Acp(arguments) => acp::run(arguments),
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Guard(arguments) => guard::run(&arguments),
        Command::Classify(arguments) => classify::run(&arguments),
        Command::Sanitize(arguments) => sanitize::run(&arguments),
        Command::PdfText(arguments) => pdf_text::run(&arguments),
        Command::Supervise(arguments) => supervise::run(&arguments),
    };
    match outcome {
        // `parlor guard | head` closes the pipe; that is not a failure.
        Err(error) if is_closed_pipe(&error) => Ok(ExitCode::SUCCESS),
        outcome => outcome,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Tells a person who types the bare command what it waits for.
fn hint_if_interactive(what: &str) {
    if io::stdin().is_terminal() {
        eprintln!("reading {what} from the terminal; end with Ctrl-D, see --help");
    }
}
