//! Measures the guardrail on labelled messages: what it catches and whom it disturbs.
//!
//! Reads a file of `{"text", "label", "source", "kind"}` lines (label 1 is an
//! attempt) and prints recall and false-positive rate, whole and per source and
//! kind, the rules that blocked, and the time per message. With `--show`, the
//! rows that it got wrong follow. With `--documents`, each text is judged as a tool's
//! result, and flagged counts as blocked. Run it as `cargo xtask guard-eval FILE`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use parlor_guard::guardrail::{GuardSettings, Guardrail, Policy};
use serde::Deserialize;

const USAGE: &str =
    "usage: guard-eval FILE.jsonl [--policy strict|balanced|monitor] [--documents] [--show]";

#[derive(Deserialize)]
struct Row {
    text: String,
    label: u8,
    #[serde(default)]
    source: String,
    #[serde(default)]
    kind: String,
}

#[derive(Default)]
struct Tally {
    attacks: usize,
    caught: usize,
    benign: usize,
    disturbed: usize,
}

impl Tally {
    fn count(&mut self, attack: bool, blocked: bool) {
        if attack {
            self.attacks += 1;
            self.caught += usize::from(blocked);
        } else {
            self.benign += 1;
            self.disturbed += usize::from(blocked);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Arguments { file, policy, documents, show } = arguments()?;
    // A row may be longer than a message may be; length is not what is measured.
    let settings = GuardSettings { policy, max_chars: usize::MAX, ..GuardSettings::default() };
    let guardrail = Guardrail::new(&settings)?;

    let (mut whole, mut groups) = (Tally::default(), BTreeMap::<String, Tally>::new());
    let mut rules = BTreeMap::<String, (usize, usize)>::new();
    let mut times = Vec::new();
    let mut characters = 0;
    let mut wrong = Vec::new();
    for line in BufReader::new(std::fs::File::open(&file)?).lines() {
        let row: Row = serde_json::from_str(&line?)?;
        let start = Instant::now();
        let found = if documents {
            guardrail.check_document(&row.text).1
        } else {
            guardrail.check(&row.text).err().and_then(|refusal| refusal.finding)
        };
        times.push(start.elapsed());
        characters += row.text.chars().count();

        let (attack, finding) = (row.label == 1, found);
        let blocked = finding.is_some();
        whole.count(attack, blocked);
        groups.entry(format!("{} / {}", row.source, row.kind)).or_default().count(attack, blocked);
        if let Some(finding) = &finding {
            let by_rule = rules.entry(finding.rule.to_string()).or_default();
            if attack { by_rule.0 += 1 } else { by_rule.1 += 1 }
        }
        if show && attack != blocked {
            let rule = finding.map_or_else(
                || "-".to_owned(),
                |f| format!("{} ({}) {:?}", f.rule, f.view.as_str(), f.words),
            );
            let text: String = row.text.chars().take(300).collect();
            wrong.push(format!(
                "{} {rule} [{}] {text:?}",
                if attack { "missed" } else { "disturbed" },
                row.source
            ));
        }
    }

    print_table(&groups, &whole);
    print_rules(&rules);
    print_times(times, characters);
    wrong.iter().for_each(|line| println!("{line}"));
    Ok(())
}

struct Arguments {
    file: String,
    policy: Policy,
    documents: bool,
    show: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut policy, mut documents, mut show) = (None, Policy::Balanced, false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--show" => show = true,
            "--documents" => documents = true,
            "--policy" => {
                policy = match arguments.next().as_deref() {
                    Some("strict") => Policy::Strict,
                    Some("balanced") => Policy::Balanced,
                    Some("monitor") => Policy::Monitor,
                    _ => return Err(USAGE.into()),
                }
            }
            name if !name.starts_with('-') && file.is_none() => file = Some(argument),
            _ => return Err(USAGE.into()),
        }
    }
    let file = file.ok_or(USAGE)?;
    Ok(Arguments { file, policy, documents, show })
}

fn print_table(groups: &BTreeMap<String, Tally>, whole: &Tally) {
    println!("{:<44} {:>16} {:>20}", "source / kind", "attacks caught", "benign disturbed");
    for (name, tally) in groups {
        print_row(name, tally);
    }
    print_row("all", whole);
}

fn print_row(name: &str, tally: &Tally) {
    println!(
        "{name:<44} {:>16} {:>20}",
        share(tally.caught, tally.attacks),
        share(tally.disturbed, tally.benign)
    );
}

fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".into();
    }
    format!("{part}/{whole} {:.2}%", 100.0 * part as f64 / whole as f64)
}

fn print_rules(rules: &BTreeMap<String, (usize, usize)>) {
    println!("\n{:<44} {:>8} {:>8}", "rule that blocked first", "attacks", "benign");
    for (rule, (attacks, benign)) in rules {
        println!("{rule:<44} {attacks:>8} {benign:>8}");
    }
}

fn print_times(mut times: Vec<Duration>, characters: usize) {
    times.sort();
    let Some(last) = times.len().checked_sub(1) else { return println!("\nno rows") };
    let total: Duration = times.iter().sum();
    println!(
        "\ntime per message: mean {:.1?}, median {:.1?}, 99 % {:.1?}, most {:.1?}; {:.1} ns a character",
        total / times.len() as u32,
        times[last / 2],
        times[last * 99 / 100],
        times[last],
        total.as_nanos() as f64 / characters as f64,
    );
}
