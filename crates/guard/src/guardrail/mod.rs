//! The guardrail: looks at what comes in, before it goes to an agent.
//!
//! 1. A message that is empty, too long or no text is refused with the reason (G-4, G-6).
//! 2. The message is read in several views, so that a disguise does not help ([`normalise`]).
//! 3. Rules, which are data, are matched against each view ([`rule`], [`rules`]).
//! 4. The project's policy says what a match means: it blocks or it is logged ([`policy`]).
//!
//! It fails closed: what cannot be judged is refused. Its limits, honestly: it
//! knows ways of speaking, not intentions. It makes an attack laborious; what an
//! agent may do is bounded by approvals and by its tools, not here. All matching
//! is by finite automata, so time is linear in the input whatever the input (G-9).

mod anchored;
mod ascii;
mod compile;
mod finding;
mod mention;
mod normalise;
pub mod policy;
pub mod rule;
mod rules;
mod scan;
mod sign_set;
mod word_set;

use std::sync::Arc;

use parlor_protocol::{ErrorCode, Verdict};

pub use finding::{Finding, Refusal};
pub use normalise::View;
pub use normalise::views::Views;
pub use policy::{AddedRule, GuardSettings, GuardrailError, Policy};
pub use rule::{Action, Category, Rule, Sign};

use crate::checked::Checked;
use compile::Rulebook;

/// The rules of a project, ready to be matched. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Guardrail {
    rulebook: Arc<Rulebook>,
    policy: Policy,
    max_chars: usize,
}

/// Something that holds texts which a person typed.
pub trait Typed {
    /// Every text that a person typed into it, in order.
    fn typed(&self) -> Vec<&str>;
}

/// A message that may go to the agent, and what was noticed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The person's own text, unchanged.
    pub text: Checked<String>,
    /// A match that the policy only logs.
    pub noticed: Option<Finding>,
}

impl Guardrail {
    /// Compiles the rules that a project's settings leave in force.
    pub fn new(settings: &GuardSettings) -> Result<Self, GuardrailError> {
        Ok(Self {
            rulebook: Arc::new(Rulebook::new(settings)?),
            policy: settings.policy,
            max_chars: settings.max_chars,
        })
    }

    /// Judges a message of a person.
    pub fn check(&self, message: &str) -> Result<Passed, Refusal> {
        self.check_form(message)?;
        let noticed = self.find(message, self.policy);
        match noticed {
            Some(finding) if finding.action == Action::Block => Err(Refusal::blocked(finding)),
            noticed => Ok(Passed { text: Checked::new(message.to_owned()), noticed }),
        }
    }

    /// Judges the text beside an image. Unlike a message, it may be empty.
    pub fn check_caption(&self, text: &str) -> Result<Passed, Refusal> {
        match self.check(text) {
            Err(Refusal { code: ErrorCode::InputEmpty, .. }) => {
                Ok(Passed { text: Checked::new(text.to_owned()), noticed: None })
            }
            judged => judged,
        }
    }

    /// Judges everything that a person typed into an answer (G-8). Each text that matched
    /// a rule is reported to `found`, also if the answer is refused.
    pub fn check_answer<A: Typed>(
        &self,
        answer: A,
        mut found: impl FnMut(&str, &Finding),
    ) -> Result<Checked<A>, Refusal> {
        for text in answer.typed().into_iter().filter(|text| !text.trim().is_empty()) {
            let judged = self.check(text);
            let finding = match &judged {
                Ok(passed) => passed.noticed.as_ref(),
                Err(refusal) => refusal.finding.as_ref(),
            };
            if let Some(finding) = finding {
                found(text, finding);
            }
            judged?;
        }
        Ok(Checked::new(answer))
    }

    /// Judges what did not come from a person: a tool's result, a tool's
    /// description (G-8). Code and documents are full of `exec(`, so `balanced`
    /// applies whatever the policy. A suspicious text is flagged, and under
    /// `strict` a person is asked before it goes on.
    pub fn check_document(&self, text: &str) -> (Verdict, Option<Finding>) {
        let suspicious =
            self.find(text, Policy::Balanced).filter(|finding| finding.action == Action::Block);
        let verdict = match (self.policy, &suspicious) {
            (Policy::Strict, Some(_)) => Verdict::Ask,
            (Policy::Strict | Policy::Balanced | Policy::Monitor, _) => Verdict::Allow,
        };
        (verdict, suspicious)
    }

    /// Every rule of the catalogue, in the order in which they are matched.
    pub fn catalogue() -> impl Iterator<Item = &'static Rule> {
        rules::all()
    }

    /// What the rule `jailbreak.signs_together` counts.
    pub fn signs() -> &'static [Sign] {
        rules::SIGNS
    }

    /// What the rules find in views that were made beforehand, for measuring them.
    pub fn find_in(&self, views: &Views) -> Option<Finding> {
        scan::first_finding_in(&self.rulebook, self.policy, views)
    }

    fn find(&self, text: &str, policy: Policy) -> Option<Finding> {
        scan::first_finding(&self.rulebook, policy, text)
    }

    /// G-4 and G-6: what is refused without being read.
    fn check_form(&self, message: &str) -> Result<(), Refusal> {
        let nothing_to_read = |c: char| c.is_whitespace() || normalise::chars::is_invisible(c);
        if message.chars().all(nothing_to_read) && !message.contains('\0') {
            return Err(Refusal::of_form(ErrorCode::InputEmpty, "The message is empty.".into()));
        }
        if message.len() > self.max_chars && message.chars().nth(self.max_chars).is_some() {
            return Err(Refusal::of_form(
                ErrorCode::InputTooLong,
                format!("The message is longer than {} characters.", self.max_chars),
            ));
        }
        if message.contains('\0') {
            return Err(Refusal::of_form(
                ErrorCode::InputMalformed,
                "The message holds a NUL character; please remove it.".into(),
            ));
        }
        Ok(())
    }
}
