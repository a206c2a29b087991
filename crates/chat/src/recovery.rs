//! Recovery: what happens to turns that were unfinished when the server went down.
//!
//! A turn is resumed from its checkpoint if its agent can and had not streamed text since:
//! nothing is said twice. An open prompt stays open, with its full time (P-9). Every other
//! turn is ended: the text so far becomes a message that is marked as interrupted, for people
//! and for the model; its prompts expire, and runs that were started have an unknown outcome.
//! Nobody has to do anything, and no turn runs for ever.

use std::sync::Arc;

use parlor_agent::{Checkpoint, HistoryMessage};
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    CallId, DoneReason, EventBody, MessageType, PromptOutcome, Role, ToolStatus, metadata,
};
use parlor_storage::{
    BlockKind, Commit, InterruptedTurn, NewEvent, OpenTextBlock, PromptWrite, RunWrite, Step,
    StorageError, TextBlock, TurnOutcome, TurnStatus,
};

use crate::clock::now;
use crate::prompts::closing::unanswered;
use crate::state::ChatState;
use crate::turn::{self, abandoned, empty_write, history_json};

/// A turn that crashes the server is resumed at most so often.
const MAX_RESUMES: u64 = 3;

/// Takes over every turn that was running when the server went down.
pub(crate) async fn take_over(state: &Arc<ChatState>) -> Result<(), StorageError> {
    let (mut resumed, mut ended) = (0, 0);
    for mut turn in state.store.take_over().await? {
        let project = state.projects.get(&turn.tenant, &turn.project).cloned();
        let checkpoint = turn.checkpoint.take().map(Checkpoint);
        match (project, checkpoint) {
            (Some(project), Some(checkpoint))
                if turn.block.is_none()
                    && turn.resumes <= MAX_RESUMES
                    && project.agent.can_resume(&checkpoint) =>
            {
                resumed += 1;
                turn::resume(state, turn, checkpoint, project);
            }
            _ => {
                ended += 1;
                end(state, turn).await?;
            }
        }
    }
    if resumed + ended > 0 {
        tracing::warn!(resumed, ended, "turns were interrupted when the server went down");
    }
    Ok(())
}

async fn end(state: &ChatState, mut turn: InterruptedTurn) -> Result<(), StorageError> {
    for prompt in &mut turn.prompts {
        if prompt.outcome.is_none() {
            let mut expired = unanswered(prompt, PromptOutcome::Expired);
            expired.closing.forced = true;
            state.store.resolve_prompt(&expired).await?;
            *prompt = state.store.prompt(&turn.tenant, prompt.id).await?;
        }
    }
    state.store.commit(&last_write(&turn)).await.map(|_| ())
}

fn last_write(turn: &InterruptedTurn) -> Commit {
    // Everything here was cleaned when it streamed; the default rules remove nothing that a
    // project wants to show.
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
        let (tool, call_id) = (run.tool.clone(), CallId::new(run.id));
        let status = ToolStatus::Error;
        event(EventBody::ToolUse { tool, call_id, status, progress: None })
    }));
    events.push(event(EventBody::Done {
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        tokens_used: None,
        reason: DoneReason::Interrupted,
    }));
    let status = TurnStatus::Interrupted;
    let said = turn.block.iter().filter(|block| block.kind == BlockKind::Text);
    Commit {
        first_seq: turn.next_seq,
        step: Step {
            events,
            closes_block: turn.block.as_ref().map(|block| TextBlock {
                seq: block.seq,
                message: block.message,
                kind: block.kind,
                parts: 1,
            }),
            history: said
                .map(|block| history_json(&HistoryMessage::assistant(block.raw.clone())))
                .collect(),
            runs: turn
                .runs
                .iter()
                .map(|run| RunWrite::Move { id: run.id, to: abandoned(run), result: None })
                .collect(),
            prompts: turn.prompts.iter().map(|prompt| PromptWrite::Logged(prompt.id)).collect(),
            end: Some(TurnOutcome { status, tokens_used: None, cost_micros: None }),
            ..Step::default()
        },
        now: now(),
        ..empty_write(turn.conversation, turn.turn, turn.epoch)
    }
}

fn message_of(turn: &InterruptedTurn, block: &OpenTextBlock) -> Message {
    let mut metadata = Metadata::new();
    metadata::INTERRUPTED.set(&mut metadata, &true);
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
        metadata,
        created_at: now(),
    }
}
