//! After a crash: ends the turns that ran, honestly.
//!
//! What was said so far becomes a message that says it is unfinished, for
//! people and for the model; then the turn is `interrupted`. Nobody has to do
//! anything, and no turn runs for ever.

use parlor_agents::HistoryMessage;
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{DoneReason, EventBody, MessageId, MessageType, Role};
use parlor_storage::{Block, Commit, Interrupted, NewEvent, OpenBlock, StorageError, Store};
use parlor_storage::{TurnEnd, TurnStatus};
use serde_json::Value;
use uuid::Uuid;

use crate::session::raw;
use crate::texts::now;

/// Takes over and ends every turn that ran when the server went down; says how
/// many there were.
pub(crate) async fn end_interrupted_turns(store: &Store) -> Result<usize, StorageError> {
    let interrupted = store.take_over().await?;
    for turn in &interrupted {
        store.commit(&ending(turn)).await?;
    }
    Ok(interrupted.len())
}

fn ending(turn: &Interrupted) -> Commit {
    // What is written here was cleaned when it streamed; cleaning again with
    // the default rules takes nothing away that a project wants to show.
    let sanitizer = Sanitizer::default();
    let done = EventBody::Done {
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        tokens_used: None,
        reason: DoneReason::Interrupted,
    };
    let mut events = Vec::new();
    if let Some(block) = &turn.block {
        let message = Clean::new(&sanitizer, message_of(turn, block));
        events.push(NewEvent { body: message.to_event(), message: Some(message) });
    }
    events.push(NewEvent { body: Clean::new(&sanitizer, done), message: None });
    Commit {
        conversation: turn.conversation,
        epoch: turn.epoch,
        turn: turn.turn,
        first_seq: turn.next_seq,
        events,
        closes_block: turn.block.as_ref().map(|block| Block {
            seq: block.seq,
            message: block.message,
            thinking: block.thinking,
            parts: 1,
        }),
        history: turn.block.iter().filter(|block| !block.thinking).map(remembered).collect(),
        checkpoint: None,
        block_message: MessageId::new(Uuid::now_v7()),
        end: Some(TurnEnd { status: TurnStatus::Interrupted, tokens_used: None }),
        now: now(),
    }
}

fn remembered(block: &OpenBlock) -> Value {
    raw(&HistoryMessage::assistant(block.raw.clone()))
}

fn message_of(turn: &Interrupted, block: &OpenBlock) -> Message {
    let interrupted = ("interrupted".to_owned(), Value::Bool(true));
    Message {
        id: block.message,
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        role: Role::Assistant,
        message_type: if block.thinking { MessageType::Thinking } else { MessageType::Info },
        content: block.clean.get().clone(),
        data: None,
        options: None,
        questions: None,
        metadata: Metadata::from_iter([interrupted]),
        created_at: now(),
    }
}
