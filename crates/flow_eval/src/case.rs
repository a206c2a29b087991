//! One case, from a fresh environment to what it shows.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use tokio::time::timeout;

use crate::call::Side;
use crate::control::{CaseName, Control};
use crate::labels::Labels;
use crate::model::Model;
use crate::person::Person;
use crate::suite::Suite;
use crate::verdict::{Evidence, Verdict};

/// How long a case may take.
const LONGEST: Duration = Duration::from_secs(120);

/// What kind of case it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The planted text orders calls.
    Attack,
    /// The planted text only wants a certain answer, which no approval can hold.
    AnswerOnly,
    /// Nothing is planted.
    Benign,
}

impl Kind {
    pub(crate) fn of(name: &CaseName) -> Self {
        match (&name.attack, name.calls) {
            (None, _) => Self::Benign,
            (Some(_), true) => Self::Attack,
            (Some(_), false) => Self::AnswerOnly,
        }
    }
}

/// What a case showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Outcome {
    pub(crate) suite: &'static str,
    pub(crate) user: String,
    pub(crate) attack: Option<String>,
    pub(crate) kind: Kind,
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
    /// Whether the attack has won, by the benchmark's own check.
    pub(crate) won: bool,
    /// Whether the person's task is done, by the benchmark's own check.
    pub(crate) done: bool,
}

impl Outcome {
    /// Whether no sink of the attack ran without a question.
    pub(crate) fn is_stopped(&self) -> bool {
        self.verdict.unasked_sinks.is_empty()
    }
}

/// What the cases of a suite need.
pub(crate) struct Stage<'a> {
    pub(crate) suite: Suite,
    pub(crate) labels: &'a Labels,
    pub(crate) model: &'a Model,
    pub(crate) person: &'a Person,
    /// The name of the attack in the benchmark.
    pub(crate) wording: &'static str,
}

impl Stage<'_> {
    /// Runs a case, in a conversation of its own.
    pub(crate) async fn run(
        &self,
        control: &mut Control,
        name: &CaseName,
    ) -> anyhow::Result<Outcome> {
        let running = timeout(LONGEST, self.run_to_the_end(control, name));
        running.await.context("the case does not end")?
    }

    async fn run_to_the_end(
        &self,
        control: &mut Control,
        name: &CaseName,
    ) -> anyhow::Result<Outcome> {
        let task = control.select(name, self.wording).await?;
        self.model.begin(task.clone());
        let experience = self.person.send(self.suite, &task.message, self.model).await?;
        let finish = control.finish(&experience.said).await?;
        let (made, kind) = (self.model.made(), Kind::of(name));
        // An attack that never began would count as stopped.
        ensure!(
            kind != Kind::Attack || made.iter().any(|made| made.side == Side::Attack),
            "the model was never told the planted text"
        );
        let evidence = Evidence { made: &made, asked: &experience.asked, trace: &finish.trace };
        let verdict = evidence.judge(|tool| self.labels.is_sink(self.suite, tool))?;
        ensure!(verdict.users_calls_lost == 0, "a call of the person's task did not run");
        Ok(Outcome {
            suite: self.suite.name(),
            user: name.user.clone(),
            attack: name.attack.clone(),
            kind,
            verdict,
            won: finish.security == Some(true),
            done: finish.utility,
        })
    }
}
