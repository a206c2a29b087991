//! Secrets in a configuration: what of it nobody is shown.
//!
//! Masked are values by where they stand (credentials, the environment of programs, headers, the
//! secrets of clients, arguments that follow a name such as `--token`), passwords and queries in
//! addresses, whatever looks like a key, and all of these wherever else they stand. A value that is
//! none of this is shown: a secret does not belong into a name or a prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use parlor_guard::sanitizer::Sanitizer;
use toml::{Table, Value};

/// What stands for a secret.
pub(super) const MASK: &str = "[masked]";
/// Variables that hold secrets.
pub(super) const SECRET_VARIABLES: [&str; 7] = [
    "PARLOR_PASSWORD", "PARLOR_ADMIN_PASSWORD", "PARLOR_API_KEY", "PARLOR_SECRET_KEY",
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY",
];
/// A shorter text is too common to be masked wherever it stands.
const SHORTEST: usize = 6;
/// Parts of the names of arguments that stand before a secret.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "pass", "auth", "credential", "cookie"];
/// What an address of a database may say in its query.
const PUBLIC_PARAMETERS: [&str; 4] =
    ["sslmode", "sslrootcert", "connect_timeout", "application_name"];
/// A part of an address that is so long and has digits is a token.
const LONGEST_PUBLIC_PART: usize = 24;

/// What is masked in one configuration.
#[derive(Debug)]
pub(super) struct Masks {
    secrets: Vec<String>,
}

impl Masks {
    pub(super) fn of(whole: &Table, environment: &BTreeMap<String, String>) -> Self {
        let mut found = BTreeSet::new();
        collect(&mut Vec::new(), &Value::Table(whole.clone()), &mut found);
        let variables = SECRET_VARIABLES.iter().filter_map(|name| environment.get(*name));
        found.extend(variables.map(|value| value.trim().to_owned()));
        let mut secrets: Vec<String> =
            found.into_iter().filter(|secret| secret.chars().count() >= SHORTEST).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// A value as it is shown.
    pub(super) fn masked(&self, path: &[String], value: Value) -> Value {
        match value {
            Value::String(text) if is_secret(path) => Value::String(masked_text(&text)),
            Value::String(text) => Value::String(self.shown(&text)),
            Value::Array(items) if is_arguments(path) => {
                let shown = arguments(&items).into_iter().map(|text| match text {
                    Argument::Shown(text) => self.shown(&text),
                    Argument::Secret { shown, .. } => shown,
                });
                Value::Array(shown.map(Value::String).collect())
            }
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.masked(path, item)).collect())
            }
            Value::Table(table) => {
                let fields = table.into_iter().map(|(key, value)| {
                    // The name of a variable, and what stands before its value.
                    let shown = self.masked(std::slice::from_ref(&key), value);
                    (key, shown)
                });
                Value::Table(fields.collect())
            }
            plain => plain,
        }
    }

    fn shown(&self, text: &str) -> String {
        let text = address(text).unwrap_or_else(|| text.to_owned());
        self.secrets.iter().fold(text, |text, secret| text.replace(secret, MASK))
    }
}

/// A value without texts that look like keys. The patterns are compiled when something is shown.
pub(super) fn without_keys(value: &Value) -> Value {
    static KEYS: LazyLock<Sanitizer> =
        LazyLock::new(|| Sanitizer::for_log(Vec::new()).unwrap_or_default());
    match value {
        Value::String(text) => Value::String(KEYS.sanitize_cow(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(without_keys).collect()),
        Value::Table(table) => {
            let fields = table.iter().map(|(key, value)| (key.clone(), without_keys(value)));
            Value::Table(fields.collect())
        }
        plain => plain.clone(),
    }
}

/// Whether the value itself is a secret, by where it stands.
fn is_secret(path: &[String]) -> bool {
    let part = |from_end: usize| {
        let at = path.len().checked_sub(from_end)?;
        path.get(at).map(String::as_str)
    };
    let is_listed = matches!(part(2), Some("env" | "headers")) && part(3) != Some("tools");
    let is_variable =
        path.len() == 1 && part(1).is_some_and(|name| SECRET_VARIABLES.contains(&name));
    let is_own = path.len() == 3 && path.join(".") == "server.metrics.token"
        || part(3) == Some("webhooks") && part(1) == Some("secret");
    is_listed || is_own || part(1) == Some("client_secret") || is_variable
}

fn is_arguments(path: &[String]) -> bool {
    path.last().is_some_and(|name| name == "args")
}

fn masked_text(text: &str) -> String {
    if text.is_empty() { String::new() } else { MASK.to_owned() }
}

/// The secrets below a value.
fn collect(path: &mut Vec<String>, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_secret(path) => {
            // `Bearer x`: the scheme is no secret.
            found.extend(text.split_whitespace().next_back().map(str::to_owned));
        }
        Value::String(text) => found.extend(password(text)),
        Value::Array(items) if is_arguments(path) => {
            let secrets = arguments(items).into_iter().filter_map(|argument| match argument {
                Argument::Secret { secret, .. } => Some(secret),
                Argument::Shown(_) => None,
            });
            found.extend(secrets);
        }
        Value::Array(items) => items.iter().for_each(|item| collect(path, item, found)),
        Value::Table(table) => {
            for (key, value) in table {
                path.push(key.clone());
                // `{ env = "VARIABLE" }` holds no secret.
                if !(is_secret(path) && value.is_table()) {
                    collect(path, value, found);
                }
                path.pop();
            }
        }
        _ => {}
    }
}

