//! The `parlor` binary: reads the command line and hands over to a subcommand.

use std::process::ExitCode;

use clap::Parser;
use parlor_server::cli;

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
