//! Trains the learned stages of the guardrail and writes their tables.
//!
//! Reads the corpora of a directory, trains a table for messages and one for documents, chooses
//! their thresholds, and writes both with their provenance beside the code that reads them. The
//! same input makes the same bytes; `--check` compares them with what is there and writes
//! nothing. Run it as `cargo xtask guard-train [DIR] [--check]`.
//!
//! Sources are held out as a whole wherever something is chosen or reported, because a model
//! knows the style of a source that it has seen ([`folds`]).

mod corpus;
mod folds;
mod model;
mod report;
mod solver;

use std::io::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use corpus::{Input, Text};
use data_encoding::HEXLOWER;
use folds::{Made, Task};
use model::Recipe;
use report::{Bounds, figures};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const MESSAGES: Recipe = Recipe { name: "messages", bits: 18, window: 400, cost: 0.5, sources: 3 };
const DOCUMENTS: Recipe = Recipe { name: "documents", bits: 16, window: 40, cost: 0.5, sources: 2 };

/// How many innocent messages may be stopped, by all stages together.
const MESSAGE_BOUNDS: Bounds = Bounds { whole: 0.005, worst: 0.03, rows: 100 };
/// The same for documents, where a finding is a label.
const DOCUMENT_BOUNDS: Bounds = Bounds { whole: 0.01, worst: 0.02, rows: 100 };
/// What is not a message, and what holds documents.
const MAILS: &str = "armor_llmail-inject";
const DOCUMENT_SOURCES: &[&str] = &["bipia_ctx", "t0_p3", "injecguard_valid", "hn_voltagent"];

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let (mut dir, mut check) = (None, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => check = true,
            name if !name.starts_with('-') && dir.is_none() => dir = Some(PathBuf::from(name)),
            _ => return Err("usage: guard-train [DIR] [--check]".into()),
        }
    }
    let dir = dir.unwrap_or_else(|| PathBuf::from("../shared/guard"));
    let (mut training, mut inputs) = corpus::read(&dir, corpus::TRAINING)?;
    let (measuring, measured) = corpus::read(&dir, corpus::MEASURING)?;
    inputs.extend(measured);
    training.extend(corpus::innocent()?);
    let made = corpus::disguised(&training);
    training.extend(made);
    let (mails, messages): (Vec<Text>, Vec<Text>) =
        training.into_iter().partition(|text| text.source == MAILS);

    let (message_table, message_figures) = train_messages(&messages, &measuring)?;
    let (document_table, document_figures) = train_documents(messages, mails, &measuring)?;
    let tables = [message_table, document_table].concat();
    let provenance = serde_json::to_string_pretty(&json!({
        "about": "Made by `cargo xtask guard-train`; docs/guard.md explains it. Figures are in rows and per cent; unseen: by models that were trained without the group of sources.",
        "table": {"sha256": HEXLOWER.encode(&Sha256::digest(&tables)), "bytes": tables.len()},
        "inputs": inputs.iter().map(described).collect::<Vec<_>>(),
        "messages": message_figures,
        "documents": document_figures,
    }))? + "\n";
    println!("{provenance}");
    write_or_compare(&tables, &provenance, check)
}

fn train_messages(texts: &[Text], measuring: &[Text]) -> Result<(Vec<u8>, Value), Error> {
    let task = Task {
        recipe: MESSAGES,
        texts,
        measuring,
        is_counted: |_| true,
        without: |text| text.blocked,
        measured: MESSAGE_BOUNDS,
        unseen: MESSAGE_BOUNDS,
        judge: folds::as_messages,
    };
    let made = task.run()?;
    let figures = described_table(MESSAGES, &made);
    Ok((made.table, figures))
}

/// Mails are the documents that there are; other attacks are in them too.
fn train_documents(
    messages: Vec<Text>,
    mails: Vec<Text>,
    measuring: &[Text],
) -> Result<(Vec<u8>, Value), Error> {
    let texts: Vec<Text> = messages.into_iter().chain(mails).collect();
    let task = Task {
        recipe: DOCUMENTS,
        texts: &texts,
        measuring,
        is_counted: |text| text.source == MAILS || DOCUMENT_SOURCES.contains(&&*text.source),
        without: |text| text.suspicious,
        measured: DOCUMENT_BOUNDS,
        unseen: DOCUMENT_BOUNDS,
        judge: folds::as_documents,
    };
    let made = task.run()?;
    let mut described = described_table(DOCUMENTS, &made);
    let mails = texts.iter().filter(|text| text.source == MAILS && !text.made).collect();
    let trained = task.judged(made.table.clone(), mails)?;
    described["e-mails that it was trained on"] = figures(&trained)["attacks caught"].clone();
    Ok((made.table, described))
}

fn described_table(recipe: Recipe, made: &Made<'_>) -> Value {
    println!("{}: threshold {}, of folds {:?}", recipe.name, made.threshold, made.thresholds);
    json!({
        "threshold": made.threshold,
        "bits": recipe.bits, "window": recipe.window, "cost": recipe.cost,
        "groups of sources for a feature": recipe.sources,
        "thresholds of folds": made.thresholds,
        "unseen sources": figures(&made.unseen),
        "for measuring": figures(&made.measured),
    })
}

fn described(input: &Input) -> Value {
    json!({"file": input.name, "rows": input.rows, "sha256": input.sha256, "licences": input.licences})
}

fn write_or_compare(
    tables: &[u8],
    provenance: &str,
    check: bool,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guardrail/learned");
    let (table_file, provenance_file) = (folder.join("table.bin"), folder.join("provenance.json"));
    if !check {
        std::fs::write(table_file, tables)?;
        std::fs::write(provenance_file, provenance)?;
        return Ok(ExitCode::SUCCESS);
    }
    let same = std::fs::read(table_file)? == tables
        && std::fs::read_to_string(provenance_file)? == provenance;
    println!("{}", if same { "the tables are the same" } else { "the tables differ" });
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
