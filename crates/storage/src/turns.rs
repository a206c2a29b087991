//! Turns: how one begins, and what is known of those that did.

use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{
    ClientMessageId, ConversationId, EventBody, MessageId, Mode, ProjectId, TenantId, Timestamp,
    TurnId,
};
use parlor_sqlite::{Batch, Fault};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::conversations::mode_name;
use crate::decisions::{self, Answering};
use crate::error::StorageError;
use crate::images::{self, NewImage};
use crate::log::{self, Logged};
use crate::prompts::{self, Closing, PromptWrite};
use crate::rows::{counter, parsed, to_column};
use crate::store::Store;
use crate::{history, messages};

/// What begins a turn, and all that is written with it: a person's message, or nothing
/// if the agent begins it by itself.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    /// Whose conversation.
    pub tenant: TenantId,
    /// Which one.
    pub conversation: ConversationId,
    /// Set if it begins with this turn.
    pub new: Option<NewConversation>,
    /// The mode that holds from now on, if it changes.
    pub mode: Option<Mode>,
    /// The turn.
    pub turn: TurnId,
    /// The session or key that began it, or the agent.
    pub started_by: String,
    /// The client's mark.
    pub client_message_id: Option<ClientMessageId>,
    /// The person's message.
    pub message: Option<Clean<Message>>,
    /// The event that acknowledges it.
    pub start: Clean<EventBody>,
    /// What the model is told.
    pub history: Vec<Value>,
    /// The picture that came with it.
    pub image: Option<NewImage>,
    /// The prompt that the message answers.
    pub answers: Option<Box<Answering>>,
    /// Prompts that the message passes over.
    pub passes_over: Vec<Closing>,
    /// Their ends for the log, with that of the one that is answered.
    pub closed: Vec<Clean<EventBody>>,
    /// The message that streams first, if text does.
    pub block_message: MessageId,
    /// When.
    pub now: Timestamp,
}

/// A conversation that begins.
#[derive(Debug, Clone)]
pub struct NewConversation {
    /// The agent that it is held with.
    pub project: ProjectId,
    /// What it is called.
    pub title: String,
    /// Whether the agent plans or acts.
    pub mode: Mode,
}

/// A turn that began.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunTurn {
    /// The epoch that its writes carry.
    pub epoch: u64,
    /// What was written to the log.
    pub events: Vec<Logged>,
    /// The next free number of the log.
    pub next_seq: u64,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// Where.
    pub conversation: ConversationId,
    /// Its `start` in the log.
    pub start_seq: u64,
    /// How it stands.
    pub status: TurnStatus,
}

/// How a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnStatus {
    /// It runs.
    Running,
    /// The agent was finished.
    Complete,
    /// A person stopped it.
    Stopped,
    /// It failed.
    Error,
    /// The server went down under it.
    Interrupted,
}

impl Store {
    /// Writes a person's message and begins its turn, all or nothing. When it
    /// returns, the message is acknowledged: it will not be lost.
    pub async fn begin_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, StorageError> {
        let Some(new) = &begin.new else { return self.begin_next_turn(begin).await };
        let mut batch = Batch::default();
        let (epoch, start_seq) = insert_conversation(&mut batch, begin, new);
        let begun = insert(&mut batch, begin, epoch, start_seq)?;
        self.run(batch).await.map_err(running)?;
        Ok(begun)
    }

    /// The numbers have to be read first, and prompts may end with this message.
    async fn begin_next_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, StorageError> {
        let mut transaction = self.write().await?;
        let mut batch = Batch::default();
        let (epoch, start_seq) = reserve(&mut transaction, begin).await?;
        let begun = insert(&mut batch, begin, epoch, start_seq)?;
        if let Err(fault) = batch.run(&mut transaction).await.outcome() {
            let error = running(fault.into());
            drop(transaction);
            if matches!(error, StorageError::TurnRunning) {
                // What was in the way may wait for the same commit. Whoever asks
                // what it was must be able to see it: the next pen is after that.
                drop(self.write().await?);
            }
            return Err(error);
        }
        close_prompts(&mut transaction, begin).await?;
        transaction.commit().await?;
        Ok(begun)
    }

