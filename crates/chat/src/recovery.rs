//! Recovery: what happens to turns that were unfinished when a server went down, this one or
//! another node.
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
    BlockKind, Claim, Commit, InterruptedTurn, NewEvent, OpenTextBlock, PromptWrite, RunWrite,
    Scope, Step, StorageError, TextBlock, TurnFigures, TurnOutcome, TurnStatus,
};

use crate::apps::call_agent;
use crate::clock::now;
use crate::prompts::closing::unanswered;
use crate::state::ChatState;
use crate::turn::{self, abandoned, empty_write, history_json};

/// A turn that crashes the server is resumed at most so often.
const MAX_RESUMES: u64 = 3;

/// Takes over turns: those of a server that went down, or one that was handed over.
pub(crate) async fn take_over(state: &Arc<ChatState>, claim: Claim) -> Result<(), StorageError> {
    let (mut resumed, mut ended, mut result) = (0, 0, Ok(()));
    for turn in state.store.take_over(state.node.boot(), claim).await? {
        match go_on(state, turn) {
            Ok(()) => resumed += 1,
            Err(turn) => {
                ended += 1;
                // The others must not wait for one that fails.
                result = result.and(end(state, *turn).await);
            }
        }
    }
    if resumed + ended > 0 && !matches!(claim, Claim::HandedOver(_)) {
        tracing::warn!(resumed, ended, "took over turns of a server that went down");
    }
    result
}

/// What this node takes over from servers that are gone.
pub(crate) fn abandoned_turns(state: &ChatState) -> Claim {
    let home_patience_ms = i64::try_from(state.node.home_patience.as_millis()).unwrap_or(i64::MAX);
    Claim::Abandoned { node: state.node.id(), home_patience_ms }
}

/// Begins or resumes a turn, if that can be done; else gives it back.
fn go_on(state: &Arc<ChatState>, mut turn: InterruptedTurn) -> Result<(), Box<InterruptedTurn>> {
    let Some(project) = state.projects.get(&turn.tenant, &turn.project).cloned() else {
        return Err(Box::new(turn));
    };
    let checkpoint = turn.checkpoint.take().map(Checkpoint);
    let project = match &checkpoint {
        Some(checkpoint) => call_agent::of_checkpoint(project, checkpoint),
        None => project,
    };
    let is_home = turn.home.is_none_or(|home| home == state.node.id());
    let is_elsewhere = project.agent.needs_home() && !is_home;
    match checkpoint {
        _ if turn.is_stopped => return Err(Box::new(turn)),
        None if turn.handed_over => turn::begin_handed_over(state, turn, project),
        Some(checkpoint)
            if turn.block.is_none()
                && turn.resumes <= MAX_RESUMES
                && !is_elsewhere
                && project.agent.can_resume(&checkpoint) =>
        {
            turn::resume(state, turn, checkpoint, project);
        }
        _ => return Err(Box::new(turn)),
    }
    Ok(())
}

async fn end(state: &ChatState, mut turn: InterruptedTurn) -> Result<(), StorageError> {
    let scope = Scope::of_server(turn.tenant.clone());
    for prompt in &mut turn.prompts {
        if prompt.outcome.is_none() {
            let mut expired = unanswered(prompt, PromptOutcome::Expired);
            expired.closing.forced = true;
            state.store.resolve_prompt(&expired).await?;
            *prompt = state.store.prompt(&scope, prompt.id).await?;
        }
    }
    let write = last_write(&turn);
    let logged = state.store.commit(&write).await?;
    if let Some(project) = state.projects.get(&turn.tenant, &turn.project) {
        project.metrics.written(&write.step);
        let closed = turn.prompts.iter().filter_map(|prompt| Some((prompt, prompt.closed()?)));
        closed
            .for_each(|(prompt, closed)| project.metrics.closed(prompt, closed.outcome, closed.at));
    }
    let log = state.live_turns.log(turn.conversation);
    log.start_over();
    log.publish(logged);
    Ok(())
}

fn last_write(turn: &InterruptedTurn) -> Commit {
    // Everything here was cleaned when it streamed; the default rules remove nothing that a
    // project wants to show.
    let sanitizer = Sanitizer::default();
    let event = |body| NewEvent { body: Clean::new(&sanitizer, body), message: None };
    let (reason, status) = match turn.is_stopped {
        true => (DoneReason::Stopped, TurnStatus::Stopped),
        false => (DoneReason::Interrupted, TurnStatus::Interrupted),
    };
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
        event(EventBody::ToolUse { tool, call_id, status, input: None, progress: None })
    }));
    events.push(event(EventBody::Done {
        conversation_id: turn.conversation,
        turn_id: turn.turn,
        tokens_used: None,
        reason,
    }));
    let said = turn.block.iter().filter(|block| block.kind == BlockKind::Text);
    Commit {
        first_seq: turn.next_seq,
        step: Step {
            events,
            closes_block: Some(last_block(turn)),
            history: said
                .map(|block| history_json(&HistoryMessage::assistant(block.raw.clone())))
                .collect(),
            runs: turn
                .runs
                .iter()
                .map(|run| RunWrite::Move {
                    id: run.id,
                    to: abandoned(run),
                    result: None,
                    told: None,
                })
                .collect(),
            prompts: turn.prompts.iter().map(|prompt| PromptWrite::Logged(prompt.id)).collect(),
            end: Some(TurnOutcome { status, tokens_used: None, cost_micros: None }),
            figures: Some(TurnFigures {
                tenant: turn.tenant.clone(),
                project: turn.project.clone(),
                first_ms: None,
                took_ms: None,
                error: None,
            }),
            ..Step::default()
        },
        now: now(),
        ..empty_write(turn.conversation, turn.turn, turn.epoch)
    }
}

/// The text block that the end closes: the one that was streaming, or the one whose text may
/// have been shown and was not stored, so that its readers learn that it is lost.
fn last_block(turn: &InterruptedTurn) -> TextBlock {
    match &turn.block {
        Some(OpenTextBlock { seq, message, kind, .. }) => {
            TextBlock { seq: *seq, message: *message, kind: *kind, parts: 1 }
        }
        None => turn::lost_block(turn),
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
