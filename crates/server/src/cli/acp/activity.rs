//! A conversation as it is followed for the editor: how far, what was shown of it, and what
//! is open in it.

use std::sync::Arc;

use agent_client_protocol_schema::v1::SessionId;
use parlor_protocol::{ConversationId, PromptId, UserPrompt};

use super::client::Client;
use super::editor::{Editor, Gone};
use super::follower::Follower;
use super::updates::Shown;
use super::{form, permission, reply};

/// What whoever follows a conversation works with.
#[derive(Debug)]
pub(super) struct Activity {
    pub(super) id: SessionId,
    pub(super) conversation: ConversationId,
    pub(super) client: Arc<Client>,
    pub(super) editor: Arc<Editor>,
    pub(super) follower: Follower,
    pub(super) shown: Shown,
    /// The questions that are open, as far as the editor was told, oldest first.
    pub(super) open: Vec<OpenPrompt>,
}

/// A question that is open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenPrompt {
    pub(super) prompt: UserPrompt,
    /// Whether a turn waits for it; otherwise the answer begins the next one.
    pub(super) turn_waits: bool,
    /// Whether the editor's person has seen how it is answered by a message.
    pub(super) is_shown: bool,
}

/// How a prompt is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Yes or no, which every editor can ask.
    Permission,
    /// A form, if the editor has forms.
    Form,
    /// As text: the next message answers it.
    Text,
}

impl Activity {
    /// A question was closed.
    pub(super) fn close(&mut self, id: PromptId) {
        self.open.retain(|open| open.prompt.id != id);
    }

    /// The questions for which a turn waits, oldest first.
    pub(super) fn waiting(&self) -> Vec<UserPrompt> {
        let waiting = self.open.iter().filter(|open| open.turn_waits);
        waiting.map(|open| open.prompt.clone()).collect()
    }

    /// How a prompt is asked here.
    pub(super) fn way(&self, prompt: &UserPrompt) -> Way {
        if permission::fits(prompt) {
            Way::Permission
        } else if self.editor.has_forms() && form::request(&self.id, prompt).is_some() {
            Way::Form
        } else {
            Way::Text
        }
    }

    /// Says how a question is answered by the next message.
    pub(super) async fn show(&mut self, prompt: &UserPrompt) -> Result<(), Gone> {
        let page = self.client.page(self.conversation);
        self.say(&reply::ask(prompt, page.as_deref())).await
    }

    /// Shows a question with how it is answered, to somebody who may not have seen it.
    pub(super) async fn show_again(&mut self, prompt: &UserPrompt) -> Result<(), Gone> {
        self.say(&prompt.question).await?;
        self.show(prompt).await?;
        for open in self.open.iter_mut().filter(|open| open.prompt.id == prompt.id) {
            open.is_shown = true;
        }
        Ok(())
    }

    /// Shows a paragraph of our own.
    pub(super) async fn say(&mut self, text: &str) -> Result<(), Gone> {
        let updates = self.shown.say(text);
        self.editor.update(&self.id, updates).await
    }
}
