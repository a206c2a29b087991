//! `parlor sanitize`: masks text as the server does before a person sees it.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::Args;
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use serde::Serialize;

use super::json_lines::{each_line, json_text};
use super::masks::MaskArguments;

/// Masks what must not leave the server: agents, providers, keys, paths.
///
/// Reads {"text": "…"} lines and writes {"text": "…"} lines as a person gets them:
/// terminal codes are removed, invisible characters written out. Or, with --raw,
/// copies standard input to standard output through the streaming sanitizer,
/// which holds back only what can still become part of a match.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  echo '{\"text\": \"Claude Code by Anthropic\"}' | parlor sanitize
  tail -f agent.log | parlor sanitize --raw

Exit code: 0; 1 if a line could not be read; 2 if the command line is wrong.")]
pub(super) struct Arguments {
    /// Take each line as a text, instead of as JSON.
    #[arg(long, conflicts_with = "raw")]
    text: bool,
    /// Copy standard input to standard output, masked.
    #[arg(long)]
    raw: bool,
    /// An agent CLI runs behind the chat: mask a bare "Claude" too, and what the CLI
    /// writes for its model.
    #[arg(long)]
    bridge: bool,
    #[command(flatten)]
    masks: MaskArguments,
}

#[derive(Serialize)]
struct Answer {
    text: String,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sanitizer = arguments.masks.sanitizer(arguments.bridge)?;
    super::hint_if_interactive("text");
    if arguments.raw {
        copy(&sanitizer, io::stdin().lock(), io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    each_line(|line| {
        let text = if arguments.text { line.to_owned() } else { json_text(line)? };
        Ok(Answer { text: Clean::new(&sanitizer, text).into_inner() })
    })
}

/// Passes on what is certain after every read, so that a stream stays a stream.
fn copy(sanitizer: &Sanitizer, mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut stream = sanitizer.stream();
    let mut chunk = vec![0; 64 << 10];
    let mut clean = Vec::new();
    loop {
        match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => stream.push_bytes(&chunk[..length], &mut clean),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        to.write_all(&clean)?;
        to.flush()?;
        clean.clear();
    }
    stream.finish_bytes(&mut clean);
    to.write_all(&clean)?;
    to.flush()
}
