//! The `parlor` binary: reads the command line and hands over to a subcommand.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let command = cli::CommandLine::parse();
    match cli::run(command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("parlor: {error:#}");
            ExitCode::FAILURE
        }
    }
}
