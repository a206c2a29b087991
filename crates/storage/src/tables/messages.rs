//! Messages as people see them.

use parlor_database::{Batch, Connection, Row, query};
use parlor_guard::Clean;
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{ConversationId, MessageId, MessageType, PromptId, Role, Timestamp, TurnId};

use crate::columns::{json, optional_json, parsed, to_column, to_json};
use crate::error::StorageError;
use crate::scope::{Scope, sees_conversation};
use crate::served::Served;
use crate::store::Store;

impl Store {
    /// A message of a conversation that is seen.
    pub async fn message(
        &self,
        scope: &Scope,
        conversation: ConversationId,
        message_id: MessageId,
    ) -> Result<Served<Message>, StorageError> {
        let select = query(format!(
            "SELECT m.* FROM messages m WHERE m.id = $1 AND m.conversation_id = $2 AND {}",
            sees_conversation("m.conversation_id", 3)
        ));
        let select = select.bind(message_id.to_string()).bind(conversation.to_string());
        let row = scope.bind(select).fetch_one(self.reader()).await?;
        message(&row).map(Served::new)
    }

    /// The person's message that began the turn of a message.
    pub async fn message_that_began(
        &self,
        scope: &Scope,
        conversation: ConversationId,
        message_id: MessageId,
    ) -> Result<Served<Message>, StorageError> {
        let select = query(format!(
            "SELECT m.* FROM messages named
             JOIN turns t ON t.id = named.turn_id
             JOIN messages m ON m.id = t.message_id
             WHERE named.id = $1 AND named.conversation_id = $2 AND {}",
            sees_conversation("named.conversation_id", 3)
        ));
        let select = select.bind(message_id.to_string()).bind(conversation.to_string());
        let row = scope.bind(select).fetch_one(self.reader()).await?;
        message(&row).map(Served::new)
    }

    /// The message that shows a prompt of a turn.
    pub async fn message_of_prompt(
        &self,
        conversation: ConversationId,
        turn: TurnId,
        prompt: PromptId,
    ) -> Result<Option<Served<Message>>, StorageError> {
        let rows = query(
            "SELECT * FROM messages WHERE conversation_id = $1 AND turn_id = $2 ORDER BY seq",
        )
        .bind(conversation.to_string())
        .bind(turn.to_string())
        .fetch_all(self.reader())
        .await?;
        let messages = rows.iter().map(message).collect::<Result<Vec<_>, _>>()?;
        let id = serde_json::json!(prompt);
        let shows = |message: &Message| message.metadata.get("prompt_id") == Some(&id);
        Ok(messages.into_iter().find(shows).map(Served::new))
    }
}

/// Writes a message, or replaces the one with its id.
pub(crate) fn put(
    batch: &mut Batch,
    seq: u64,
    message: &Clean<Message>,
) -> Result<(), StorageError> {
    let message = message.get();
    let optional = |json: Option<Result<String, StorageError>>| json.transpose();
    batch
        .add(
            "INSERT INTO messages (id, conversation_id, turn_id, seq, role, message_type, content,
             data, options, questions, metadata, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
             ON CONFLICT (id) DO UPDATE SET message_type = $6, content = $7, data = $8,
             options = $9, questions = $10, metadata = $11",
        )
        .bind(message.id.to_string())
        .bind(message.conversation_id.to_string())
        .bind(message.turn_id.to_string())
        .bind(to_column(seq))
        .bind(role_name(message.role))
        .bind(message.message_type.as_str())
        .bind(&message.content)
        .bind(optional(message.data.as_ref().map(to_json))?)
        .bind(optional(message.options.as_ref().map(to_json))?)
        .bind(optional(message.questions.as_ref().map(to_json))?)
        .bind(to_json(&message.metadata)?)
        .bind(message.created_at.0);
    Ok(())
}

/// All messages of a conversation, in order.
pub(crate) async fn of_conversation(
    connection: &mut Connection,
    id: ConversationId,
) -> Result<Vec<Served<Message>>, StorageError> {
    let rows = query("SELECT * FROM messages WHERE conversation_id = $1 ORDER BY seq")
        .bind(id.to_string())
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| message(row).map(Served::new)).collect()
}

/// The messages of a conversation up to a number of its log, or all of them, in order.
pub(crate) async fn up_to(
    connection: &mut Connection,
    id: ConversationId,
    until: Option<u64>,
) -> Result<Vec<Message>, StorageError> {
    let rows =
        query("SELECT * FROM messages WHERE conversation_id = $1 AND seq <= $2 ORDER BY seq")
            .bind(id.to_string())
            .bind(until.map_or(i64::MAX, to_column))
            .fetch_all(connection)
            .await?;
    rows.iter().map(message).collect()
}

/// Reads a row of `messages`, or a row of `events` joined with it.
pub(crate) fn message(row: &Row) -> Result<Message, StorageError> {
    let message_type = MessageType::from_name(row.try_get("message_type")?);
    let data = optional_json(row, "data")?;
    Ok(Message {
        id: parsed(row, "id")?,
        conversation_id: parsed(row, "conversation_id")?,
        turn_id: parsed(row, "turn_id")?,
        role: role_from_name(row.try_get("role")?),
        content: row.try_get("content")?,
        data: data.map(|data| MessageData::from_json(&message_type, data)),
        options: optional_json(row, "options")?,
        questions: optional_json(row, "questions")?,
        metadata: json(row, "metadata")?,
        created_at: Timestamp(row.try_get("created_at")?),
        message_type,
    })
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

pub(crate) fn role_from_name(name: &str) -> Role {
    match name {
        "user" => Role::User,
        "tool" => Role::Tool,
        _ => Role::Assistant,
    }
}
