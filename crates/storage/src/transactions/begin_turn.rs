//! Begins a turn: message, raw history, files, `start` and the turn itself in one
//! write, together with the prompts that the message closes.
//!
//! 1. The numbers of the log: a new conversation begins with 1; in any other they are
//!    taken from its row. Where there are branches, the turn that this one follows.
//! 2. The rows. A unique index keeps a second running turn out.
//! 3. The prompts: each must still be open, or nothing is written.

use parlor_database::{Batch, Connection, Fault, query};
use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{
    BootId, Branch, ClientMessageId, ConversationId, EventBody, MessageId, Mode, NodeId, PersonId,
    TenantId, Timestamp, TurnId,
};
use serde_json::Value;

use super::resolve_prompt::{self, PromptResolution};
use crate::columns::{counter, optional_counter, to_column};
use crate::error::StorageError;
use crate::path::Path;
use crate::queries::branches;
use crate::store::Store;
use crate::tables::conversations::{self, NewConversation, NewRow, mode_name};
use crate::tables::events::{self, Logged};
use crate::tables::external_conversations::{self, ExternalConversation};
use crate::tables::images::{self, StoredFile};
use crate::tables::prompts::{self, PromptClosing, PromptWrite};
use crate::tables::usage::{self, UsageWrite};
use crate::tables::{history, messages, search_entries, tool_runs};

/// A turn that begins, and everything that is written with it: with a person's message,
/// or without one if the agent begins it.
#[derive(Debug, Clone)]
pub struct BeginTurn {
    /// The tenant.
    pub tenant: TenantId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Set if the conversation begins with this turn.
    pub new: Option<NewConversation>,
    /// The title of a conversation that had no message before.
    pub title: Option<String>,
    /// The new mode of the conversation, if it changes.
    pub mode: Option<Mode>,
    /// The turn.
    pub turn: TurnId,
    /// The turn that it follows.
    pub follows: Follows,
    /// The person, session or key that began it, or the agent.
    pub started_by: String,
    /// Whose budget it counts against; that of the shared account if nobody's.
    pub person: Option<PersonId>,
    /// What is used with it: a message.
    pub usage: Option<UsageWrite>,
    /// The client's id of the message: the same one again begins no second turn.
    pub client_message_id: Option<ClientMessageId>,
    /// The hash of the request, for clients that repeat one without an id.
    pub request_hash: Option<String>,
    /// The client's own id of the conversation that begins with this turn.
    pub external: Option<ExternalConversation>,
    /// The tools that the client has for this turn.
    pub client_tools: Option<Value>,
    /// The person's message.
    pub message: Option<Clean<Message>>,
    /// The event that acknowledges it.
    pub start: Clean<EventBody>,
    /// Whether the model reads nothing of others any longer that it was told before.
    pub clears: bool,
    /// The message for the model.
    pub history: Vec<Value>,
    /// The files that came with it.
    pub files: Vec<StoredFile>,
    /// Files of it that others wrote, those of an earlier message among them.
    pub told: Vec<StoredFile>,
    /// The prompts that the message closes.
    pub closes: ClosedPrompts,
    /// The message that streams first, if text does.
    pub block_message: MessageId,
    /// Who takes the turn.
    pub owner: TurnOwner,
    /// When.
    pub now: Timestamp,
}

/// Which turn a turn follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Follows {
    /// The last one of the current path.
    #[default]
    Leaf,
    /// The last one of the log, where the process of a program is.
    Newest,
    /// The last one of the current path if this one is on it; else the newest that follows it.
    PathOf(TurnId),
    /// The one that this one follows: it is another version of it.
    InPlaceOf(TurnId),
}

/// Who takes a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnOwner {
    /// The run of a node.
    pub boot: BootId,
    /// Whether that is another one, which has yet to begin it.
    pub handed_over: bool,
    /// The node that becomes the home of the conversation, if its agent needs one.
    pub home: Option<NodeId>,
}

/// The prompts that a message closes.
#[derive(Debug, Clone, Default)]
pub struct ClosedPrompts {
    /// The prompt that the message answers.
    pub answered: Option<Box<PromptResolution>>,
    /// Open prompts that the message passes over.
    pub passed_over: Vec<PromptClosing>,
    /// The events that close all of them.
    pub events: Vec<Clean<EventBody>>,
}

/// A turn that began.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunTurn {
    /// The epoch that its writes carry.
    pub epoch: u64,
    /// The events that were written.
    pub events: Vec<Logged>,
    /// The next free number of the log.
    pub next_seq: u64,
    /// The path that ends with it.
    pub path: Path,
    /// Whether it does not follow the turn before it in the log.
    pub is_branch: bool,
}

/// The numbers of a turn that begins, and its place in the tree.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    epoch: u64,
    start_seq: u64,
    /// Whether the conversation has branches, this one included.
    has_branches: bool,
    /// The turn that it follows, if that is not the turn before it: its number and the word for it.
    parent: Option<(u64, Branch)>,
}

