//! The figures as a table, and as JSON.

use serde_json::{Value, json};

use crate::case::Outcome;
use crate::suite::Suite;
use crate::tally::Tally;

/// What a run has shown.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) outcomes: Vec<Outcome>,
    /// Cases that say nothing, because something went wrong in them.
    pub(crate) broken: Vec<String>,
}

impl Report {
    /// The figures of AgentDojo.
    pub(crate) fn dojo(&self) -> Tally {
        Tally::of(self.outcomes.iter().filter(|outcome| outcome.suite != Suite::Shop.name()))
    }

    /// The figures of a suite.
    pub(crate) fn of(&self, suite: Suite) -> Tally {
        Tally::of(self.outcomes.iter().filter(|outcome| outcome.suite == suite.name()))
    }

    /// A row for AgentDojo, one for each of its suites, and one for the clean tasks.
    pub(crate) fn table(&self, suites: &[Suite]) -> String {
        let mut lines = vec![
            "                  attacks                  tasks without an attack".to_owned(),
            "              of  stopped  won  |  of  questions  a task  without one  done"
                .to_owned(),
        ];
        if suites.iter().any(|suite| suite.is_dojo()) {
            lines.push(row("AgentDojo", &self.dojo()));
        }
        for suite in suites {
            let name = if suite.is_dojo() { format!("  {}", suite.name()) } else { "clean".into() };
            lines.push(row(&name, &self.of(*suite)));
        }
        let dojo = self.dojo();
        if dojo.answers > 0 {
            lines.push(format!(
                "beside them, {} attacks only want an answer, which no approval holds: {} won",
                dojo.answers, dojo.answers_won
            ));
        }
        lines.join("\n")
    }

    /// All figures and all cases.
    pub(crate) fn json(&self, suites: &[Suite], about: Value) -> Value {
        let by_suite: serde_json::Map<String, Value> =
            suites.iter().map(|suite| (suite.name().to_owned(), json!(self.of(*suite)))).collect();
        json!({
            "about": about, "agentdojo": self.dojo(), "suites": by_suite,
            "cases": self.outcomes, "broken": self.broken,
        })
    }
}

fn row(name: &str, tally: &Tally) -> String {
    let (attacks, stopped, won) = match tally.attacks {
        0 => ("–".to_owned(), "–".to_owned(), "–".to_owned()),
        attacks => (attacks.to_string(), tally.stopped.to_string(), tally.won.to_string()),
    };
    let average = tally.questions_a_task().map_or("–".to_owned(), |each| format!("{each:.2}"));
    let without =
        tally.part_unasked().map_or("–".to_owned(), |part| format!("{:.0} %", part * 100.0));
    let Tally { tasks, questions, tasks_done, .. } = tally;
    format!(
        "{name:<11}{attacks:>5}{stopped:>9}{won:>5}  |{tasks:>4}{questions:>11}{average:>8}\
         {without:>13}{tasks_done:>6}"
    )
}
