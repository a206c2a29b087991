//! `parlor sanitize`: masks text as it is masked before a person sees it.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::Args;
use parlor_guard::sanitizer::{Sanitizer, SanitizerSettings};
use serde::Serialize;

use super::lines::{each_line, json_text};

/// Masks what must not leave the server: agents, providers, keys, paths.
///
/// Reads {"text": "…"} lines and writes {"text": "…"} lines, or, with --raw,
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
    /// An agent CLI runs behind the chat: mask a bare "Claude" too.
    #[arg(long)]
    bridge: bool,
    /// Leave names of agents and providers; keys and tokens stay masked.
    #[arg(long)]
    keep_names: bool,
    /// The agent's home directory, to be masked.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// The agent's working directory, to be cut off from paths.
    #[arg(long, value_name = "DIR")]
    workspace: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    text: String,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sanitizer = Sanitizer::new(&SanitizerSettings {
        mask_provider: !arguments.keep_names,
        behind_bridge: Some(arguments.bridge),
        home: arguments.home.clone(),
        workspace: arguments.workspace.clone(),
        ..SanitizerSettings::default()
    })?;
    super::hint_if_interactive("text");
    if arguments.raw {
        copy(&sanitizer, io::stdin().lock(), io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    each_line(|line| {
        let text = if arguments.text { line.to_owned() } else { json_text(line)? };
        Ok(Answer { text: sanitizer.sanitize(&text) })
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