impl Store {
    /// Writes a person's message and begins its turn, all or nothing. When it
    /// returns, the message is acknowledged: it will not be lost.
    pub async fn begin_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, StorageError> {
        let Some(new) = &begin.new else { return self.begin_next_turn(begin).await };
        let mut batch = Batch::default();
        let beginning = insert_conversation(&mut batch, begin, new);
        let begun = insert(&mut batch, begin, beginning)?;
        match self.run(batch).await.map_err(turn_running) {
            Err(error) if self.has_begun(begin, &error).await? => Ok(begun),
            written => written.map(|()| begun),
        }
    }

    /// Whether a turn began, although that failed with an unknown end.
    async fn has_begun(
        &self,
        begin: &BeginTurn,
        error: &StorageError,
    ) -> Result<bool, StorageError> {
        self.is_written(error, || {
            query("SELECT 1 FROM turns WHERE id = $1").bind(begin.turn.to_string())
        })
        .await
    }

    /// In a transaction: the numbers are read first, and prompts may close.
    async fn begin_next_turn(&self, begin: &BeginTurn) -> Result<BegunTurn, StorageError> {
        let mut transaction = self.begin().await?;
        let mut batch = Batch::default();
        let beginning = reserve(&mut transaction, begin).await?;
        let begun = insert(&mut batch, begin, beginning)?;
        if let Err(fault) = transaction.run(batch).await {
            let error = turn_running(fault.into());
            drop(transaction);
            if matches!(error, StorageError::TurnRunning) {
                // The turn that runs may wait for the same commit. The caller will ask
                // for it, so it must be readable: the next transaction begins after it.
                drop(self.begin().await?);
            }
            return Err(error);
        }
        close_prompts(&mut transaction, begin).await?;
        match transaction.commit().await.map_err(StorageError::from) {
            Err(error) if self.has_begun(begin, &error).await? => Ok(begun),
            written => written.map(|()| begun),
        }
    }
}

/// Everything that a turn adds to a conversation when it begins.
fn insert(
    batch: &mut Batch,
    begin: &BeginTurn,
    beginning: Beginning,
) -> Result<BegunTurn, StorageError> {
    let Beginning { epoch, start_seq, has_branches, parent } = beginning;
    insert_turn(batch, begin, &beginning);
    if let Some(title) = &begin.title {
        search_entries::put_title(batch, begin.conversation, title);
    }
    if let Some(message) = &begin.message {
        messages::put(batch, start_seq + 1, message)?;
        search_entries::put(batch, message);
    }
    if has_branches {
        batch
            .add("UPDATE conversations SET leaf = $2 WHERE id = $1")
            .bind(begin.conversation.to_string())
            .bind(to_column(start_seq));
    } else if begin.clears {
        tool_runs::clear(batch, begin.conversation);
    }
    history::append(batch, begin.conversation, begin.turn, &begin.history)?;
    for file in &begin.files {
        images::insert(batch, begin.conversation, file, begin.now);
    }
    for file in &begin.told {
        images::insert_told(batch, begin.conversation, begin.turn, file, begin.now)?;
    }
    let start = match parent {
        Some((_, branch)) => begin.start.clone().on_branch(branch),
        None => begin.start.clone(),
    };
    let message = begin.message.as_ref().map(Clean::to_event);
    let events = [&start].into_iter().chain(&message).chain(&begin.closes.events);
    let events =
        events::insert(batch, begin.conversation, begin.turn, start_seq, events, begin.now)?;
    if let Some(usage) = &begin.usage {
        usage::add(batch, usage);
    }
    let next_seq = start_seq + events.len() as u64;
    let path = Path::to(begin.conversation, has_branches.then_some(start_seq));
    Ok(BegunTurn { epoch, events, next_seq, path, is_branch: parent.is_some() })
}

/// A conversation as its first turn leaves it.
fn insert_conversation(batch: &mut Batch, begin: &BeginTurn, new: &NewConversation) -> Beginning {
    let row = NewRow {
        id: begin.conversation,
        tenant: &begin.tenant,
        new,
        next_seq: 1 + begin.numbers(),
        next_position: 1 + begin.history.len() as u64,
        home: begin.owner.home,
        now: begin.now,
    };
    conversations::insert(batch, &row);
    if let Some(named) = &begin.external {
        external_conversations::insert(batch, &begin.tenant, begin.conversation, named);
    }
    Beginning { epoch: 1, start_seq: 1, has_branches: false, parent: None }
}