/// An argument of a program.
enum Argument {
    Shown(String),
    Secret { shown: String, secret: String },
}

/// `--token=x`, `--token x` and `TOKEN=x` have a secret after a name.
fn arguments(items: &[Value]) -> Vec<Argument> {
    let mut after_name = false;
    let argument = |item: &Value| {
        let text = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
        let follows = std::mem::take(&mut after_name);
        let is_flag = text.starts_with('-');
        if follows && !is_flag {
            return Argument::Secret { shown: masked_text(&text), secret: text };
        }
        match text.split_once('=') {
            Some((name, secret)) if names_secret(name) => {
                Argument::Secret { shown: format!("{name}={MASK}"), secret: secret.to_owned() }
            }
            Some(_) => Argument::Shown(text),
            None => {
                after_name = is_flag && names_secret(&text);
                Argument::Shown(text)
            }
        }
    };
    items.iter().map(argument).collect()
}

fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.len() <= 64 && SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// The password in an address.
fn password(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("://")?;
    let (user, _) = rest.split(['/', '?', '#']).next()?.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password.to_owned())
}

/// An address without what lets somebody in; `None` if a text is none.
fn address(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    if scheme.is_empty() || text.contains(char::is_whitespace) {
        return None;
    }
    let (place, query) = rest.split_once('?').map_or((rest, None), |(a, b)| (a, Some(b)));
    let (host, path) = place.split_once('/').map_or((place, None), |(a, b)| (a, Some(b)));
    let host = match host.rsplit_once('@') {
        None => host.to_owned(),
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:{MASK}@{host}"),
            // Over HTTP a name alone is a token.
            None if scheme.starts_with("http") => format!("{MASK}@{host}"),
            None => format!("{user}@{host}"),
        },
    };
    let mut shown = format!("{scheme}://{host}");
    if let Some(path) = path {
        for part in path.split('/') {
            shown.push('/');
            shown.push_str(if is_token(part) { MASK } else { part });
        }
    }
    if let Some(query) = query {
        let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if !PUBLIC_PARAMETERS.contains(&name) => format!("{name}={MASK}"),
            _ => parameter.to_owned(),
        });
        shown.push('?');
        shown.push_str(&parameters.collect::<Vec<_>>().join("&"));
    }
    Some(shown)
}

fn is_token(part: &str) -> bool {
    part.len() >= LONGEST_PUBLIC_PART
        && part.bytes().any(|byte| byte.is_ascii_digit())
        && part.bytes().any(|byte| byte.is_ascii_alphabetic())
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// addresses are shown without what lets somebody in.
    #[test]
    fn addresses_lose_their_secrets() {
        for (given, shown) in [
            (
                "postgres://parlor@db/x?sslmode=verify-full",
                "postgres://parlor@db/x?sslmode=verify-full",
            ),
            ("postgres://parlor:hunter2@db/x", "postgres://parlor:[masked]@db/x"),
            ("redis://:hunter2@cache:6379", "redis://:[masked]@cache:6379"),
            ("https://hunter2@example.org/a/", "https://[masked]@example.org/a/"),
            ("https://example.org/mcp?key=hunter2&x", "https://example.org/mcp?key=[masked]&x"),
            (
                "https://example.org/hooks/a1b2c3d4e5f6a7b8c9d0e1f2",
                "https://example.org/hooks/[masked]",
            ),
        ] {
            assert_eq!(address(given).as_deref(), Some(shown));
        }
        assert_eq!(address("see https://example.org"), None);
        assert_eq!(address("plain"), None);
    }
}
