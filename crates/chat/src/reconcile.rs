//! After a crash: turns that ran go on, or are ended honestly.
//!
//! A turn goes on from its checkpoint if its agent can and had not begun to
//! speak since: what was said is not said twice. A question that waits keeps
//! waiting, with its full time (P-9). Every other turn ends: what was said so
//! far becomes a message that says it is unfinished, for people and for the
//! model, its questions lapse, and calls that were made are marked as unknown.
//! Nobody has to do anything, and no turn runs for ever.

use parlor_agent::{Checkpoint, HistoryMessage};
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    CallId, DoneReason, EventBody, MessageId, MessageType, PromptOutcome, Role, ToolStatus,
};
use parlor_storage::{
    BlockKind, Commit, InterruptedTurn, NewEvent, OpenTextBlock, PromptWrite, RunStatus, RunWrite,
    Step, StorageError, TextBlock, TurnOutcome, TurnStatus,
};
use serde_json::Value;
use uuid::Uuid;

use crate::chat_agent::Chat;
use crate::prompts::unanswered;
use crate::session::raw;
use crate::texts::now;

/// A turn that takes the server down with it must not do so for ever.
const MOST_RESUMES: u64 = 3;

/// Takes over every turn that ran when the server went down.
pub(crate) async fn take_over(chat: &Chat) -> Result<(), StorageError> {
    let (mut resumed, mut ended) = (0, 0);
    for mut turn in chat.store().take_over().await? {
        let project = chat.projects().get(&turn.tenant, &turn.project).cloned();
        let checkpoint = turn.checkpoint.take().map(Checkpoint);
        match (project, checkpoint) {
            (Some(project), Some(checkpoint))
                if turn.block.is_none()
                    && turn.resumes <= MOST_RESUMES
                    && project.agent.can_resume(&checkpoint) =>
            {
                resumed += 1;
                chat.resume(turn, checkpoint, project);
            }
            _ => {
                ended += 1;
                end(chat, turn).await?;
            }
        }
    }
    if resumed + ended > 0 {
        tracing::warn!(resumed, ended, "turns were interrupted when the server went down");
    }
    Ok(())
}

async fn end(chat: &Chat, mut turn: InterruptedTurn) -> Result<(), StorageError> {
    for prompt in &mut turn.prompts {
        if prompt.outcome.is_none() {
            let mut answering = unanswered(prompt, PromptOutcome::Expired);
            answering.closing.forced = true;
            chat.store().resolve_prompt(&answering).await?;
            *prompt = chat.store().prompt(&turn.tenant, prompt.id).await?;
        }
    }
    chat.store().commit(&ending(&turn)).await.map(|_| ())
}

fn ending(turn: &InterruptedTurn) -> Commit {
    // What is written here was cleaned when it streamed; cleaning again with
    // the default rules takes nothing away that a project wants to show.
    let sanitizer = Sanitizer::default();
    let event = |body| NewEvent { body: Clean::new(&sanitizer, body), message: None };
    let mut events = Vec::new();
    if let Some(block) = &turn.block {
        let message = Clean::new(&sanitizer, message_of(turn, block));
        events.push(NewEvent { body: message.to_event(), message: Some(message) });
    }
    let closed = turn.prompts.iter().filter_map(|prompt| prompt.closed());
    events.extend(closed.map(|closed| event(EventBody::UserPromptClosed(Box::new(closed)))));
    events.extend(turn.runs.iter().map(|run| {
        event(EventBody::ToolUse {
            tool: run.tool.clone(),
            call_id: CallId::new(run.id),
            status: ToolStatus::Error,
            progress: None,
        })
    }));
    events.push(event(EventBody::Done {
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        tokens_used: None,
        reason: DoneReason::Interrupted,
    }));
    let said = turn.block.iter().filter(|block| block.kind == BlockKind::Text);
    Commit {
        conversation: turn.conversation,
        epoch: turn.epoch,
        turn: turn.turn,
        first_seq: turn.next_seq,
        step: Step {
            events,
            closes_block: turn.block.as_ref().map(|block| TextBlock {
                seq: block.seq,
                message: block.message,
                kind: block.kind,
                parts: 1,
            }),
            history: said.map(remembered).collect(),
            runs: turn.runs.iter().map(abandoned).collect(),
            prompts: turn.prompts.iter().map(|prompt| PromptWrite::Logged(prompt.id)).collect(),
            end: Some(TurnOutcome {
                status: TurnStatus::Interrupted,
                tokens_used: None,
                cost_micros: None,
            }),
            ..Step::default()
        },
        block_message: MessageId::new(Uuid::now_v7()),
        now: now(),
    }
}

fn abandoned(run: &parlor_storage::ToolRun) -> RunWrite {
    let to = match run.status {
        RunStatus::Started => RunStatus::OutcomeUnknown,
        _ => RunStatus::Cancelled,
    };
    RunWrite::Move { id: run.id, to, result: None }
}

fn remembered(block: &OpenTextBlock) -> Value {
    raw(&HistoryMessage::assistant(block.raw.clone()))
}

fn message_of(turn: &InterruptedTurn, block: &OpenTextBlock) -> Message {
    let interrupted = ("interrupted".to_owned(), Value::Bool(true));
    Message {
        id: block.message,
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        role: Role::Assistant,
        message_type: match block.kind {
            BlockKind::Thinking => MessageType::Thinking,
            BlockKind::Text => MessageType::Info,
        },
        content: block.clean.get().clone(),
        data: None,
        options: None,
        questions: None,
        metadata: Metadata::from_iter([interrupted]),
        created_at: now(),
    }
}
