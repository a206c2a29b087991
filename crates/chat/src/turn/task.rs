//! The task of a turn: how it starts, with a message, by the agent or from a checkpoint, and
//! what becomes of a failure to persist it.

use std::sync::Arc;

use parlor_agent::{Checkpoint, TurnContext, TurnFlow, TurnStart};
use parlor_protocol::{MessageId, Mode, PersonId, TenantId, TurnId};
use parlor_storage::{
    BeginTurn, BegunTurn, BlockKind, InterruptedTurn, Scope, StorageError, TextBlock, TurnOwner,
};
use serde_json::Value;
use tracing::Instrument;
use uuid::Uuid;

use super::context;
use super::prompt_wait::PromptWait;
use super::running::RunningTurn;
use super::spending::Spending;
use super::timing::TurnTiming;
use super::writer::{TurnWriter, empty_write};
use crate::caller::Accepted;
use crate::client_tools;
use crate::fail_point::{self, FailPoint};
use crate::files::content;
use crate::flow::{FlowPolicy, clearing};
use crate::live_turns::Signals;
use crate::project::Project;
use crate::state::ChatState;
use crate::turn_slots::TurnSlot;

/// A turn whose beginning is stored.
struct StoredTurn {
    tenant: TenantId,
    project: Arc<Project>,
    /// Whose budget it counts against, and whose logins its calls are made with.
    person: Option<PersonId>,
    /// The mode, if it is known without a query.
    mode: Option<Mode>,
    /// The whole history, if the conversation begins with this turn.
    history: Option<Vec<(TurnId, Value)>>,
    /// The tools of the client, if they are known without a query.
    client_tools: Option<Option<Value>>,
    writer: TurnWriter,
    /// Whether it does not follow the turn before it in the log.
    is_branch: bool,
    start: Start,
    /// Counts the turn as long as it runs.
    slot: TurnSlot,
    timing: TurnTiming,
}

/// How the agent begins.
enum Start {
    /// With a person's message.
    Message,
    /// By itself.
    AgentInitiated,
    /// From a checkpoint; the block is text that may have been shown and was not stored.
    Resume(Checkpoint, TextBlock),
}

/// Stores what begins a turn, and starts it, here or at the home of its conversation. In a
/// task of its own, so that a client that disconnects at this moment leaves no turn that is
/// stored as running and has no task.
pub(crate) async fn begin(
    state: &Arc<ChatState>,
    mut write: BeginTurn,
    project: &Arc<Project>,
    slot: TurnSlot,
) -> Result<Accepted, StorageError> {
    let (state, project) = (Arc::clone(state), Arc::clone(project));
    let begin = async move {
        write.owner = owner(&state, &write, &project).await?;
        let begun = state.store.begin_turn(&write).await?;
        fail_point::reached(FailPoint::Begun);
        let start_seq = begun.events.first().map_or(1, |start| start.id.seq);
        let accepted = Accepted::new(write.conversation, write.turn, start_seq);
        match write.owner.handed_over {
            true => state.hand_over(write.conversation, &begun),
            false => start(&state, write, begun, project, slot),
        }
        Ok(accepted)
    };
    let begun = tokio::spawn(begin.in_current_span());
    begun.await.unwrap_or_else(|error| Err(StorageError::Corrupt(error.to_string())))
}

/// Who takes a turn: this node, unless its agent is a program whose files are on another
/// node that runs. If that node is dead, the program begins a session here, and is told what
/// was said.
async fn owner(
    state: &ChatState,
    write: &BeginTurn,
    project: &Project,
) -> Result<TurnOwner, StorageError> {
    let here = state.node.as_owner(project.agent.needs_home());
    if here.home.is_none() || write.new.is_some() || write.message.is_none() {
        return Ok(here);
    }
    let scope = Scope::of_server(write.tenant.clone());
    let home = state.store.conversation(&scope, write.conversation).await?.home;
    Ok(home.and_then(|home| state.node.other(home)).unwrap_or(here))
}

