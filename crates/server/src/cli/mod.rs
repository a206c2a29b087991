//! Subcommands that work in a shell, without a server.
//!
//! Each reads lines on standard input and writes one JSON line for each on
//! standard output, so that policies can be tried and evaluated with `jq`, a
//! loop or a spreadsheet.

mod classify;
mod guard;
mod lines;
mod sanitize;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Puts an AI agent in front of people, safely.
#[derive(Debug, Parser)]
#[command(name = "parlor", version)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Guard(guard::Arguments),
    Classify(classify::Arguments),
    Sanitize(sanitize::Arguments),
}

/// Runs the command. The exit code is 0, 1 if a line could not be read, 2 if
/// the command line itself is wrong.
pub(crate) fn run(line: CommandLine) -> anyhow::Result<ExitCode> {
    let outcome = match line.command {
        Command::Guard(arguments) => guard::run(&arguments),
        Command::Classify(arguments) => classify::run(&arguments),
        Command::Sanitize(arguments) => sanitize::run(&arguments),
    };
    match outcome {
        // `parlor guard | head` closes the pipe; that is no failure.
        Err(error) if is_closed_pipe(&error) => Ok(ExitCode::SUCCESS),
        outcome => outcome,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Somebody who types the bare command should know what it waits for.
fn hint_if_interactive(what: &str) {
    if io::stdin().is_terminal() {
        eprintln!("reading {what} from the terminal; end with Ctrl-D, see --help");
    }
}
