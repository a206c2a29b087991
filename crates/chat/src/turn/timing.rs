//! How long a turn takes, and its first words: without the time that people take to answer.

use std::time::{Duration, Instant};

use parlor_protocol::{ProjectId, TenantId};
use parlor_storage::TurnFigures;

/// The clock of a turn.
#[derive(Debug)]
pub(super) struct TurnTiming {
    began: Instant,
    /// The time in which it waited for people.
    waited: Duration,
    /// How long its first words took.
    first: Option<Duration>,
    /// When the model was called that has said nothing yet.
    called: Option<Instant>,
    /// Whether it began before: how long it took is not known then.
    is_resumed: bool,
}

impl TurnTiming {
    /// The clock of a turn that begins now.
    pub(super) fn begin() -> Self {
        let (began, waited) = (Instant::now(), Duration::ZERO);
        Self { began, waited, first: None, called: None, is_resumed: false }
    }

    /// The turn goes on where another run of a server left it.
    pub(super) fn is_resumed(&mut self) {
        self.is_resumed = true;
    }

    /// The agent says something. This is in the path of every piece of text.
    pub(super) fn said(&mut self) {
        if self.first.is_none() {
            self.first = Some(self.took());
        }
    }

    /// The model is called.
    pub(super) fn calls_model(&mut self) {
        self.called = Some(Instant::now());
    }

    /// How long the model took that says something now, if this is the first of it. In the path of
    /// every piece of text, like [`Self::said`].
    pub(super) fn model_said(&mut self) -> Option<Duration> {
        self.called.take().map(|called| called.elapsed())
    }

    /// A person was waited for.
    pub(super) fn waited(&mut self, since: Instant) {
        self.waited += since.elapsed();
    }

    /// What the turn adds to the figures of its project, as it ends.
    pub(super) fn figures(
        &self,
        tenant: &TenantId,
        project: &ProjectId,
        error: Option<&'static str>,
    ) -> TurnFigures {
        let measured = |duration| (!self.is_resumed).then(|| milliseconds(duration));
        TurnFigures {
            tenant: tenant.clone(),
            project: project.clone(),
            first_ms: self.first.and_then(measured),
            took_ms: measured(self.took()),
            error,
        }
    }

    fn took(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.waited)
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