/// Starts a turn whose beginning is stored.
fn start(
    state: &Arc<ChatState>,
    write: BeginTurn,
    begun: BegunTurn,
    project: Arc<Project>,
    slot: TurnSlot,
) {
    let BeginTurn { tenant, conversation, new, mode, turn, message, history, .. } = write;
    let (person, client_tools) = (write.person, write.client_tools);
    // The turn's writer keeps the log alive from here on.
    let log = state.live_turns.log(conversation);
    log.begin_here(begun.epoch);
    log.publish(begun.events);
    let pending = empty_write(conversation, turn, begun.epoch);
    let store = state.store.clone();
    let mode = mode.or(new.as_ref().map(|new| new.mode));
    let start = if message.is_some() { Start::Message } else { Start::AgentInitiated };
    let history = history.into_iter().map(|part| (turn, part)).collect();
    let history = new.is_some().then_some(history);
    let first_block = write.block_message;
    let (path, next_seq) = (begun.path, begun.next_seq);
    let writer = TurnWriter::new(store, log, &project, pending, path, next_seq, first_block);
    let (client_tools, is_branch) = (Some(client_tools), begun.is_branch);
    let turn = StoredTurn {
        tenant,
        project,
        person,
        mode,
        history,
        client_tools,
        writer,
        is_branch,
        start,
        slot,
        timing: TurnTiming::begin(),
    };
    spawn(state, turn);
}

/// Starts a turn that another node stored for this one: nothing of it has happened yet.
pub(crate) fn begin_handed_over(
    state: &Arc<ChatState>,
    turn: InterruptedTurn,
    project: Arc<Project>,
) {
    // The number that was reserved for text, of which none was shown.
    let (seq, block_message) = (turn.next_seq.saturating_sub(1), turn.block_message);
    spawn_taken_over(state, turn, project, Start::Message, seq, block_message);
}

/// The block of the number that was reserved for text, which may have been shown and was not
/// stored.
pub(crate) fn lost_block(turn: &InterruptedTurn) -> TextBlock {
    let (message, kind) = (turn.block_message, BlockKind::Text);
    TextBlock { seq: turn.next_seq.saturating_sub(1), message, kind, parts: 0 }
}

/// Resumes a turn that a crash interrupted, from its checkpoint.
pub(crate) fn resume(
    state: &Arc<ChatState>,
    turn: InterruptedTurn,
    checkpoint: Checkpoint,
    project: Arc<Project>,
) {
    let start = Start::Resume(checkpoint, lost_block(&turn));
    let (seq, block_message) = (turn.next_seq, MessageId::new(Uuid::now_v7()));
    spawn_taken_over(state, turn, project, start, seq, block_message);
}

fn spawn_taken_over(
    state: &Arc<ChatState>,
    turn: InterruptedTurn,
    project: Arc<Project>,
    start: Start,
    next_seq: u64,
    block_message: MessageId,
) {
    let log = state.live_turns.log(turn.conversation);
    log.start_over();
    log.begin_here(turn.epoch);
    log.begin_at(next_seq);
    let slot = state.turn_slots.count(&turn.tenant, &project.id);
    let pending = empty_write(turn.conversation, turn.turn, turn.epoch);
    let (store, path) = (state.store.clone(), turn.path);
    let writer = TurnWriter::new(store, log, &project, pending, path, next_seq, block_message);
    let (tenant, mode, is_branch) = (turn.tenant, Some(turn.mode), turn.is_branch);
    let (person, history, client_tools) = (turn.person, None, None);
    let turn = StoredTurn {
        tenant,
        project,
        person,
        mode,
        history,
        client_tools,
        writer,
        is_branch,
        start,
        slot,
        timing: TurnTiming::begin(),
    };
    spawn(state, turn);
}

