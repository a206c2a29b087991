//! Settings from the environment and from flags, which override those of the file.
//!
//! A key of `[server]` is `PARLOR_<KEY>`, any other is `PARLOR_<PATH>` with `_`
//! for the dots: `PARLOR_BIND`, `PARLOR_LIMITS_BODY`, `PARLOR_ACCESS_IDLE_EXPIRY`.

use std::collections::BTreeMap;

use super::suggestion::similar;
use toml::{Table, Value};

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// `true` or `false`.
    Flag,
    /// Separated by commas.
    List,
}

/// Settings outside of the file. Tenants and projects have none.
const KEYS: &[(&str, Kind)] = &[
    ("server.bind", Kind::Text),
    ("server.public_url", Kind::Text),
    ("server.data_dir", Kind::Text),
    ("server.trusted_proxies", Kind::List),
    ("server.log", Kind::Text),
    ("server.log_format", Kind::Text),
    ("server.metrics.token", Kind::Text),
    ("server.metrics.labels", Kind::Text),
    ("server.prompt_timeout", Kind::Text),
    ("server.limits.messages_per_minute", Kind::Number),
    ("server.limits.address_messages_per_minute", Kind::Number),
    ("server.limits.project_messages_per_minute", Kind::Number),
    ("server.limits.tenant_messages_per_minute", Kind::Number),
    ("server.limits.project_turns", Kind::Number),
    ("server.limits.tenant_turns", Kind::Number),
    ("server.limits.body", Kind::Text),
    ("server.limits.image", Kind::Text),
    ("server.limits.files", Kind::Number),
    ("server.limits.file", Kind::Text),
    ("server.limits.files_together", Kind::Text),
    ("server.limits.pdf_pages", Kind::Number),
    ("server.limits.file_text", Kind::Number),
    ("server.limits.frame", Kind::Text),
    ("server.limits.answer", Kind::Text),
    ("server.limits.bodies", Kind::Number),
    ("server.limits.body_memory", Kind::Text),
    ("server.limits.connections", Kind::Number),
    ("server.limits.address_connections", Kind::Number),
    ("server.limits.header_timeout", Kind::Text),
    ("server.limits.request_timeout", Kind::Text),
    ("server.limits.keep_alive", Kind::Text),
    ("server.limits.shutdown_deadline", Kind::Text),
    ("server.openai.stop_on_disconnect", Kind::Flag),
    ("storage.url", Kind::Text),
    ("storage.connections", Kind::Number),
    ("storage.direct_url", Kind::Text),
    ("storage.undo_deletion", Kind::Text),
    ("fanout.url", Kind::Text),
    ("nodes.name", Kind::Text),
    ("nodes.lease", Kind::Text),
    ("nodes.home_patience", Kind::Text),
    ("access.idle_expiry", Kind::Text),
    ("access.absolute_expiry", Kind::Text),
    ("push.enabled", Kind::Flag),
    ("push.content", Kind::Text),
    ("push.contact", Kind::Text),
    ("push.delay", Kind::Text),
    ("push.long_turn", Kind::Text),
    ("push.local_services", Kind::Flag),
];

/// Variables with our prefix that are no settings.
const OTHER_VARIABLES: &[&str] = &[
    "PARLOR_CONFIG", "PARLOR_PASSWORD", "PARLOR_ADMIN_PASSWORD", "PARLOR_API_KEY",
    "PARLOR_SECRET_KEY",
];

/// A setting that overrides the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Override {
    /// The variable or flag, for errors.
    pub(super) source: String,
    /// The key, with dots.
    pub(super) key: &'static str,
    value: String,
}

impl Override {
    /// A setting from a flag.
    pub(super) fn flag(source: &str, key: &'static str, value: String) -> Self {
        Self { source: source.to_owned(), key, value }
    }

    /// Puts the value into the table.
    pub(super) fn apply(&self, table: &mut Table) -> Result<(), String> {
        let value = self.value()?;
        let (path, name) = self.key.rsplit_once('.').unwrap_or(("", self.key));
        let mut section = table;
        for part in path.split('.') {
            let entry = section.entry(part).or_insert_with(|| Value::Table(Table::new()));
            section = entry.as_table_mut().ok_or("a section is not a table")?;
        }
        section.insert(name.to_owned(), value);
        Ok(())
    }

    fn value(&self) -> Result<Value, String> {
        let text = self.value.trim();
        Ok(match kind(self.key) {
            Kind::Text => Value::String(text.to_owned()),
            Kind::Number => {
                Value::Integer(text.parse().map_err(|_| format!("'{text}' is not a whole number"))?)
            }
            Kind::Flag => {
                Value::Boolean(text.parse().map_err(|_| format!("'{text}' is not true or false"))?)
            }
            Kind::List => Value::Array(
                text.split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| Value::String(part.to_owned()))
                    .collect(),
            ),
        })
    }
}

/// The settings of the environment, in a fixed order.
pub(super) fn overrides(environment: &BTreeMap<String, String>) -> Vec<Override> {
    let set = |&(key, _): &(&'static str, Kind)| {
        let source = variable(key);
        let value = environment.get(&source).filter(|value| !value.trim().is_empty())?.clone();
        Some(Override { source, key, value })
    };
    KEYS.iter().filter_map(set).collect()
}

/// Warnings about variables with our prefix that are unknown, with a suggestion.
pub(super) fn unknown_variables(environment: &BTreeMap<String, String>) -> Vec<String> {
    let known: Vec<String> = KEYS
        .iter()
        .map(|(key, _)| variable(key))
        .chain(OTHER_VARIABLES.iter().map(|name| (*name).to_owned()))
        .collect();
    environment
        .keys()
        .filter(|name| name.starts_with("PARLOR_") && !known.contains(name))
        .map(|name| {
            // Compared without the prefix, which would make all names similar.
            let bare = |name: &str| name.trim_start_matches("PARLOR_").to_owned();
            let names: Vec<String> = known.iter().map(|known| bare(known)).collect();
            match similar(&bare(name), names.iter().map(String::as_str)) {
                Some(meant) => format!("{name} is not a setting; did you mean PARLOR_{meant}?"),
                None => format!("{name} is not a setting"),
            }
        })
        .collect()
}

/// Every key that can be set, with dots.
pub(super) fn known_keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key)
}

/// The variable of a key.
fn variable(key: &str) -> String {
    let path = key.strip_prefix("server.").unwrap_or(key);
    format!("PARLOR_{}", path.replace('.', "_").to_ascii_uppercase())
}

fn kind(key: &str) -> Kind {
    KEYS.iter().find(|(known, _)| *known == key).map_or(Kind::Text, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_named_after_their_keys() {
        assert_eq!(variable("server.bind"), "PARLOR_BIND");
        assert_eq!(variable("server.limits.body"), "PARLOR_LIMITS_BODY");
        assert_eq!(variable("access.idle_expiry"), "PARLOR_ACCESS_IDLE_EXPIRY");
    }

    #[test]
    fn an_unknown_variable_causes_a_warning() {
        let environment = BTreeMap::from([
            ("PARLOR_BNID".to_owned(), "x".to_owned()),
            ("PARLOR_PASSWORD".to_owned(), "x".to_owned()),
            ("PARLOR_FLAVOUR".to_owned(), "x".to_owned()),
            ("HOME".to_owned(), "x".to_owned()),
        ]);
        assert_eq!(
            unknown_variables(&environment),
            [
                "PARLOR_BNID is not a setting; did you mean PARLOR_BIND?",
                "PARLOR_FLAVOUR is not a setting",
            ]
        );
    }
}
