//! `parlor classify`: the message type of each line of an agent's output.

use std::process::ExitCode;

use clap::Args;
use parlor_guard::{ProcessedMessage, process_output};
use parlor_protocol::{MessageType, QuestionOption, SubQuestion};
use serde::Serialize;

use super::json_lines::{each_line, json};
use super::masks::MaskArguments;

/// Prints the message type of each line of an agent's JSON output.
///
/// Reads JSON lines as agents write them (Claude Code's stream-json, Codex,
/// Gemini, the Agent Client Protocol, or plain objects) and writes, for each,
/// {"type": "…", "content": "…", "options"?: […], "questions"?: […]}.
///
/// Types: question, multi_question, info, tool_result, error, thinking, text,
/// plan, tool_call. Lines that say nothing to a person are info without content.
/// Everything in the answer is sanitized, as behind a bridge to an agent CLI.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  echo '{\"type\": \"text\", \"text\": \"Which one do you want?\"}' | parlor classify
  claude -p --output-format stream-json --verbose \"hello\" | parlor classify
  parlor classify --home \"$HOME\" --workspace \"$PWD\" < recording.jsonl

Exit code: 0; 1 if a line is not JSON; 2 if the command line is wrong.")]
pub(super) struct Arguments {
    /// Add "data" (plan, question or tool call) and "metadata".
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    masks: MaskArguments,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Short {
        #[serde(rename = "type")]
        message_type: MessageType,
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        options: Option<Vec<QuestionOption>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        questions: Option<Vec<SubQuestion>>,
    },
    Full(Box<ProcessedMessage>),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sanitizer = arguments.masks.sanitizer(true)?;
    super::hint_if_interactive("JSON lines");
    each_line(|line| {
        let message = process_output(&sanitizer, &json(line)?);
        Ok(if arguments.full {
            Answer::Full(Box::new(message))
        } else {
            let ProcessedMessage { message_type, content, options, questions, .. } = message;
            Answer::Short { message_type, content, options, questions }
        })
    })
}
