//! The checker: compares what clients did and saw with what is stored, and with what tools wrote
//! down. Pure: evidence in, violations out.

mod calls;
mod events;
mod messages;
mod prompts;
mod stops;
mod texts;
mod turns;

#[cfg(test)]
mod tests;

use crate::evidence::Evidence;
use crate::stored::Stored;
use crate::tool::Call;
use crate::violation::Violation;

/// Everything that is known after a run.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) evidence: Evidence,
    pub(crate) stored: Vec<Stored>,
    pub(crate) calls: Vec<Call>,
}

/// All violations, those of a kind together.
pub(crate) fn check(case: &Case) -> Vec<Violation> {
    let mut violations = case.evidence.violations.clone();
    violations.extend(messages::check(case));
    violations.extend(events::check(case));
    violations.extend(texts::check(case));
    violations.extend(turns::check(case));
    violations.extend(prompts::check(case));
    violations.extend(calls::check(case));
    violations.extend(stops::check(&case.evidence.stops));
    violations.sort();
    violations
}

pub(crate) use stops::percentile;
