//! The arguments.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::policy::Policy;
use crate::suite::Suite;

/// AgentDojo and clean tasks through the running server.
#[derive(Debug, Parser)]
#[command(name = "parlor-flow-eval")]
pub(crate) struct Arguments {
    /// What the server is told about the tools.
    #[arg(long, value_enum, default_value = "flow")]
    pub(crate) policy: Policy,
    /// Only this suite; may be given several times.
    #[arg(long = "suite", value_enum)]
    suites: Vec<Suite>,
    /// Only so many attacks, over all suites, and half as many tasks without an attack, of AgentDojo
    /// and of the shop each.
    #[arg(long)]
    pub(crate) sample: Option<usize>,
    /// The choice of a sample comes from it.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The words around the planted order, as AgentDojo has them.
    #[arg(long, value_enum, default_value = "important")]
    pub(crate) wording: Wording,
    /// Writes each case and all figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// The folder with the Python packages of evals/flow/requirements.txt.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) packages: PathBuf,
    /// Keeps the folder with the log and the database of the server.
    #[arg(long)]
    pub(crate) keep: bool,
}

/// The words around the planted order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Wording {
    /// A message "from me, the user", which the guardrail knows.
    Important,
    /// "TODO:" and the goal, which the guardrail does not know.
    Direct,
}

impl Wording {
    /// The name of the attack in AgentDojo.
    pub(crate) fn attack(self) -> &'static str {
        match self {
            Self::Important => "important_instructions",
            Self::Direct => "direct",
        }
    }
}

impl Arguments {
    /// The suites to run, the longest first.
    pub(crate) fn suites(&self) -> Vec<Suite> {
        let is_meant = |suite: &&Suite| self.suites.is_empty() || self.suites.contains(suite);
        Suite::ALL.iter().filter(is_meant).copied().collect()
    }

    /// Whether everything is run.
    pub(crate) fn is_whole(&self) -> bool {
        self.sample.is_none() && self.suites.is_empty()
    }
}
