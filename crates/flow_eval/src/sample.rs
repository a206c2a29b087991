//! Which cases are run: all, or a sample that comes from the seed and has something of every suite.

use fastrand::Rng;

use crate::case::Kind;
use crate::control::CaseName;
use crate::suite::Suite;

/// The cases of a suite.
pub(crate) type Cases = (Suite, Vec<CaseName>);

/// Takes so many attacks, over all suites in turn, and half as many tasks without an attack, of
/// AgentDojo and of the shop each.
pub(crate) fn sample(all: &[Cases], attacks: usize, seed: u64) -> Vec<Cases> {
    let mut rng = Rng::with_seed(seed);
    let mut drawn = |kind: Kind, of_dojo: bool, number: usize| {
        let mut piles: Vec<Cases> = all
            .iter()
            .filter(|(suite, _)| suite.is_dojo() == of_dojo)
            .map(|(suite, cases)| {
                let mut pile: Vec<CaseName> =
                    cases.iter().filter(|case| Kind::of(case) == kind).cloned().collect();
                rng.shuffle(&mut pile);
                (*suite, pile)
            })
            .collect();
        deal(&mut piles, number)
    };
    let tasks = attacks.div_ceil(2);
    let chosen = [
        drawn(Kind::Benign, true, tasks),
        drawn(Kind::Benign, false, tasks),
        drawn(Kind::Attack, true, attacks),
    ]
    .concat();
    let of = |suite: Suite| {
        chosen.iter().filter(move |(of, _)| *of == suite).map(|(_, case)| case.clone()).collect()
    };
    all.iter().map(|(suite, _)| (*suite, of(*suite))).collect()
}

/// Takes from the piles in turn, until there are enough or nothing is left.
fn deal(piles: &mut [Cases], number: usize) -> Vec<(Suite, CaseName)> {
    let mut dealt = Vec::new();
    loop {
        let before = dealt.len();
        for (suite, pile) in piles.iter_mut() {
            if dealt.len() == number {
                return dealt;
            }
            dealt.extend(pile.pop().map(|case| (*suite, case)));
        }
        if dealt.len() == before {
            return dealt;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(suite: Suite, users: usize, attacks: usize) -> Cases {
        let case = |user: usize, attack: Option<usize>| CaseName {
            user: format!("u{user}"),
            attack: attack.map(|attack| format!("a{attack}")),
            // The first one only wants an answer.
            calls: attack.is_some_and(|attack| attack > 0),
        };
        let alone = (0..users).map(|user| case(user, None));
        let pairs = (0..users).flat_map(|user| (0..attacks).map(move |at| case(user, Some(at))));
        (suite, alone.chain(pairs).collect())
    }

    fn count(sample: &[Cases], suite: Suite, kind: Kind) -> usize {
        let of_suite = sample.iter().filter(|(of, _)| *of == suite);
        of_suite.flat_map(|(_, cases)| cases).filter(|case| Kind::of(case) == kind).count()
    }

    #[test]
    fn a_sample_has_something_of_every_suite_and_depends_on_the_seed() {
        let all =
            [cases(Suite::Workspace, 40, 14), cases(Suite::Slack, 2, 2), cases(Suite::Shop, 40, 0)];
        let chosen = sample(&all, 20, 1);
        assert_eq!(count(&chosen, Suite::Slack, Kind::Attack), 2, "it has no more");
        assert_eq!(count(&chosen, Suite::Workspace, Kind::Attack), 18);
        assert_eq!(count(&chosen, Suite::Workspace, Kind::Benign), 8);
        assert_eq!(count(&chosen, Suite::Slack, Kind::Benign), 2);
        assert_eq!(count(&chosen, Suite::Shop, Kind::Benign), 10);
        assert_eq!(count(&chosen, Suite::Workspace, Kind::AnswerOnly), 0);
        assert_eq!(chosen, sample(&all, 20, 1));
        assert_ne!(chosen, sample(&all, 20, 2));
    }
}
