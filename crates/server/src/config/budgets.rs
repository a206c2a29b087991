//! `[tenants.….budgets]`, `[….projects.….budget]` and `[….projects.….prices]`: how much may be
//! used in a day or a month, and what tokens cost (Y-3).

use std::collections::BTreeMap;
use std::fmt;

use parlor_chat::{Budget, Calendar, Limit, PersonBudgets, Prices, TenantBudgets, units};
use parlor_protocol::{LoginName, Measure, Period, ProjectId};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::agent::AgentKind;
use super::{AtPlace, ConfigError};

/// More than anybody uses; less than what the counters of a month can hold.
const MOST: f64 = 1e12;
/// More than a million tokens can cost, in dollars.
const HIGHEST_PRICE: f64 = 1e6;

/// The section of a tenant as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawBudgets {
    time_zone: Option<String>,
    tenant: RawBudget,
    person: RawBudget,
    shared_account: RawBudget,
    roles: RawRoles,
    people: BTreeMap<String, RawBudget>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawRoles {
    user: RawBudget,
    admin: RawBudget,
}

/// A budget as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawBudget {
    day: RawAmounts,
    month: RawAmounts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawAmounts {
    messages: Option<Amount>,
    tokens: Option<Amount>,
    cost_usd: Option<Amount>,
    agent_minutes: Option<Amount>,
}

/// A number, or `"unlimited"`.
#[derive(Debug, Clone, Copy)]
enum Amount {
    Unlimited,
    Number(f64),
}

