//! C-5: the classifier on recordings of the real agents, one snapshot for each.
//!
//! A snapshot has one line for each line that the agent wrote: its type, then what a person would
//! read, shortened. Lines without content for a person are counted, and pieces of a text are
//! joined. The recordings are described in `fixtures/agents/README.md`.
//!
//! Read a new snapshot line by line before you commit it: would a person agree?

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use parlor_guard::classifier::{Classified, Structured, classify};
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::{MessageType, QuestionOption};
use serde_json::Value;

/// Longer texts are cut.
const SHOWN_AT_MOST: usize = 100;

#[test]
fn every_recording_is_classified_as_a_person_would() {
    let agents = ["claude-code", "claude-code-2.1.197", "codex", "gemini", "acp", "acp-2026-11-16"];
    for agent in agents {
        for recording in recordings(&fixtures().join(agent)) {
            let name = format!("{agent}__{}", stem(&recording));
            insta::with_settings!({
                snapshot_path => "snapshots",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                insta::assert_snapshot!(name, summary(&lines_of_agent(&recording)));
            });
        }
    }
}

/// The text as a person reads it.
fn sanitize(text: &str) -> String {
    Sanitizer::default().sanitize(text)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents")
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has recordings", folder.display());
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The lines that the agent wrote; lines that were written to it are left out.
fn lines_of_agent(recording: &Path) -> Vec<Value> {
    let text = fs::read_to_string(recording).unwrap();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|line| match line["from"].as_str() {
            None => Some(line),
            Some("cli" | "server" | "agent") => Some(line["msg"].clone()),
            Some(_) => None,
        })
        .collect()
}

fn summary(lines: &[Value]) -> String {
    let mut summary = String::new();
    let mut lines = lines.iter().map(|line| classify(line, &sanitize)).peekable();
    while let Some(first) = lines.next() {
        let kind = kind(&first);
        let mut run = vec![first];
        while kind != Kind::Whole
            && let Some(next) = lines.next_if(|next| self::kind(next) == kind)
        {
            run.push(next);
        }
        match &kind {
            Kind::Silent => writeln!(summary, "({} without words)", run.len()).unwrap(),
            Kind::Pieces(message_type) => tell_pieces(&mut summary, message_type, &run),
            Kind::Whole => tell(&mut summary, &run[0]),
        }
    }
    summary
}

/// Lines that are shown together: those without content, and the pieces of one text.
#[derive(PartialEq)]
enum Kind {
    Silent,
    Pieces(MessageType),
    Whole,
}

fn kind(classified: &Classified) -> Kind {
    if classified.message_type == MessageType::Info && classified.content.is_empty() {
        Kind::Silent
    } else if classified.metadata.contains_key("partial") {
        Kind::Pieces(classified.message_type.clone())
    } else {
        Kind::Whole
    }
}

fn tell_pieces(summary: &mut String, message_type: &MessageType, pieces: &[Classified]) {
    let words: Vec<&str> = pieces.iter().map(|piece| piece.content.as_str()).collect();
    let name = message_type.as_str();
    writeln!(summary, "{name:<14} ({} pieces) {}", pieces.len(), shortened(&words.join("|")))
        .unwrap();
}

fn tell(summary: &mut String, classified: &Classified) {
    let Classified { message_type, content, data, options, questions, metadata } = classified;
    writeln!(summary, "{:<14} {}", message_type.as_str(), shortened(content)).unwrap();
    match data {
        Some(Structured::Plan(plan)) => {
            writeln!(summary, "    goal {:?}, {} steps", plan.goal, plan.steps.len()).unwrap();
        }
        Some(Structured::ToolCall { name, input }) => {
            writeln!(summary, "    {name} {}", shortened(&input.to_string())).unwrap();
        }
        Some(Structured::Question(_) | Structured::ToolResult { .. }) | None => {}
    }
    for question in questions.iter().flatten() {
        let many = if question.multi_select { ", several" } else { "" };
        let other = if question.allow_other { ", or words" } else { "" };
        let options = labels(&question.options);
        writeln!(summary, "    {:?}: {options}{many}{other}", question.question).unwrap();
    }
    if let (Some(options), None) = (options, questions) {
        writeln!(summary, "    {}", labels(options)).unwrap();
    }
    if !metadata.is_empty() {
        writeln!(summary, "    {}", Value::from(metadata.clone())).unwrap();
    }
}

fn labels(options: &[QuestionOption]) -> String {
    options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>().join(" | ")
}

fn shortened(text: &str) -> String {
    let line = text.replace('\n', "⏎");
    let mut short: String = line.chars().take(SHOWN_AT_MOST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
