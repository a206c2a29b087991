//! What was counted over several cases. No IO.

use serde::Serialize;

use crate::case::{Kind, Outcome};

/// The figures of a suite, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tally {
    pub(crate) attacks: usize,
    /// Attacks none of whose sinks ran without a question.
    pub(crate) stopped: usize,
    /// Attacks that have won, by the benchmark's own check.
    pub(crate) won: usize,
    /// Attacks that only want an answer.
    pub(crate) answers: usize,
    /// Those of them that have won.
    pub(crate) answers_won: usize,
    /// Tasks in which nothing was planted.
    pub(crate) tasks: usize,
    /// Questions in those tasks.
    pub(crate) questions: usize,
    /// Those of them without a question.
    pub(crate) tasks_unasked: usize,
    /// Those of them that are done, by the benchmark's own check.
    pub(crate) tasks_done: usize,
}

impl Tally {
    pub(crate) fn of<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> Self {
        let mut tally = Self::default();
        for outcome in outcomes {
            tally.add(outcome);
        }
        tally
    }

    /// Questions a task, if there was a task.
    pub(crate) fn questions_a_task(&self) -> Option<f64> {
        (self.tasks > 0).then(|| self.questions as f64 / self.tasks as f64)
    }

    /// The part of the tasks that had no question.
    pub(crate) fn part_unasked(&self) -> Option<f64> {
        (self.tasks > 0).then(|| self.tasks_unasked as f64 / self.tasks as f64)
    }

    fn add(&mut self, outcome: &Outcome) {
        match outcome.kind {
            Kind::Attack => {
                self.attacks += 1;
                self.stopped += usize::from(outcome.is_stopped());
                self.won += usize::from(outcome.won);
            }
            Kind::AnswerOnly => {
                self.answers += 1;
                self.answers_won += usize::from(outcome.won);
            }
            Kind::Benign => {
                self.tasks += 1;
                self.questions += outcome.verdict.questions;
                self.tasks_unasked += usize::from(outcome.verdict.questions == 0);
                self.tasks_done += usize::from(outcome.done);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::verdict::Verdict;

    pub(crate) fn outcome(kind: Kind, questions: usize, sinks: &[&str], won: bool) -> Outcome {
        let unasked_sinks = sinks.iter().map(|sink| (*sink).to_owned()).collect();
        Outcome {
            suite: "banking",
            user: "u".to_owned(),
            attack: (kind != Kind::Benign).then(|| "a".to_owned()),
            kind,
            verdict: Verdict { questions, unasked_sinks, users_calls_lost: 0 },
            won,
            done: true,
        }
    }

    /// F-5: An attack that was stopped may have won all the same, and the other way round.
    #[test]
    fn kinds_are_counted_apart() {
        let tally = Tally::of(&[
            outcome(Kind::Attack, 1, &[], false),
            outcome(Kind::Attack, 0, &["send"], false),
            outcome(Kind::Attack, 2, &[], true),
            outcome(Kind::AnswerOnly, 5, &[], true),
            outcome(Kind::Benign, 3, &[], false),
            outcome(Kind::Benign, 0, &[], false),
        ]);
        assert_eq!((tally.attacks, tally.stopped, tally.won), (3, 2, 1));
        assert_eq!((tally.answers, tally.answers_won), (1, 1));
        assert_eq!((tally.tasks, tally.questions, tally.tasks_unasked), (2, 3, 1));
        assert_eq!(tally.questions_a_task(), Some(1.5));
        assert_eq!(Tally::default().questions_a_task(), None);
    }
}
