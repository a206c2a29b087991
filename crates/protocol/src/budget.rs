//! Budgets: how much a person, a project or a tenant may use in a day or a month (Y-3).

use serde::{Deserialize, Serialize};

use crate::ids::ProjectId;
use crate::timestamp::Timestamp;

/// Whose budget it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum BudgetScope {
    /// A person's; all who use the shared account are one.
    Person,
    /// A project's, whoever asks.
    Project,
    /// A tenant's, in all its projects.
    Tenant,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Measure {
    /// Messages that began a turn.
    Messages,
    /// Tokens that models read and wrote.
    Tokens,
    /// Dollars.
    CostUsd,
    /// Minutes in which an agent worked on a turn.
    AgentMinutes,
}

/// How long a budget lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Period {
    /// From midnight to midnight, where the tenant is.
    Day,
    /// From the first of a month to that of the next one.
    Month,
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpentBudget {
    /// Whose it is.
    pub scope: BudgetScope,
    /// What is counted.
    pub measure: Measure,
    /// How long it lasts.
    pub period: Period,
    /// When the next one begins.
    pub ends_at: Timestamp,
}

/// How much of a budget is used, for whom it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct BudgetUse {
    /// Whose it is.
    pub scope: BudgetScope,
    /// The project, if it is that of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// What is counted.
    pub measure: Measure,
    /// How long it lasts.
    pub period: Period,
    /// How much of it is used, from 0 to 100; 100 only if nothing is left.
    pub percent: u8,
    /// How much is used. Of a budget that others use too people see the share alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<f64>,
    /// How much there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// When the next one begins.
    pub ends_at: Timestamp,
}

impl BudgetScope {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Person, Self::Project, Self::Tenant];

    /// Its name on the wire and where it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Project => "project",
            Self::Tenant => "tenant",
        }
    }
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Messages, Self::Tokens, Self::CostUsd, Self::AgentMinutes];

    /// Its name on the wire and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Tokens => "tokens",
            Self::CostUsd => "cost_usd",
            Self::AgentMinutes => "agent_minutes",
        }
    }
}

impl Period {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Day, Self::Month];

    /// Its name on the wire and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(value: impl Serialize) -> String {
        serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
    }

    /// Y-3: a name is the same on the wire, in the database and in the configuration.
    #[test]
    fn names_are_those_of_the_wire() {
        BudgetScope::ALL.iter().for_each(|scope| assert_eq!(wire(scope), scope.as_str()));
        Measure::ALL.iter().for_each(|measure| assert_eq!(wire(measure), measure.as_str()));
        Period::ALL.iter().for_each(|period| assert_eq!(wire(period), period.as_str()));
    }
}