/// The prices of a project as they are written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawPrices {
    input: Option<f64>,
    output: Option<f64>,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or \"unlimited\"")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Amount, E> {
                Ok(Amount::Number(number as f64))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Amount, E> {
                Ok(Amount::Number(number as f64))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Amount, E> {
                Ok(Amount::Number(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                match text {
                    "unlimited" => Ok(Amount::Unlimited),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Form)
    }
}

impl RawBudgets {
    /// `place` is the section, for errors.
    pub(super) fn resolve(
        self,
        projects: BTreeMap<ProjectId, Budget>,
        place: &str,
    ) -> Result<TenantBudgets, ConfigError> {
        let at = |key: &str| format!("{place}.{key}");
        let calendar = match &self.time_zone {
            Some(name) => Calendar::of_zone(name).at(&at("time_zone"))?,
            None => Calendar::default(),
        };
        let mut named = BTreeMap::new();
        for (name, budget) in self.people {
            let place = at(&format!("people.{name:?}"));
            let login = name.parse::<LoginName>().map_err(|error| error.to_string()).at(&place)?;
            if named.insert(login, budget.resolve(&place)?).is_some() {
                let why = "there is another budget for this name".to_owned();
                return Err(ConfigError::invalid(&place, why));
            }
        }
        let people = PersonBudgets {
            anybody: self.person.resolve(&at("person"))?,
            shared_account: self.shared_account.resolve(&at("shared_account"))?,
            users: self.roles.user.resolve(&at("roles.user"))?,
            admins: self.roles.admin.resolve(&at("roles.admin"))?,
            named,
        };
        let tenant = self.tenant.resolve(&at("tenant"))?;
        Ok(TenantBudgets { calendar, tenant, projects, people })
    }
}

impl RawBudget {
    /// `place` is the section, for errors.
    pub(super) fn resolve(self, place: &str) -> Result<Budget, ConfigError> {
        let mut budget = Budget::default();
        for (period, amounts) in [(Period::Day, &self.day), (Period::Month, &self.month)] {
            for measure in Measure::ALL {
                let place = format!("{place}.{}.{}", period.as_str(), measure.as_str());
                let limit = amounts.of(measure).map_or(Ok(Limit::Unsaid), |it| limit(it, measure));
                budget.set(period, measure, limit.at(&place)?);
            }
        }
        for measure in Measure::ALL {
            let most = |period| budget.most(period, measure);
            if most(Period::Month).is_some_and(|month| most(Period::Day) > Some(month)) {
                let place = format!("{place}.day.{}", measure.as_str());
                let why = "it is more than that of the month, so it could never be used".to_owned();
                return Err(ConfigError::invalid(&place, why));
            }
        }
        Ok(budget)
    }
}

impl RawAmounts {
    fn of(&self, measure: Measure) -> Option<Amount> {
        match measure {
            Measure::Messages => self.messages,
            Measure::Tokens => self.tokens,
            Measure::CostUsd => self.cost_usd,
            Measure::AgentMinutes => self.agent_minutes,
        }
    }
}

/// A limit in the units of the counters.
fn limit(amount: Amount, measure: Measure) -> Result<Limit, String> {
    let Amount::Number(number) = amount else { return Ok(Limit::Unlimited) };
    let is_whole = match measure {
        Measure::Messages | Measure::Tokens => true,
        Measure::CostUsd | Measure::AgentMinutes => false,
    };
    let counted = (number * units(measure)).round();
    if !(counted >= 1.0 && number <= MOST && (!is_whole || number.fract() == 0.0)) {
        let what = if is_whole { "a whole number" } else { "a number" };
        return Err(format!("it must be {what} from above 0 to {MOST}, or \"unlimited\""));
    }
    // From 1 to 10^18.
    Ok(Limit::AtMost(counted as u64))
}

impl RawPrices {
    /// `place` is the section, for errors. Without a price of its own what a cache has costs as
    /// much as what is read anew.
    pub(super) fn resolve(self, place: &str) -> Result<Option<Prices>, ConfigError> {
        let Self { input, output, cache_read, cache_write } = self;
        let given = [
            ("input", input),
            ("output", output),
            ("cache_read", cache_read),
            ("cache_write", cache_write),
        ];
        if given.iter().all(|(_, price)| price.is_none()) {
            return Ok(None);
        }
        for (key, price) in given {
            if !price.is_none_or(|price| (0.0..=HIGHEST_PRICE).contains(&price)) {
                let why =
                    format!("it must be dollars for a million tokens, from 0 to {HIGHEST_PRICE}");
                return Err(ConfigError::invalid(&format!("{place}.{key}"), why));
            }
        }
        let needed = |key: &str, price: Option<f64>| {
            let why = "it is missing; set it to dollars for a million tokens".to_owned();
            price.ok_or(why).at(&format!("{place}.{key}"))
        };
        let (input, output) = (needed("input", input)?, needed("output", output)?);
        let (cache_read, cache_write) = (cache_read.unwrap_or(input), cache_write.unwrap_or(input));
        Ok(Some(Prices { input, output, cache_read, cache_write }))
    }
}

/// A budget in dollars needs to know what every agent that it is about costs: else it would never
/// be used up. `projects` have an agent each, and may have prices.
pub(super) fn check_costs<'a>(
    budgets: &TenantBudgets,
    projects: impl Iterator<Item = (&'a ProjectId, AgentKind, Option<Prices>)>,
    place: &str,
) -> Result<(), ConfigError> {
    let limits = |budget: &Budget| budget.limits(Measure::CostUsd);
    let of_all = limits(&budgets.tenant) || budgets.people.all().any(limits);
    for (id, agent, prices) in projects {
        let limited = of_all || budgets.projects.get(id).is_some_and(limits);
        let is_known = match agent {
            // It says what it costs; the demo model costs nothing.
            AgentKind::ClaudeCode | AgentKind::Demo => true,
            AgentKind::Auto | AgentKind::Anthropic | AgentKind::Openai | AgentKind::Acp => {
                prices.is_some()
            }
        };
        if limited && !is_known {
            return Err(ConfigError::invalid(
                &format!("{place}.projects.{id}.prices"),
                "it is missing: a budget in dollars needs input and output, in dollars for a \
                 million tokens, because this agent does not say what it costs"
                    .to_owned(),
            ));
        }
    }
    Ok(())
}