    /// The turn that a client's mark began already, if it did (H-5).
    pub async fn turn_by_client_message(
        &self,
        tenant: &TenantId,
        started_by: &str,
        mark: &ClientMessageId,
    ) -> Result<Option<Turn>, StorageError> {
        let row = sqlx::query(
            "SELECT * FROM turns WHERE tenant = $1 AND started_by = $2 AND client_message_id = $3",
        )
        .bind(tenant.as_str())
        .bind(started_by)
        .bind(mark.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(turn).transpose()
    }
}

/// All that a beginning adds to a conversation, from a number on.
fn insert(
    batch: &mut Batch,
    begin: &BeginTurn,
    epoch: u64,
    start_seq: u64,
) -> Result<BegunTurn, StorageError> {
    insert_turn(batch, begin, epoch, start_seq);
    if let Some(message) = &begin.message {
        messages::put(batch, start_seq + 1, message)?;
    }
    history::append(batch, begin.conversation, begin.turn, &begin.history)?;
    if let Some(image) = &begin.image {
        images::put(batch, begin.conversation, image, begin.now);
    }
    let message = begin.message.as_ref().map(Clean::to_event);
    let events = [&begin.start].into_iter().chain(&message).chain(&begin.closed);
    let events = log::insert(batch, begin.conversation, begin.turn, start_seq, events, begin.now)?;
    let next_seq = start_seq + events.len() as u64;
    Ok(BegunTurn { epoch, events, next_seq })
}

/// A conversation as its first turn leaves it. Gives epoch and first number.
fn insert_conversation(batch: &mut Batch, begin: &BeginTurn, new: &NewConversation) -> (u64, u64) {
    batch
        .add(
            "INSERT INTO conversations (id, tenant, project, title, mode, epoch, next_seq,
             next_position, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $8)",
        )
        .bind(begin.conversation.to_string())
        .bind(begin.tenant.as_str())
        .bind(new.project.as_str())
        .bind(&new.title)
        .bind(mode_name(new.mode))
        .bind(to_column(1 + begin.numbers()))
        .bind(to_column(1 + begin.history.len() as u64))
        .bind(begin.now.0);
    (1, 1)
}

/// Takes the numbers in a conversation that is there. Gives epoch and first number.
async fn reserve(
    transaction: &mut SqliteConnection,
    begin: &BeginTurn,
) -> Result<(u64, u64), StorageError> {
    let numbers = begin.numbers();
    let row = sqlx::query(
        "UPDATE conversations SET next_seq = next_seq + $4, next_position = next_position + $5,
         updated_at = $3, mode = COALESCE($6, mode)
         WHERE id = $1 AND tenant = $2 RETURNING epoch, next_seq",
    )
    .bind(begin.conversation.to_string())
    .bind(begin.tenant.as_str())
    .bind(begin.now.0)
    .bind(to_column(numbers))
    .bind(to_column(begin.history.len() as u64))
    .bind(begin.mode.map(mode_name))
    .fetch_one(transaction)
    .await?;
    Ok((counter(&row, "epoch")?, counter(&row, "next_seq")?.saturating_sub(numbers)))
}

/// The prompts that end with this message. Their ends are in the same write.
async fn close_prompts(
    transaction: &mut SqliteConnection,
    begin: &BeginTurn,
) -> Result<(), StorageError> {
    let mut told = Vec::new();
    if let Some(answering) = &begin.answers {
        if !decisions::answer(transaction, answering).await? {
            return Err(StorageError::PromptClosed);
        }
        told.push(answering.closing.id);
    }
    for closing in &begin.passes_over {
        if !prompts::close(transaction, closing).await? {
            return Err(StorageError::PromptClosed);
        }
        told.push(closing.id);
    }
    let mut batch = Batch::default();
    for id in told {
        prompts::apply(&mut batch, begin.turn, &PromptWrite::Told(id), begin.now)?;
    }
    Ok(batch.run(transaction).await.outcome()?)
}

impl BeginTurn {
    fn event_count(&self) -> u64 {
        1 + u64::from(self.message.is_some()) + self.closed.len() as u64
    }

    /// One more than there are events is kept out of reach: the text that
    /// streams next is shown before anything is written.
    fn numbers(&self) -> u64 {
        self.event_count() + 1
    }
}

fn insert_turn(batch: &mut Batch, begin: &BeginTurn, epoch: u64, start_seq: u64) {
    batch
        .add(
            "INSERT INTO turns (id, conversation_id, tenant, started_by, client_message_id,
             message_id, start_seq, epoch, status, block_seq, block_message, started_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9, $10, $11)",
        )
        .bind(begin.turn.to_string())
        .bind(begin.conversation.to_string())
        .bind(begin.tenant.as_str())
        .bind(&begin.started_by)
        .bind(begin.client_message_id.as_ref().map(ClientMessageId::as_str))
        .bind(
            begin.message.as_ref().map_or_else(String::new, |message| message.get().id.to_string()),
        )
        .bind(to_column(start_seq))
        .bind(to_column(epoch))
        .bind(to_column(start_seq + begin.event_count()))
        .bind(begin.block_message.to_string())
        .bind(begin.now.0);
}

/// One of the two unique indexes of turns: a turn runs, or the mark was used.
/// All other keys of a beginning are new.
fn running(error: StorageError) -> StorageError {
    match &error {
        StorageError::Fault(Fault::Other(cause))
            if cause.as_database_error().is_some_and(|e| e.is_unique_violation()) =>
        {
            StorageError::TurnRunning
        }
        _ => error,
    }
}

fn turn(row: &SqliteRow) -> Result<Turn, StorageError> {
    Ok(Turn {
        id: parsed(row, "id")?,
        conversation: parsed(row, "conversation_id")?,
        start_seq: counter(row, "start_seq")?,
        status: TurnStatus::from_name(row.try_get("status")?),
    })
}

impl TurnStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "running" => Self::Running,
            "complete" => Self::Complete,
            "stopped" => Self::Stopped,
            "error" => Self::Error,
            _ => Self::Interrupted,
        }
    }
}