fn spawn(state: &Arc<ChatState>, turn: StoredTurn) {
    let state = Arc::clone(state);
    let (conversation, id) = (turn.writer.conversation(), turn.writer.turn());
    let (log, project) = (Arc::clone(&turn.writer.log), Arc::clone(&turn.project));
    let identity = turn.writer.identity();
    let span = tracing::error_span!(
        "turn", tenant = %turn.tenant, project = %project.id, %conversation, turn = %id
    );
    // Registered before anyone can ask it to stop.
    let signals = state.live_turns.begin(conversation, project.agent.needs_home());
    let number = signals.number;
    let task = async move {
        match run(&state, turn, signals).await {
            Ok(()) => log.end_here(),
            Err(StorageError::NotFound) => {
                tracing::info!("a turn ended because its conversation was deleted");
            }
            Err(StorageError::TakenOver) => {
                tracing::info!("a turn was taken over, or its conversation deleted");
                // What is kept for the conversation may be that of the turn that runs now.
                if !state.live_turns.runs_another(conversation, number) {
                    project.agent.forget(conversation);
                }
                log.taken_over();
            }
            Err(error) => {
                tracing::error!(%error, "failed to persist a turn");
                log.end_here();
                log.fail(identity);
            }
        }
        state.live_turns.end(conversation, number);
    };
    tokio::spawn(task.instrument(span));
}

async fn run(
    state: &ChatState,
    mut turn: StoredTurn,
    signals: Signals,
) -> Result<(), StorageError> {
    turn.project = turn.project.of_person(turn.person);
    let context = context_of(state, &mut turn).await?;
    let StoredTurn { tenant, project, person, writer, start, slot: _slot, timing, .. } = turn;
    let budgets = Arc::clone(state.projects.budgets());
    let spending = Spending::new(budgets, &state.store, &tenant, &project, person).await?;
    let conversation = writer.conversation();
    let runner = project.agent.runner(conversation);
    let wait = PromptWait::new(tenant.clone(), signals.prompt_changed, signals.shutting_down);
    let running = RunningTurn::new(state, writer, tenant, project, wait, timing, spending);
    match start {
        Start::Message => running.run(runner, TurnStart::Message(context), signals.stop).await,
        Start::AgentInitiated => {
            running.run(runner, TurnStart::AgentInitiated(context), signals.stop).await
        }
        Start::Resume(checkpoint, lost) => {
            let running = running.resumed(lost, checkpoint.clone());
            running.run(runner, TurnStart::Resume(context, checkpoint), signals.stop).await
        }
    }
}

/// What the agent needs to know for its turn.
async fn context_of(state: &ChatState, turn: &mut StoredTurn) -> Result<TurnContext, StorageError> {
    let (store, project, path) = (&state.store, &turn.project, turn.writer.path);
    let history = match turn.history.take() {
        Some(history) => history,
        None => store.history(path).await?,
    };
    let client_tools = match turn.client_tools.take() {
        Some(client_tools) => client_tools,
        None => store.client_tools(turn.writer.turn()).await?,
    };
    let mode = match turn.mode {
        Some(mode) => mode,
        None => {
            let scope = Scope::of_server(turn.tenant.clone());
            store.conversation(&scope, path.conversation()).await?.mode
        }
    };
    if let Some(tools) = &project.tools {
        tools.settle().await;
    }
    let asks = project.flow == FlowPolicy::Ask;
    let is_tainted = asks && project.flow_context(store, path).await?.is_tainted();
    let reminder = project.reminder.as_deref();
    let starts_over = turn.is_branch || clearing::outdates_session(&history);
    let mut history = context::for_model(history, project.context_tokens, reminder);
    let takes = project.agent.takes();
    content::put_in_place(store, path.conversation(), takes, &mut history).await?;
    Ok(TurnContext {
        person: turn.person,
        starts_over,
        history,
        system_prompt: project.system_prompt.clone(),
        mode,
        client_tools: client_tools::stored(client_tools),
        flow: TurnFlow { asks, is_tainted },
    })
}
