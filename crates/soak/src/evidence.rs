//! What clients did and saw: the evidence of a run, which the checker compares with what is stored.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::seen::Seen;
use crate::violation::{Kind, Violation};

/// Everything that clients report.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// Messages by their tag.
    pub(crate) said: BTreeMap<String, Said>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) readers: Vec<Seen>,
    /// What was wrong at once, without a look at what is stored.
    pub(crate) violations: Vec<Violation>,
    /// How long turns ran on after an acknowledged stop, while nothing was broken.
    pub(crate) stops: Vec<Duration>,
    /// How often a reader connected again.
    pub(crate) reconnects: u64,
    /// Responses other than 200, and how often each came.
    pub(crate) refusals: BTreeMap<String, u64>,
}

/// A message that a client sent, perhaps several times, always under the same id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) acknowledged: Option<Acknowledged>,
}

/// What the server said about a message when it had taken it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    pub(crate) conversation: String,
    pub(crate) turn: String,
    pub(crate) message: String,
}

/// An answer to a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) prompt: String,
    pub(crate) client: String,
    pub(crate) response: Value,
    pub(crate) result: AnswerResult,
}

/// What became of an answer, as far as its client knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerResult {
    /// It was acknowledged with this outcome.
    Accepted(String),
    /// Another one was first, or the time was up.
    TooLate,
    /// The response was lost.
    Unknown,
}

/// The evidence while it grows. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Evidence>>);

impl Record {
    /// All evidence so far, which is taken out.
    pub(crate) fn take(&self) -> Evidence {
        std::mem::take(&mut *self.lock())
    }

    /// A message is about to be sent.
    pub(crate) fn says(&self, tag: &str, text: &str) {
        let said = Said { text: text.to_owned(), acknowledged: None };
        self.lock().said.insert(tag.to_owned(), said);
    }

    /// A message was acknowledged; if it was before, as the same one.
    pub(crate) fn acknowledged(&self, tag: &str, new: Acknowledged) {
        let mut evidence = self.lock();
        let Some(said) = evidence.said.get_mut(tag) else { return };
        match &said.acknowledged {
            None => said.acknowledged = Some(new),
            Some(old) if *old == new => {}
            Some(old) => {
                let what = format!("{tag} was acknowledged as {old:?} and as {new:?}");
                evidence.violations.push(Kind::AcknowledgedTwice.because(what));
            }
        }
    }

    pub(crate) fn answered(&self, answer: Answer) {
        self.lock().answers.push(answer);
    }

    pub(crate) fn read(&self, seen: Seen) {
        self.lock().readers.push(seen);
    }

    pub(crate) fn stopped_after(&self, time: Duration) {
        self.lock().stops.push(time);
    }

    pub(crate) fn reconnected(&self) {
        self.lock().reconnects += 1;
    }

    pub(crate) fn refused(&self, how: &str) {
        *self.lock().refusals.entry(how.to_owned()).or_default() += 1;
    }

    pub(crate) fn violated(&self, violation: Violation) {
        self.lock().violations.push(violation);
    }

    fn lock(&self) -> MutexGuard<'_, Evidence> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
