//! Writes a conversation that took place elsewhere, as a whole or not at all (Y-5).
//!
//! Its turns are written as if they had run here, so that everything that reads a log reads it.

use parlor_database::Batch;
use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{
    BootId, ConversationId, EventBody, MessageId, Role, TenantId, Timestamp, TurnId,
};
use serde_json::Value;
use uuid::Uuid;

use crate::columns::to_column;
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::conversations::{self, NewConversation, NewRow};
use crate::tables::external_conversations::{self, ExternalConversation};
use crate::tables::turns::TurnStatus;
use crate::tables::{events, history, messages, search_entries};

/// A conversation that took place elsewhere.
#[derive(Debug, Clone)]
pub struct ImportedConversation {
    /// The tenant.
    pub tenant: TenantId,
    /// Its id here.
    pub id: ConversationId,
    /// Its project, title and mode.
    pub new: NewConversation,
    /// What it is called elsewhere: it is written once.
    pub named: ExternalConversation,
    /// When it began.
    pub began_at: Timestamp,
    /// When something was last said in it.
    pub ended_at: Timestamp,
    /// Who imports it.
    pub started_by: String,
    /// Its turns, oldest first.
    pub turns: Vec<ImportedTurn>,
}

/// A turn of a conversation that took place elsewhere.
#[derive(Debug, Clone)]
pub struct ImportedTurn {
    /// Its id here.
    pub id: TurnId,
    /// The event that begins it.
    pub start: Clean<EventBody>,
    /// Its messages; a person's comes first.
    pub messages: Vec<Clean<Message>>,
    /// The event that ends it.
    pub done: Clean<EventBody>,
    /// What the model reads of it.
    pub history: Vec<Value>,
    /// When it began.
    pub at: Timestamp,
}

impl Store {
    /// Writes a conversation; false if it was imported before.
    pub async fn import_conversation(
        &self,
        imported: &ImportedConversation,
    ) -> Result<bool, StorageError> {
        let (tenant, named) = (&imported.tenant, &imported.named);
        if self.external_conversation(tenant, named).await?.is_some() {
            return Ok(false);
        }
        let mut transaction = self.begin().await?;
        let mut batch = Batch::default();
        insert_conversation(&mut batch, imported);
        transaction.run(batch).await?;
        let mut seq = 1;
        for turn in &imported.turns {
            let mut batch = Batch::default();
            seq = insert_turn(&mut batch, imported, turn, seq)?;
            transaction.run(batch).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}

fn insert_conversation(batch: &mut Batch, imported: &ImportedConversation) {
    let numbers: usize = imported.turns.iter().map(numbers).sum();
    conversations::insert(
        batch,
        &NewRow {
            id: imported.id,
            tenant: &imported.tenant,
            new: &imported.new,
            next_seq: 1 + numbers as u64,
            // Each turn counts its own parts.
            next_position: 1,
            home: None,
            now: imported.ended_at,
        },
    );
    batch
        .add("UPDATE conversations SET created_at = $2 WHERE id = $1")
        .bind(imported.id.to_string())
        .bind(imported.began_at.0);
    external_conversations::insert(batch, &imported.tenant, imported.id, &imported.named);
}

/// A number for each event, and one for text that could have streamed.
fn numbers(turn: &ImportedTurn) -> usize {
    turn.messages.len() + 3
}

/// Writes a turn from a number of the log on; returns the next.
fn insert_turn(
    batch: &mut Batch,
    imported: &ImportedConversation,
    turn: &ImportedTurn,
    seq: u64,
) -> Result<u64, StorageError> {
    let next = seq + numbers(turn) as u64;
    let block_message = MessageId::new(Uuid::now_v7());
    let asked = turn.messages.first().filter(|first| is_of_person(first.get()));
    batch
        .add(
            "INSERT INTO turns (id, conversation_id, tenant, started_by, message_id, start_seq,
             epoch, status, block_seq, block_message, started_at, ended_at, owner, handed_over)
             VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $10, $11, $12)",
        )
        .bind(turn.id.to_string())
        .bind(imported.id.to_string())
        .bind(imported.tenant.as_str())
        .bind(&imported.started_by)
        .bind(asked.map_or_else(String::new, |asked| asked.get().id.to_string()))
        .bind(to_column(seq))
        .bind(TurnStatus::Complete.as_str())
        .bind(to_column(next - 1))
        .bind(block_message.to_string())
        .bind(turn.at.0)
        .bind(BootId::new(Uuid::nil()).to_string())
        .bind(false);
    for (message, seq) in turn.messages.iter().zip(seq + 1..) {
        messages::put(batch, seq, message)?;
        search_entries::put(batch, message);
    }
    batch
        .add("UPDATE conversations SET next_position = next_position + $2 WHERE id = $1")
        .bind(imported.id.to_string())
        .bind(to_column(turn.history.len() as u64));
    history::append(batch, imported.id, turn.id, &turn.history)?;
    let shown: Vec<Clean<EventBody>> = turn.messages.iter().map(Clean::to_event).collect();
    let all = [&turn.start].into_iter().chain(&shown).chain([&turn.done]);
    events::insert(batch, imported.id, turn.id, seq, all, turn.at)?;
    Ok(next)
}

fn is_of_person(message: &Message) -> bool {
    message.role == Role::User
}
