//! The reader who asks for the page of a conversation again and again.
//!
//! Its messages may only grow: what was there stays, and says the same.

use std::sync::Arc;

use fastrand::Rng;
use serde_json::Value;

use super::{Client, Stage, within};
use crate::event::{Message, Position, Prompt};
use crate::evidence::Record;
use crate::violation::Kind;

/// Asks until the conversation is over.
pub(super) async fn read(client: Arc<Client>, mut rng: Rng) {
    let path = format!("/api/conversations/{}", client.conversation);
    let mut last = Page::default();
    while client.stage() < Stage::Left {
        if let Ok(page) = client.api.get(&path).await {
            let page = Page::read(&page);
            page.compare(&last, &client.name, &client.record);
            let Page { running, messages, open, .. } = &page;
            client.knowledge.learn_page(&client.conversation, *running, messages, open.clone());
            last = page;
        }
        client.pause(within(&mut rng, 100..1_500), Stage::Left).await;
    }
}

/// The page of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) running: bool,
    pub(crate) messages: Vec<Message>,
    /// Prompts that wait.
    open: Vec<Prompt>,
    pub(crate) cursor: Position,
}

impl Page {
    pub(crate) fn read(page: &Value) -> Self {
        let list = |name: &str| page[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let messages = list("messages").iter();
        let open = list("prompts").iter().filter(|prompt| prompt["status"] == "open");
        Self {
            running: page["running"] == true,
            messages: messages.map(|data| Message::read(data, "id", "message_type")).collect(),
            open: open.map(|prompt| Prompt::read(&prompt["prompt"])).collect(),
            cursor: page["cursor"].as_str().and_then(|at| at.parse().ok()).unwrap_or_default(),
        }
    }

    /// Compares a page with an earlier one.
    fn compare(&self, earlier: &Self, reader: &str, record: &Record) {
        let now = self.messages.get(..earlier.messages.len());
        if now != Some(&earlier.messages) || self.cursor < earlier.cursor {
            let what = format!(
                "{reader}: {} messages up to {}, and later {} up to {}",
                earlier.messages.len(),
                earlier.cursor,
                self.messages.len(),
                self.cursor
            );
            record.violated(Kind::MessageChanged.because(what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(contents: &[&str], cursor: &str) -> Page {
        let message = |content: &&str| Message { content: (*content).into(), ..Message::default() };
        let messages = contents.iter().map(message).collect();
        Page { messages, cursor: cursor.parse().unwrap(), ..Page::default() }
    }

    #[test]
    fn a_message_that_is_gone_or_another_one_is_found() {
        let before = page(&["a", "b"], "7");
        for (now, is_good) in [
            (page(&["a", "b", "c"], "9"), true),
            (page(&["a", "b"], "7"), true),
            (page(&["a"], "9"), false),
            (page(&["a", "x", "c"], "9"), false),
            (page(&["a", "b"], "6"), false),
        ] {
            let record = Record::default();
            now.compare(&before, "r", &record);
            assert_eq!(record.take().violations.is_empty(), is_good, "{now:?}");
        }
    }
}
