//! What is printed at the end.

use std::path::Path;

use crate::chaos::Faults;
use crate::checker::{Case, percentile};
use crate::event::Body;
use crate::memory::Samples;
use crate::violation::Violation;

/// So many violations are printed; the others are in the file.
const PRINTED: usize = 40;

/// A run that is over.
pub(crate) struct Summary<'s> {
    pub(crate) seed: u64,
    pub(crate) folder: &'s Path,
    pub(crate) case: &'s Case,
    pub(crate) faults: Faults,
    pub(crate) memory: &'s [Samples],
    pub(crate) violations: &'s [Violation],
}

impl Summary<'_> {
    pub(crate) fn print(&self) {
        println!();
        self.rows().iter().for_each(|(name, value)| println!("{name:<20} {value}"));
        for (number, samples) in self.memory.iter().enumerate() {
            let thirds =
                samples.thirds().map_or("too short to judge".to_owned(), |(second, last)| {
                    format!("{} MB, then {} MB", second / 1_000, last / 1_000)
                });
            println!("memory of node {number}     at most {} MB; {thirds}", samples.most() / 1_000);
        }
        for (how, count) in &self.case.evidence.refusals {
            println!("  {count:>6} × {how}");
        }
        println!("{:<20} {}", "violations", self.violations.len());
        self.violations.iter().take(PRINTED).for_each(|violation| println!("  {violation}"));
        if self.violations.len() > PRINTED {
            println!("  … and {} more", self.violations.len() - PRINTED);
        }
        if !self.violations.is_empty() {
            println!(
                "seed {}; logs and all violations are in {}",
                self.seed,
                self.folder.display()
            );
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let evidence = &self.case.evidence;
        let acknowledged = evidence.said.values().filter(|said| said.acknowledged.is_some());
        let sum =
            |count: fn(&crate::seen::Seen) -> u64| evidence.readers.iter().map(count).sum::<u64>();
        let stop = percentile(&evidence.stops, 99).map_or("none timed".to_owned(), |time| {
            format!("{time:.1?} of {}", evidence.stops.len())
        });
        let Faults { kills, pauses, stops, servers } = self.faults;
        vec![
            ("conversations", self.case.stored.len().to_string()),
            ("messages", evidence.said.len().to_string()),
            ("acknowledged", acknowledged.count().to_string()),
            ("answers", evidence.answers.len().to_string()),
            ("tool calls", self.case.calls.len().to_string()),
            ("events", sum(|seen| seen.events).to_string()),
            ("reconnects", evidence.reconnects.to_string()),
            ("snapshots", sum(|seen| seen.snapshots).to_string()),
            ("turns", self.ends(|_| true).to_string()),
            ("interrupted turns", self.ends(|reason| reason == "interrupted").to_string()),
            ("unknown runs", self.unknown_runs().to_string()),
            ("kills of nodes", kills.to_string()),
            ("pauses of nodes", pauses.to_string()),
            ("restarts of nodes", stops.to_string()),
            ("faults of servers", servers.to_string()),
            ("stop p99", stop),
        ]
    }

    fn ends(&self, counts: impl Fn(&str) -> bool) -> usize {
        let log = self.case.stored.iter().flat_map(|stored| &stored.log);
        log.filter(|event| matches!(&event.body, Body::Done { reason, .. } if counts(reason)))
            .count()
    }

    fn unknown_runs(&self) -> usize {
        let messages = self.case.stored.iter().flat_map(|stored| &stored.messages);
        messages.filter(|message| message.code == "outcome_unknown").count()
    }
}
