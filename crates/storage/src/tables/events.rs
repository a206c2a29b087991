//! The numbered log of a conversation: its events. What of it is text that streams is
//! in [`super::text_blocks`]; it is read in [`crate::queries::log`].

use parlor_database::{Batch, Connection, query};
use parlor_guard::Clean;
use parlor_protocol::{ConversationId, EventBody, EventId, Timestamp, TurnId};

use crate::columns::{counter, to_column, to_json};
use crate::error::StorageError;
use crate::served::Served;

/// An event with its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// Its id.
    pub id: EventId,
    /// What happened.
    pub body: Served<EventBody>,
}

/// What an `INSERT` into the log names.
pub(crate) const INTO: &str =
    "events (conversation_id, seq, turn_id, kind, message_id, body, created_at)";

/// Writes events, numbered from `first` on. The text of a message is in its own row.
pub(crate) fn insert<'e>(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    first: u64,
    events: impl IntoIterator<Item = &'e Clean<EventBody>>,
    now: Timestamp,
) -> Result<Vec<Logged>, StorageError> {
    let mut logged = Vec::new();
    let mut rows = Vec::new();
    for (seq, event) in (first..).zip(events) {
        rows.push(match event.get() {
            EventBody::Message(message) => {
                (seq, "message", Some(message.id.to_string()), String::new())
            }
            other => (seq, "event", None, to_json(other)?),
        });
        let body = Served::new(event.get().clone());
        logged.push(Logged { id: EventId::durable(seq), body });
    }
    batch.insert(INTO, rows, |row, (seq, kind, message, body)| {
        row.bind(conversation.to_string())
            .bind(to_column(seq))
            .bind(turn.to_string())
            .bind(kind)
            .bind(message)
            .bind(body)
            .bind(now.0);
    });
    Ok(logged)
}

/// The number of the last event that is not a text block; 0 if there is none.
pub(crate) async fn last_durable(
    connection: &mut Connection,
    conversation: ConversationId,
) -> Result<u64, StorageError> {
    let row = query(
        "SELECT COALESCE(MAX(seq), 0) AS last FROM events
         WHERE conversation_id = $1 AND kind <> 'block'",
    )
    .bind(conversation.to_string())
    .fetch_one(connection)
    .await?;
    counter(&row, "last")
}
