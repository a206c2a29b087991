//! What the configuration says about single tools of a server.

use std::collections::BTreeMap;
use std::time::Duration;

use parlor_agent::tools::{ToolAction, ToolRule};
use parlor_protocol::{Approvers, Content};
use regex::{Regex, RegexBuilder};

use super::Place;
use crate::settings::{McpSettingsError, RuleSettings, ToolSettings};

/// The size limit of a compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

/// The configured policy for one tool, or for all tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolPolicy {
    pub(crate) rules: Vec<ToolRule>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) prompt_timeout: Option<Duration>,
    pub(crate) approvers: Option<Approvers>,
    pub(crate) content: Option<Content>,
    pub(crate) private: Option<bool>,
    pub(crate) sink: Option<bool>,
    pub(crate) tainted: Option<ToolAction>,
}

/// The policies of all tools that the settings name.
pub(super) fn of_tools(
    place: Place<'_>,
    settings: &BTreeMap<String, ToolSettings>,
) -> Result<BTreeMap<String, ToolPolicy>, McpSettingsError> {
    let resolve = |(name, settings): (&String, &ToolSettings)| {
        let policy = tool(place, &format!("tools.{name}"), settings)?;
        Ok((name.clone(), policy))
    };
    settings.iter().map(resolve).collect()
}

fn tool(
    place: Place<'_>,
    key: &str,
    settings: &ToolSettings,
) -> Result<ToolPolicy, McpSettingsError> {
    let mut rules = Vec::new();
    for (number, settings) in settings.rules.iter().enumerate() {
        rules.push(rule(place, &format!("{key}.rules[{number}]"), settings)?);
    }
    rules.extend(settings.action.map(always));
    let time = |name: &str, seconds: Option<f64>, may_be_zero| {
        let key = format!("{key}.{name}");
        seconds.map(|seconds| place.time(&key, seconds, may_be_zero)).transpose()
    };
    let approvers = Approvers::from_words(&settings.approvers)
        .map_err(|error| place.error(&format!("{key}.approvers"), error.to_string()))?;
    Ok(ToolPolicy {
        rules,
        approvers,
        timeout: time("timeout_seconds", settings.timeout_seconds, false)?,
        prompt_timeout: time("prompt_timeout_seconds", settings.prompt_timeout_seconds, true)?,
        content: settings.content,
        private: settings.private,
        sink: settings.sink,
        tainted: settings.tainted,
    })
}

fn always(action: ToolAction) -> ToolRule {
    ToolRule { arguments: Vec::new(), action }
}

fn rule(
    place: Place<'_>,
    key: &str,
    settings: &RuleSettings,
) -> Result<ToolRule, McpSettingsError> {
    let compile = |(argument, pattern): (&String, &String)| {
        let pattern = whole(pattern)
            .map_err(|error| place.error(&format!("{key}.{argument}"), error.to_string()))?;
        Ok((argument.clone(), pattern))
    };
    let arguments = settings.arguments.iter().map(compile).collect::<Result<_, _>>()?;
    Ok(ToolRule { arguments, action: settings.action })
}

/// A pattern that has to match the whole argument, including line breaks: a rule that allows
/// `/srv/.*` must not match a text that merely contains such a path.
fn whole(pattern: &str) -> Result<Regex, regex::Error> {
    // A pattern that is only valid inside the group added below is rejected.
    Regex::new(pattern)?;
    RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
        .dot_matches_new_line(true)
        .size_limit(LARGEST_PATTERN)
        .build()
}
