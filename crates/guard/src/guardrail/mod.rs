//! The guardrail: looks at what comes in, before it goes to an agent.
//!
//! 1. A message that is empty, too long or no text is refused with the reason (G-4, G-6).
//! 2. The message is read in several views, so that a disguise does not help ([`normalise`]).
//! 3. Rules, which are data, are matched against each view ([`rule`], [`rules`]).
//! 4. What no rule blocks is weighed by a model ([`learned`]); a document is looked through for
//!    orders, which are a label.
//! 5. The project's policy says what a match means: it blocks or it is logged ([`policy`]).
//!
//! It fails closed: what cannot be judged is refused. Its limits, honestly: it
//! knows ways of speaking, not intentions. It makes an attack laborious; what an
//! agent may do is bounded by approvals and by its tools, not here. All matching
//! is by finite automata, so time is linear in the input whatever the input (G-9).

mod anchored;
mod ascii;
mod compile;
mod context;
mod finding;
mod flood;
pub mod learned;
mod mention;
mod negation;
mod normalise;
mod order;
pub mod policy;
pub mod rule;
mod rules;
mod scan;
mod sign_set;
mod word_set;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use parlor_protocol::{ErrorCode, Verdict};

pub use finding::{Finding, Refusal};
pub use normalise::View;
pub use normalise::views::Views;
pub use policy::{AddedRule, GuardSettings, GuardrailError, Policy};
pub use rule::{Action, Category, Rule, Sign, Stage};

use crate::checked::Checked;
use compile::Rulebook;
use context::Context;
use learned::Learned;
use scan::Judge;

/// The rules of a project, ready to be matched. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Guardrail {
    rulebook: Arc<Rulebook>,
    policy: Policy,
    max_chars: usize,
    /// Shared by all clones: a project's tools become known while it runs.
    context: Arc<RwLock<Context>>,
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
        Self::with(settings, Learned::built_in()?)
    }

    /// The same with the tables of a file in place of the built-in ones: so that a model which has
    /// not seen some sources is measured with all the other stages around it.
    pub fn with_tables(
        settings: &GuardSettings,
        tables: &'static [u8],
    ) -> Result<Self, GuardrailError> {
        Self::with(settings, Learned::parse(tables)?)
    }

    fn with(settings: &GuardSettings, learned: Learned) -> Result<Self, GuardrailError> {
        Ok(Self {
            rulebook: Arc::new(Rulebook::new(settings, learned)?),
            policy: settings.policy,
            max_chars: settings.max_chars,
            context: Arc::default(),
        })
    }

    /// Tells it the project's system prompt: a message that quotes it weighs more.
    pub fn know_prompt(&self, prompt: &str) {
        self.context.write().unwrap_or_else(PoisonError::into_inner).know_prompt(prompt);
    }

    /// Tells it the names of the project's tools, in place of those that it knew: an order that
    /// names one weighs more. Names that are plain words are left out.
    pub fn know_tools<'n>(&self, names: impl Iterator<Item = &'n str>) {
        self.context.write().unwrap_or_else(PoisonError::into_inner).know_tools(names);
    }

    /// Judges a message of a person.
    pub fn check(&self, message: &str) -> Result<Passed, Refusal> {
        self.check_form(message)?;
        let noticed = self.judge(self.policy, &self.context()).message(message);
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

    /// Judges what did not come from a person: a tool's result, a file (G-8). Code and documents
    /// are full of `exec(`, so `balanced` applies whatever the policy. A suspicious text is
    /// flagged, and under `strict` a person is asked before it goes on. What only reads like an
    /// order inside data is a label ([`Finding::is_label`]): it is flagged, and nobody is asked.
    pub fn check_document(&self, text: &str) -> (Verdict, Option<Finding>) {
        let finding = self.judge(Policy::Balanced, &self.context()).document(text);
        (self.verdict(finding.as_ref()), finding)
    }

    /// Judges the description of a tool (G-8), as a document but without labels: to say what is
    /// to be done is what descriptions are for.
    pub fn check_description(&self, text: &str) -> (Verdict, Option<Finding>) {
        let finding = self.judge(Policy::Balanced, &self.context()).description(text);
        (self.verdict(finding.as_ref()), finding)
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
        self.judge(self.policy, &self.context()).views(views)
    }

    fn verdict(&self, finding: Option<&Finding>) -> Verdict {
        match (self.policy, finding) {
            (Policy::Strict, Some(finding)) if !finding.is_label() => Verdict::Ask,
            (Policy::Strict | Policy::Balanced | Policy::Monitor, _) => Verdict::Allow,
        }
    }

    fn judge<'g>(&'g self, policy: Policy, context: &'g Context) -> Judge<'g> {
        Judge { book: &self.rulebook, context, policy }
    }

    fn context(&self) -> RwLockReadGuard<'_, Context> {
        self.context.read().unwrap_or_else(PoisonError::into_inner)
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
