//! `parlor pdf-text`: reads the text of one PDF. The server starts it for each PDF that somebody
//! attaches, with limits of time and memory; it is not for people.
//!
//! The PDF comes on standard input, which stays open: it is the lifeline. The answer is one line.

use std::io::{self, Read, Write};
use std::panic;
use std::process::ExitCode;

use clap::Args;
use parlor_files::pdf::{Limits, answer};

/// Reads the text of a PDF.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many bytes it has.
    #[arg(long, value_name = "N")]
    bytes: usize,
    /// The most pages.
    #[arg(long, value_name = "N")]
    pages: usize,
    /// The most characters.
    #[arg(long, value_name = "N")]
    chars: usize,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // A panic of the parser is an answer, and nobody reads the words about it.
    panic::set_hook(Box::new(|_| {}));
    let mut bytes = vec![0; arguments.bytes];
    io::stdin().lock().read_exact(&mut bytes)?;
    let limits = Limits { pages: arguments.pages, chars: arguments.chars };
    writeln!(io::stdout().lock(), "{}", answer(&bytes, limits).to_line())?;
    Ok(ExitCode::SUCCESS)
}
