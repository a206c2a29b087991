//! Every turn has one beginning and one end, and no two run at the same time.

use std::collections::HashSet;

use super::Case;
use crate::event::Body;
use crate::stored::Stored;
use crate::violation::{Kind, Violation};

pub(super) fn check(case: &Case) -> Vec<Violation> {
    case.stored.iter().flat_map(check_one).collect()
}

fn check_one(stored: &Stored) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut violate = |kind: Kind, what: String| {
        violations.push(kind.because(format!("{}: {what}", stored.id)));
    };
    let (mut running, mut begun) = (None, HashSet::new());
    for event in &stored.log {
        match &event.body {
            Body::Start { turn, .. } => {
                if let Some(other) = running.replace(turn) {
                    violate(Kind::TurnEnds, format!("{turn} begins before {other} ends"));
                }
                if !begun.insert(turn) {
                    violate(Kind::TurnEnds, format!("{turn} begins twice"));
                }
            }
            Body::Done { turn, .. } if running.take() != Some(turn) => {
                violate(Kind::TurnEnds, format!("{turn} ends, and does not run"));
            }
            _ => {}
        }
    }
    if let Some(turn) = running {
        violate(Kind::TurnEnds, format!("{turn} has no end"));
    }
    if stored.running {
        violate(Kind::TurnStuck, "a turn still runs".to_owned());
    }
    violations
}
