//! Conversations that took place in another chat (Y-5).
//!
//! 1. What was said is grouped into turns: each begins with what a person said.
//! 2. People see the messages as they see any other: through the sanitizer.
//! 3. The model is told of them as of what an external client tells of the past: as an account in
//!    a person's words, never as its own. Each message passes the guardrail; one that does not is
//!    left out of the account, and people still see it.
//! 4. Everything is written at once, under the name that the conversation has in the other chat: a
//!    second import of it writes nothing.

use data_encoding::HEXLOWER;
use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_guard::Clean;
use parlor_imports::{Conversation, Product, Speaker};
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    ConversationId, DoneReason, EventBody, MessageId, MessageType, Mode, ProjectId, Role,
    Timestamp, TurnId, metadata,
};
use parlor_storage::{
    ExternalConversation, ImportedConversation, ImportedTurn, NewConversation, Surface,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::ChatError;
use crate::external_message::{EarlierMessage, account};
use crate::project::Project;
use crate::state::ChatState;
use crate::texts::title;
use crate::turn::history_json;

/// What came of a conversation that was to be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// It is there now. So many of its messages the model is not told of.
    Written {
        /// Messages that the guardrail refuses.
        not_told: u32,
    },
    /// It was imported before.
    ThereBefore,
}

/// Writes a conversation that took place in another chat.
pub(crate) async fn import(
    state: &ChatState,
    caller: &Caller,
    project: &ProjectId,
    product: Product,
    conversation: Conversation,
) -> Result<Imported, ChatError> {
    let project = state.project(caller, project)?;
    let named = named(caller, &project.id, product, &conversation.id)?;
    if state.store.external_conversation(&caller.tenant, &named).await?.is_some() {
        return Ok(Imported::ThereBefore);
    }
    let (tenant, started_by) = (caller.tenant.clone(), caller.principal());
    let person = caller.person();
    // Long texts take the guardrail and the sanitizer a while.
    let build = move || {
        let began_at = conversation.began_at.map_or_else(now, Timestamp).clamp(Timestamp(0), now());
        let id = ConversationId::new(Uuid::now_v7());
        let mut import = Import { project: &project, product, id, not_told: 0, at: began_at };
        let turns = import.turns(&conversation);
        let words = conversation.messages.first().map_or("", |first| first.text.as_str());
        let title = title(if conversation.title.is_empty() { words } else { &conversation.title });
        let new = NewConversation {
            project: project.id.clone(),
            title: project.sanitizer.sanitize(&title),
            mode: Mode::default(),
            folder: None,
            person,
        };
        let (ended_at, not_told) = (import.at, import.not_told);
        let written =
            ImportedConversation { tenant, id, new, named, began_at, ended_at, started_by, turns };
        (written, not_told)
    };
    let (written, not_told) =
        tokio::task::spawn_blocking(build).await.map_err(|_| ChatError::Internal)?;
    match state.store.import_conversation(&written).await? {
        true => Ok(Imported::Written { not_told }),
        false => Ok(Imported::ThereBefore),
    }
}

/// The principal of what is imported into the shared account, from whatever session.
const SHARED: &str = "shared";
/// How the account of a turn begins.
const IMPORTED: &str = "What was said before, in another chat:";

/// What a conversation of another chat is called here: for each person, and once for the shared
/// account. A hash: its id may hold anything.
fn named(
    caller: &Caller,
    project: &ProjectId,
    product: Product,
    id: &str,
) -> Result<ExternalConversation, ChatError> {
    let whole = format!("{}:{id}", product.as_str());
    let hash = HEXLOWER.encode(&Sha256::digest(whole.as_bytes()));
    let person = caller.person().map(|_| caller.principal());
    Ok(ExternalConversation {
        principal: person.unwrap_or_else(|| SHARED.to_owned()),
        surface: Surface::Import,
        project: project.clone(),
        id: hash.parse().map_err(|_| ChatError::Internal)?,
    })
}

/// A conversation on its way in.
struct Import<'p> {
    project: &'p Project,
    product: Product,
    id: ConversationId,
    not_told: u32,
    /// When something was said for which the export has no time.
    at: Timestamp,
}

impl Import<'_> {
    /// The turns of a conversation: each begins with what a person says.
    fn turns(&mut self, conversation: &Conversation) -> Vec<ImportedTurn> {
        let mut turns: Vec<Vec<&parlor_imports::Message>> = Vec::new();
        let mut answered = true;
        for message in &conversation.messages {
            let is_person = message.speaker == Speaker::Person;
            match turns.last_mut().filter(|_| !(is_person && answered)) {
                Some(turn) => turn.push(message),
                None => turns.push(vec![message]),
            }
            answered = !is_person;
        }
        turns.into_iter().map(|messages| self.turn(&messages)).collect()
    }

    fn turn(&mut self, said: &[&parlor_imports::Message]) -> ImportedTurn {
        let (conversation_id, turn_id) = (self.id, TurnId::new(Uuid::now_v7()));
        let messages: Vec<Message> = said.iter().map(|one| self.message(one, turn_id)).collect();
        let at = messages.first().map_or(self.at, |first| first.created_at);
        let asked = messages.first().filter(|first| first.role == Role::User);
        let message_id = asked.map(|asked| asked.id);
        let start =
            EventBody::Start { conversation_id, turn_id, message_id, app: None, branch: None };
        let (tokens_used, reason) = (None, DoneReason::Complete);
        let done = EventBody::Done { conversation_id, turn_id, tokens_used, reason };
        let sanitizer = &self.project.sanitizer;
        ImportedTurn {
            id: turn_id,
            start: Clean::new(sanitizer, start),
            done: Clean::new(sanitizer, done),
            history: self.account(said).into_iter().collect(),
            messages: messages.into_iter().map(|one| Clean::new(sanitizer, one)).collect(),
            at,
        }
    }

    fn message(&mut self, said: &parlor_imports::Message, turn_id: TurnId) -> Message {
        // Nothing was said in the future, or before what was said before it.
        self.at = said.at.map_or(self.at, Timestamp).clamp(self.at, now().max(self.at));
        let (role, message_type) = match said.speaker {
            Speaker::Person => (Role::User, MessageType::Text),
            Speaker::Assistant => (Role::Assistant, MessageType::Info),
        };
        let mut facts = Metadata::new();
        metadata::IMPORTED_FROM.set(&mut facts, self.product.as_str());
        Message {
            id: MessageId::new(Uuid::now_v7()),
            conversation_id: self.id,
            turn_id,
            role,
            message_type,
            content: said.text.clone(),
            data: None,
            options: None,
            questions: None,
            metadata: facts,
            created_at: self.at,
        }
    }

    /// What the model is told of a turn; nothing if all of it is refused.
    fn account(&mut self, said: &[&parlor_imports::Message]) -> Option<Value> {
        let mut passed = Vec::new();
        for message in said {
            let role = match message.speaker {
                Speaker::Person => "user",
                Speaker::Assistant => "assistant",
            };
            let told = EarlierMessage { role: role.to_owned(), text: message.text.clone() };
            match self.project.guardrail.check_answer(told, |_, _| {}) {
                Ok(checked) => passed.push(checked.get().clone()),
                Err(_) => self.not_told += 1,
            }
        }
        let text = (!passed.is_empty()).then(|| account(IMPORTED, &passed))?;
        let blocks = vec![ContentBlock::text(text)];
        let history = history_json(&HistoryMessage { role: Role::User, blocks });
        Some(self.project.sanitizer.json_without_secrets(history))
    }
}
