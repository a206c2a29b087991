//! The labels of the tools (`evals/flow/labels.toml`): they say which calls are sinks, and become the
//! configuration of a project whose policy is flow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use crate::suite::Suite;

/// The labels of all suites.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(crate) struct Labels(BTreeMap<String, BTreeMap<String, Label>>);

/// The label of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    content: Content,
    private: bool,
    sink: bool,
}

/// Who can have written words in a result.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    Own,
    Others,
}

impl Labels {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("{} cannot be read", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} has no labels", path.display()))
    }

    /// Whether a tool is a sink. One without a label is: in doubt it changes something.
    pub(crate) fn is_sink(&self, suite: Suite, tool: &str) -> bool {
        self.label(suite, tool).is_none_or(|label| label.sink)
    }

    /// The sections of the tools of a server, whose own section is `section`.
    pub(crate) fn sections(&self, suite: Suite, section: &str) -> String {
        let mut text = String::new();
        for (tool, label) in self.0.get(suite.name()).into_iter().flatten() {
            let content = match label.content {
                Content::Own => "own",
                Content::Others => "others",
            };
            let Label { private, sink, .. } = label;
            // Writing to a string cannot fail.
            let _written = writeln!(
                text,
                "[{section}.tools.{tool}]\ncontent = \"{content}\"\nprivate = {private}\nsink = {sink}"
            );
        }
        text
    }

    /// What is wrong with the labels of a suite: they must name its tools, all of them and no other.
    pub(crate) fn mismatch(&self, suite: Suite, tools: &[String]) -> Option<String> {
        let missing = tools.iter().find(|tool| self.label(suite, tool).is_none());
        let labelled = self.0.get(suite.name()).into_iter().flatten().map(|(tool, _)| tool);
        let unknown = labelled.into_iter().find(|tool| !tools.contains(tool));
        match (missing, unknown) {
            (Some(tool), _) => Some(format!("{} has no label for {tool}", suite.name())),
            (_, Some(tool)) => Some(format!("{} has no tool {tool}", suite.name())),
            (None, None) => None,
        }
    }

    fn label(&self, suite: Suite, tool: &str) -> Option<&Label> {
        self.0.get(suite.name())?.get(tool)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may fail")]

    use super::*;

    fn labels() -> Labels {
        let text = "[slack]\nread_inbox = { content = \"others\", private = true, sink = false }\n\
                    get_webpage = { content = \"others\", private = false, sink = true }\n";
        toml::from_str(text).unwrap()
    }

    /// F-5
    #[test]
    fn a_fetch_is_a_sink_and_so_is_what_nobody_labelled() {
        let labels = labels();
        assert!(labels.is_sink(Suite::Slack, "get_webpage"));
        assert!(!labels.is_sink(Suite::Slack, "read_inbox"));
        assert!(labels.is_sink(Suite::Slack, "new_tool"));
        assert!(labels.is_sink(Suite::Travel, "read_inbox"));
    }

    #[test]
    fn labels_are_sections_of_the_configuration() {
        let sections = labels().sections(Suite::Slack, "a.mcp.slack");
        let read: toml::Table = toml::from_str(&sections).unwrap();
        let inbox = &read["a"]["mcp"]["slack"]["tools"]["read_inbox"];
        assert_eq!(inbox["content"].as_str(), Some("others"));
        assert_eq!(inbox["private"].as_bool(), Some(true));
        assert_eq!(inbox["sink"].as_bool(), Some(false));
    }

    #[test]
    fn labels_name_all_tools_and_no_other() {
        let of = |tools: &[&str]| {
            let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
            labels().mismatch(Suite::Slack, &tools)
        };
        assert_eq!(of(&["read_inbox", "get_webpage"]), None);
        assert!(of(&["read_inbox", "get_webpage", "x"]).unwrap().contains("no label for x"));
        assert!(of(&["read_inbox"]).unwrap().contains("no tool get_webpage"));
    }

    #[test]
    fn a_word_that_is_no_label_is_refused() {
        let text = "[slack]\nx = { content = \"mine\", private = true, sink = false }";
        assert!(toml::from_str::<Labels>(text).is_err());
        let text = "[slack]\nx = { content = \"own\", private = true, sinks = false, sink = true }";
        assert!(toml::from_str::<Labels>(text).is_err());
    }
}
