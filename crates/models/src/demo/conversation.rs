//! What the demo model looks at: the messages of the person and the results of tools.

use parlor_agent::{ContentBlock, Document, HistoryMessage};
use parlor_protocol::Role;
use serde_json::Value;

/// What the demo model looks at.
pub(super) struct Conversation<'a> {
    history: &'a [HistoryMessage],
    /// The newest message of the person.
    pub(super) message: &'a str,
    pub(super) has_picture: bool,
    /// The files of that message: the name of each, and how many characters of text it has.
    pub(super) files: Vec<(&'a str, usize)>,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(history: &'a [HistoryMessage]) -> Self {
        let newest = history.iter().rfind(|message| message.role == Role::User);
        let picture = |message: &HistoryMessage| {
            message.blocks.iter().any(|block| matches!(block, ContentBlock::Image { .. }))
        };
        Self {
            history,
            message: newest.map(own_words).unwrap_or_default(),
            has_picture: newest.is_some_and(picture),
            files: newest.map(files_of).unwrap_or_default(),
        }
    }

    /// What the person said before the newest message, newest first.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &'a str> {
        let people = self.history.iter().rev().filter(|message| message.role == Role::User);
        people.skip(1).map(own_words).filter(|text| !text.trim().is_empty())
    }
}

/// What tools were called and answered.
impl Conversation<'_> {
    /// How many calls there were, in all turns.
    pub(super) fn calls(&self) -> usize {
        self.history.iter().flat_map(calls_of).count()
    }

    /// What a tool answered in this turn, the last time, and whether it failed.
    pub(super) fn result(&self, tool: &str) -> Option<(String, bool)> {
        let newest = self.history.iter().rposition(|message| message.role == Role::User)?;
        let turn = &self.history[newest..];
        let call = turn.iter().flat_map(calls_of).rfind(|(_, name, _)| *name == tool)?.0;
        turn.iter().flat_map(|message| &message.blocks).find_map(|block| match block {
            ContentBlock::ToolResult { tool_use_id, content, is_error } if tool_use_id == call => {
                let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
                Some((texts.join("\n"), *is_error))
            }
            _ => None,
        })
    }

    /// The recipe that was shown or read last.
    pub(super) fn last_recipe(&self) -> Option<String> {
        let calls = self.history.iter().flat_map(calls_of).rev();
        calls.into_iter().find_map(|(_, _, input)| input["recipe_id"].as_str().map(str::to_owned))
    }
}

fn calls_of(message: &HistoryMessage) -> impl DoubleEndedIterator<Item = (&str, &str, &Value)> {
    message.blocks.iter().filter_map(|block| match block {
        ContentBlock::ToolUse { id, name, input } => Some((id.as_str(), name.as_str(), input)),
        _ => None,
    })
}

fn files_of(message: &HistoryMessage) -> Vec<(&str, usize)> {
    let files = message.blocks.iter().filter_map(|block| match block {
        // Without the lines around its text.
        ContentBlock::Document(Document { name, text, .. }) => {
            let lines = text.lines().count();
            let text = text.lines().skip(1).take(lines.saturating_sub(2));
            let ends = lines.saturating_sub(3);
            Some((name.as_str(), text.map(|line| line.chars().count()).sum::<usize>() + ends))
        }
        _ => None,
    });
    files.collect()
}

/// A person's own words are the first text of a message; what the server adds
/// for the model comes after it.
fn own_words(message: &HistoryMessage) -> &str {
    message.blocks.iter().find_map(ContentBlock::as_text).unwrap_or_default()
}