/// Takes the next numbers of a conversation, and finds the place of the turn.
async fn reserve(
    transaction: &mut Connection,
    begin: &BeginTurn,
) -> Result<Beginning, StorageError> {
    let numbers = begin.numbers();
    let row = query(
        "UPDATE conversations SET next_seq = next_seq + $4, next_position = next_position + $5,
         updated_at = $3, mode = COALESCE($6, mode), home = COALESCE($7, home),
         title = COALESCE($8, title)
         WHERE id = $1 AND tenant = $2 AND deleted_at IS NULL RETURNING epoch, next_seq, leaf",
    )
    .bind(begin.conversation.to_string())
    .bind(begin.tenant.as_str())
    .bind(begin.now.0)
    .bind(to_column(numbers))
    .bind(to_column(begin.history.len() as u64))
    .bind(begin.mode.map(mode_name))
    .bind(begin.owner.home.map(|home| home.to_string()))
    .bind(begin.title.as_deref())
    .fetch_one(&mut *transaction)
    .await?;
    let leaf = optional_counter(&row, "leaf")?;
    let is_version = matches!(begin.follows, Follows::InPlaceOf(_));
    Ok(Beginning {
        epoch: counter(&row, "epoch")?,
        start_seq: counter(&row, "next_seq")?.saturating_sub(numbers),
        has_branches: leaf.is_some() || is_version,
        parent: parent(transaction, begin, leaf).await?,
    })
}

/// The turn that a turn follows, if that is not the turn before it in the log. In a conversation
/// that is one line nothing is read, unless the turn is the first that branches.
async fn parent(
    transaction: &mut Connection,
    begin: &BeginTurn,
    leaf: Option<u64>,
) -> Result<Option<(u64, Branch)>, StorageError> {
    let id = begin.conversation;
    let parent = match (begin.follows, leaf) {
        (Follows::InPlaceOf(turn), _) => branches::place(&mut *transaction, id, turn).await?.parent,
        (_, None) | (Follows::Newest, Some(_)) => return Ok(None),
        (Follows::Leaf, Some(leaf)) => leaf,
        (Follows::PathOf(turn), Some(leaf)) => {
            let of = branches::place(&mut *transaction, id, turn).await?.start_seq;
            match branches::is_on_path(transaction, id, leaf, of).await? {
                true => leaf,
                false => branches::newest_from(transaction, id, of).await?.1,
            }
        }
    };
    if parent == 0 {
        return Ok(Some((0, Branch { parent: None })));
    }
    let (turn, newest) = branches::turn_at(transaction, id, parent).await?;
    Ok((parent != newest).then_some((parent, Branch { parent: Some(turn) })))
}

/// Closes the prompts that the message closes. Their events are in the same write, so
/// they are marked as logged.
async fn close_prompts(
    transaction: &mut Connection,
    begin: &BeginTurn,
) -> Result<(), StorageError> {
    let mut closed = Vec::new();
    if let Some(resolution) = &begin.closes.answered {
        if !resolve_prompt::resolve(transaction, resolution).await? {
            return Err(StorageError::PromptClosed);
        }
        closed.push(resolution.closing.id);
    }
    for closing in &begin.closes.passed_over {
        if !prompts::close(transaction, closing).await? {
            return Err(StorageError::PromptClosed);
        }
        closed.push(closing.id);
    }
    let mut batch = Batch::default();
    for id in closed {
        prompts::apply(&mut batch, begin.turn, &PromptWrite::Logged(id), begin.now)?;
    }
    Ok(transaction.run(batch).await?)
}

impl BeginTurn {
    fn event_count(&self) -> u64 {
        1 + u64::from(self.message.is_some()) + self.closes.events.len() as u64
    }

    /// The numbers that it takes: one for each event, and one for the text that streams
    /// next, which is shown before it is stored.
    fn numbers(&self) -> u64 {
        self.event_count() + 1
    }
}

fn insert_turn(batch: &mut Batch, begin: &BeginTurn, beginning: &Beginning) {
    let Beginning { epoch, start_seq, parent, .. } = *beginning;
    batch
        .add(
            "INSERT INTO turns (id, conversation_id, tenant, started_by, client_message_id,
             message_id, start_seq, epoch, status, block_seq, block_message, started_at, owner,
             handed_over, request_hash, client_tools, parent, clears, person)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9, $10, $11, $12, $13, $14, $15,
             $16, $17, $18)",
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
        .bind(begin.now.0)
        .bind(begin.owner.boot.to_string())
        .bind(begin.owner.handed_over)
        .bind(begin.request_hash.as_deref())
        .bind(begin.client_tools.as_ref().map(Value::to_string))
        .bind(parent.map(|(number, _)| to_column(number)))
        .bind(begin.clears)
        .bind(begin.person.map(|person| person.to_string()));
}

/// A violation of one of the two unique indexes of turns: a turn runs, or the client's
/// message id was used; or of the names of conversations: the same one begins twice. All other
/// keys of a beginning are new.
fn turn_running(error: StorageError) -> StorageError {
    match &error {
        StorageError::Fault(Fault::Conflict(_)) => StorageError::TurnRunning,
        _ => error,
    }
}
