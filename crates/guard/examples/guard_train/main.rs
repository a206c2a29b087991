//! Trains the learned stages of the guardrail and writes their tables.
//!
//! Reads the corpora of a directory, trains a table for messages and one for documents, chooses
//! their thresholds, and writes both with their provenance beside the code that reads them. The
//! same input makes the same bytes; `--check` compares them with what is there and writes
//! nothing. Run it as `cargo xtask guard-train [DIR] [--check]`.
//!
//! Sources are held out as a whole wherever something is chosen or reported, because a model
//! knows the style of a source that it has seen.

mod corpus;
mod model;
mod report;
mod solver;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use corpus::{Input, Text};
use model::{Recipe, Windows};
use report::{Bounds, Scored};
use serde_json::{Value, json};

const MESSAGES: Recipe = Recipe { name: "messages", bits: 18, window: 400, cost: 0.5, sources: 3 };
const DOCUMENTS: Recipe = Recipe { name: "documents", bits: 16, window: 40, cost: 0.5, sources: 2 };

/// What the learned stage for messages may add to the false alarms of the rules.
const MESSAGE_BOUNDS: Bounds = Bounds { whole: 0.0025, worst: 0.02, rows: 100 };
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

    let (message_table, message_figures) = train_messages(&messages, &measuring);
    let (document_table, document_figures) = train_documents(messages, mails, &measuring);
    let tables = [message_table, document_table].concat();
    let provenance = serde_json::to_string_pretty(&json!({
        "about": "Made by `cargo xtask guard-train`; docs/guard.md explains it. Figures are in rows and per cent; unseen: by models that were trained without the group of sources.",
        "inputs": inputs.iter().map(described).collect::<Vec<_>>(),
        "messages": message_figures,
        "documents": document_figures,
    }))? + "\n";
    println!("{provenance}");
    write_or_compare(&tables, &provenance, check)
}

fn train_messages(texts: &[Text], measuring: &[Text]) -> (Vec<u8>, Value) {
    let windows = Windows::of(texts, MESSAGES);
    let table = windows.train(texts, MESSAGES, &|_| true);
    let by_rules = |text: &Text| text.blocked;
    let unseen = Scored {
        texts: texts.iter().collect(),
        scores: model::unseen_scores(texts, &windows, MESSAGES),
        by_rules,
    };
    let measured = Scored {
        texts: measuring.iter().collect(),
        scores: model::scores(&table, measuring.iter()),
        by_rules,
    };
    // The worst source decides; sources that the model was not trained on decide too.
    let unseen_bounds = Bounds { worst: 0.03, ..MESSAGE_BOUNDS };
    let threshold = measured.threshold(MESSAGE_BOUNDS).max(unseen.threshold(unseen_bounds));
    let figures = figures(MESSAGES, threshold, &unseen, &measured);
    (model::with_threshold(table, threshold), figures)
}

/// Mails are the documents that there are; other attacks are in them too.
fn train_documents(messages: Vec<Text>, mails: Vec<Text>, measuring: &[Text]) -> (Vec<u8>, Value) {
    let texts: Vec<Text> = messages.into_iter().chain(mails).collect();
    let windows = Windows::of(&texts, DOCUMENTS);
    let table = windows.train(&texts, DOCUMENTS, &|_| true);
    let is_document =
        |text: &&Text| text.source == MAILS || DOCUMENT_SOURCES.contains(&&*text.source);
    let all = model::unseen_scores(&texts, &windows, DOCUMENTS);
    let (documents, scores) = texts.iter().zip(all).filter(|(text, _)| is_document(text)).unzip();
    let by_rules = |text: &Text| text.suspicious;
    let unseen = Scored { texts: documents, scores, by_rules };
    let measured_texts: Vec<&Text> = measuring.iter().filter(is_document).collect();
    let scores = model::scores(&table, measured_texts.iter().copied());
    let measured = Scored { texts: measured_texts, scores, by_rules };
    let threshold = measured.threshold(DOCUMENT_BOUNDS).max(unseen.threshold(DOCUMENT_BOUNDS));
    let mut figures = figures(DOCUMENTS, threshold, &unseen, &measured);
    let mails: Vec<&Text> = texts.iter().filter(|text| text.source == MAILS).collect();
    let scores = model::scores(&table, mails.iter().copied());
    let trained = Scored { texts: mails, scores, by_rules };
    figures["e-mails that it was trained on"] =
        trained.figures(threshold)["attacks caught"].clone();
    (model::with_threshold(table, threshold), figures)
}

fn figures(recipe: Recipe, threshold: f32, unseen: &Scored<'_>, measured: &Scored<'_>) -> Value {
    println!("{}: threshold {threshold}", recipe.name);
    json!({
        "threshold": threshold,
        "bits": recipe.bits, "window": recipe.window, "cost": recipe.cost,
        "groups of sources for a feature": recipe.sources, "folds": model::FOLDS,
        "unseen sources": unseen.figures(threshold),
        "for measuring": measured.figures(threshold),
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
