//! What a reader saw is what is stored: every event, with the same content, up to where the reader
//! was; and up to the end, if it stayed.

use std::collections::{BTreeMap, HashMap};

use super::Case;
use crate::seen::Seen;
use crate::stored::Stored;
use crate::violation::{Kind, Violation};

/// Durable events by their numbers: fingerprint and name.
type Log<'c> = BTreeMap<u64, (u64, &'c str)>;

pub(super) fn check(case: &Case) -> Vec<Violation> {
    let stored: HashMap<&str, Log<'_>> =
        case.stored.iter().map(|stored| (stored.id.as_str(), log(stored))).collect();
    let none = Log::new();
    let mut violations = Vec::new();
    for seen in &case.evidence.readers {
        violations.extend(seen.violations.iter().cloned());
        let log = stored.get(seen.conversation.as_str()).unwrap_or(&none);
        violations.extend(changed(seen, log).chain(missed(seen, log)));
    }
    violations
}

fn log(stored: &Stored) -> Log<'_> {
    let durable = stored.log.iter().filter_map(|event| {
        let at = event.at.filter(|at| at.offset.is_none())?;
        Some((at.seq, (event.body.fingerprint(), event.body.name())))
    });
    durable.collect()
}

/// Events that are stored otherwise, or not at all.
fn changed<'c>(seen: &'c Seen, log: &'c Log<'_>) -> impl Iterator<Item = Violation> + 'c {
    seen.durable.iter().filter_map(|(seq, fingerprint)| {
        let what = match log.get(seq) {
            Some((stored, _)) if stored == fingerprint => return None,
            Some((_, name)) => format!("{seq} is another {name}"),
            None => format!("{seq} is not stored"),
        };
        Some(about(seen, Kind::EventChanged, &what))
    })
}

/// Events that did not come.
fn missed<'c>(seen: &'c Seen, log: &'c Log<'_>) -> impl Iterator<Item = Violation> + 'c {
    let last = if seen.stayed { u64::MAX } else { seen.last.seq };
    log.range(seen.from + 1..).filter(move |(seq, _)| **seq <= last).filter_map(
        |(seq, (_, name))| {
            let what = format!("{name} {seq}, the last is {}", seen.last);
            (!seen.durable.contains_key(seq)).then(|| about(seen, Kind::EventMissed, &what))
        },
    )
}

fn about(seen: &Seen, kind: Kind, what: &str) -> Violation {
    kind.because(format!("{} in {}: {what}", seen.reader, seen.conversation))
}
