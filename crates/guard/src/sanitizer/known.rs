//! Values that are known to the server and not to the rules: secrets, models and
//! addresses that the configuration names, and the ids of CLI sessions.
//!
//! What the configuration names is compiled with the other rules. CLI sessions come and
//! go while the server runs: their ids are searched for in a step of their own, in what
//! the rules have left, so that a path with such an id is still masked as a path.

use std::fmt;

use super::{
    automaton::{Automaton, Pattern},
    paths::escape,
    rule::ANY,
    rules::links::link_tail,
    table::BuildFailure,
};

/// Shorter values are not masked: servers without access control take `ollama`, `none`
/// or `x` as a key, and those are words of many texts.
const SHORTEST_SECRET: usize = 8;

/// A match must be certain after this many bytes; of a longer value the rest is taken
/// in as far as it looks like one.
const CERTAIN_AFTER: usize = 64;

/// The sessions of one conversation that are looked for, the latest of them.
const MOST_SESSIONS: usize = 16;

/// No part of a word or of a host may stand before.
const BORDER: &str = r"(?-u:[^A-Za-z0-9_.-])";

/// Values that the configuration names, to be masked wherever an agent says them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct KnownValues {
    /// Keys, tokens and passwords; masked always, those under eight bytes excepted.
    pub secrets: Vec<String>,
    /// Ids of models. One that is an ordinary word is left to the rules.
    pub models: Vec<String>,
    /// Addresses of model servers and gateways: URLs, or a host with a port.
    pub addresses: Vec<String>,
}

impl KnownValues {
    /// The patterns of all values, or of the secrets alone.
    pub(super) fn patterns(&self, secrets_only: bool) -> Vec<Pattern> {
        let mut patterns: Vec<Pattern> = self.secrets.iter().filter_map(|it| secret(it)).collect();
        if !secrets_only {
            patterns.extend(self.models.iter().flat_map(|model| self::model(model)));
            patterns.extend(self.addresses.iter().filter_map(|it| address(it)));
        }
        patterns
    }
}

/// Shows how many secrets are known, never which.
impl fmt::Debug for KnownValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownValues")
            .field("secrets", &self.secrets.len())
            .field("models", &self.models)
            .field("addresses", &self.addresses)
            .finish()
    }
}

/// Compiles what finds the secrets and nothing else; nothing if there are none.
pub(super) fn secrets(values: &[String]) -> Result<Option<Automaton>, BuildFailure> {
    let patterns: Vec<Pattern> = values.iter().filter_map(|value| secret(value)).collect();
    if patterns.is_empty() { Ok(None) } else { Automaton::build(&patterns).map(Some) }
}

/// Compiles what finds the sessions; nothing if no id is long enough to be told from
/// other words.
pub(super) fn sessions(ids: &[String]) -> Result<Option<Automaton>, BuildFailure> {
    let latest = ids.iter().rev().filter(|id| id.len() >= SHORTEST_SECRET).take(MOST_SESSIONS);
    let patterns: Vec<Pattern> = latest.map(|id| literal(id, "[session]")).collect();
    if patterns.is_empty() { Ok(None) } else { Automaton::build(&patterns).map(Some) }
}

fn secret(value: &str) -> Option<Pattern> {
    let value = value.trim();
    (value.len() >= SHORTEST_SECRET).then(|| literal(value, "[token]"))
}

/// Matches a value anywhere.
fn literal(value: &str, replacement: &str) -> Pattern {
    let mut certain = CERTAIN_AFTER.min(value.len());
    while !value.is_char_boundary(certain) {
        certain -= 1;
    }
    let tail = if certain < value.len() { r"(?:[\w~+/=-]|\.[\w~+/=-])*" } else { "" };
    let start = escape(&value.as_bytes()[..certain]);
    Pattern {
        regex: format!("{ANY}{start}{tail}"),
        unicode: false,
        replacement: Some(replacement.to_owned()),
    }
}

fn model(name: &str) -> Vec<Pattern> {
    let name = name.trim();
    let is_id = name.contains(|c: char| c.is_ascii_digit() || "-_./:".contains(c));
    if name.len() < 4 || name.len() > CERTAIN_AFTER || !is_id {
        return Vec::new();
    }
    let name = escape(name.as_bytes());
    let masking = Some("[assistant]".to_owned());
    vec![
        Pattern { regex: format!("{BORDER}(?i:{name})"), unicode: false, replacement: masking },
        Pattern {
            regex: format!("{BORDER}(?i:{name})[A-Za-z0-9]"),
            unicode: false,
            replacement: None,
        },
    ]
}

fn address(url: &str) -> Option<Pattern> {
    let url = url.trim();
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let says_something = host.contains(['.', ':']) && (4..=CERTAIN_AFTER).contains(&host.len());
    says_something.then(|| Pattern {
        regex: format!("{BORDER}(?i:(?:https?://)?{}){}", escape(host.as_bytes()), link_tail!()),
        unicode: false,
        replacement: Some("[service]".to_owned()),
    })
}
