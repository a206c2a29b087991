//! What the configuration allows, and what tokens cost.

use std::collections::BTreeMap;

use parlor_agent::Usage;
use parlor_protocol::{LoginName, Measure, Period, ProjectId};
use parlor_storage::{AccessRole, Person, Spent};

use super::calendar::Calendar;

/// How much of one measure may be used in one period, in the unit of the counters: messages,
/// tokens, millionths of a dollar, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// Nothing is said: what is more general holds.
    #[default]
    Unsaid,
    /// As much as one wants.
    Unlimited,
    /// No more than this.
    AtMost(u64),
}

/// A limit for each measure and period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    limits: [[Limit; Measure::ALL.len()]; Period::ALL.len()],
}

/// The budgets of people. The most particular one that says something about a measure holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonBudgets {
    /// That of anybody, also of the shared account.
    pub anybody: Budget,
    /// That of the shared account: all who use it together.
    pub shared_account: Budget,
    /// That of each person who may chat.
    pub users: Budget,
    /// That of each administrator.
    pub admins: Budget,
    /// Those of people by name.
    pub named: BTreeMap<LoginName, Budget>,
}

/// The budgets of a tenant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TenantBudgets {
    /// When days and months begin.
    pub calendar: Calendar,
    /// That of everybody together.
    pub tenant: Budget,
    /// Those of projects, whoever asks.
    pub projects: BTreeMap<ProjectId, Budget>,
    /// Those of people.
    pub people: PersonBudgets,
}

/// What tokens cost, in dollars for a million of them, which is millionths of a dollar for one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Those that are read.
    pub input: f64,
    /// Those that are written.
    pub output: f64,
    /// Those that are read from the vendor's cache.
    pub cache_read: f64,
    /// Those that are written to the vendor's cache.
    pub cache_write: f64,
}

impl Limit {
    fn or(self, general: Self) -> Self {
        match self {
            Self::Unsaid => general,
            Self::Unlimited | Self::AtMost(_) => self,
        }
    }
}

impl Budget {
    /// The limit, if there is one.
    pub fn most(&self, period: Period, measure: Measure) -> Option<u64> {
        match self.limits[period as usize][measure as usize] {
            Limit::AtMost(most) => Some(most),
            Limit::Unsaid | Limit::Unlimited => None,
        }
    }

    /// Sets a limit.
    pub fn set(&mut self, period: Period, measure: Measure, limit: Limit) {
        self.limits[period as usize][measure as usize] = limit;
    }

    /// Whether there is a limit of this measure.
    pub fn limits(&self, measure: Measure) -> bool {
        Period::ALL.iter().any(|period| self.most(*period, measure).is_some())
    }

    /// Whether there is no limit at all.
    pub fn is_unlimited(&self) -> bool {
        !Measure::ALL.iter().any(|measure| self.limits(*measure))
    }

    /// This one, and where it says nothing the general one.
    #[must_use]
    pub fn or(mut self, general: &Self) -> Self {
        for (own, general) in self.limits.iter_mut().flatten().zip(general.limits.iter().flatten())
        {
            *own = own.or(*general);
        }
        self
    }
}

impl PersonBudgets {
    /// Whether it matters who a person is.
    pub(super) fn have_exceptions(&self) -> bool {
        let nothing = Budget::default();
        !self.named.is_empty() || self.users != nothing || self.admins != nothing
    }

    /// That of somebody with an account.
    pub(super) fn of(&self, person: &Person) -> Budget {
        let of_role = match person.role {
            AccessRole::User => &self.users,
            AccessRole::Admin => &self.admins,
        };
        let named = self.named.get(&person.login).copied().unwrap_or_default();
        named.or(of_role).or(&self.anybody)
    }

    /// That of a visitor of another site.
    pub(super) fn of_visitor(&self) -> Budget {
        self.users.or(&self.anybody)
    }

    /// That of the shared account.
    pub(super) fn of_shared_account(&self) -> Budget {
        self.shared_account.or(&self.anybody)
    }

    /// All of them, for checks of the configuration.
    pub fn all(&self) -> impl Iterator<Item = &Budget> {
        [&self.anybody, &self.shared_account, &self.users, &self.admins]
            .into_iter()
            .chain(self.named.values())
    }
}

impl Prices {
    /// What a use costs, in millionths of a dollar. Nothing is rounded down.
    pub(crate) fn of(&self, usage: &Usage) -> u64 {
        let part = |tokens: u64, price: f64| tokens as f64 * price;
        let micros = part(usage.input_tokens, self.input)
            + part(usage.output_tokens, self.output)
            + part(usage.cache_read_tokens, self.cache_read)
            + part(usage.cache_write_tokens, self.cache_write);
        // A conversion of a number that is too large saturates.
        micros.max(0.0).ceil() as u64
    }
}

/// How much of a measure was used, in the unit of the counters.
pub(super) fn amount(spent: &Spent, measure: Measure) -> u64 {
    match measure {
        Measure::Messages => spent.messages,
        Measure::Tokens => spent.tokens,
        Measure::CostUsd => spent.cost_micros,
        Measure::AgentMinutes => spent.agent_ms,
    }
}

/// How many of the counters' units one of the configuration and the wire is.
pub fn units(measure: Measure) -> f64 {
    match measure {
        Measure::Messages | Measure::Tokens => 1.0,
        Measure::CostUsd => 1e6,
        Measure::AgentMinutes => 60_000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(period: Period, measure: Measure, limit: Limit) -> Budget {
        let mut budget = Budget::default();
        budget.set(period, measure, limit);
        budget
    }

    /// Y-3: an exception says only what is different, and may lift a limit.
    #[test]
    fn the_most_particular_limit_holds() {
        use Limit::{AtMost, Unlimited};
        let (day, month) = (Period::Day, Period::Month);
        let tokens = |limit| budget(day, Measure::Tokens, limit);
        let mut anybody = tokens(AtMost(10));
        anybody.set(month, Measure::CostUsd, AtMost(50));
        let exception = tokens(AtMost(100));
        assert_eq!(exception.or(&anybody).most(day, Measure::Tokens), Some(100));
        assert_eq!(exception.or(&anybody).most(month, Measure::CostUsd), Some(50));
        let lifted = tokens(Unlimited).or(&anybody);
        assert_eq!(lifted.most(day, Measure::Tokens), None);
        assert!(!lifted.is_unlimited() && lifted.limits(Measure::CostUsd));
        assert!(Budget::default().is_unlimited());
    }

    /// Y-3: what an agent does not say of its cost follows from its tokens.
    #[test]
    fn tokens_have_a_price() {
        let prices = Prices { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 1,
            cache_read_tokens: 1,
            cache_write_tokens: 0,
            cost_micros: 0,
        };
        assert_eq!(prices.of(&usage), 3_000_016, "15.3 is 16");
        let absurd = Usage { output_tokens: u64::MAX, ..Usage::default() };
        assert_eq!(prices.of(&absurd), u64::MAX);
    }
}
