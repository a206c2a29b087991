//! Turns that run: how one is begun, and how one goes on after a crash.

use std::sync::Arc;

use parlor_agent::{Checkpoint, TurnContext, TurnStart};
use parlor_protocol::{ConversationId, EventId, MessageId, Mode, TenantId, TurnId};
use parlor_storage::{BeginTurn, BlockKind, InterruptedTurn, StorageError, TextBlock};
use serde_json::Value;

use crate::beginning::{Begins, beginning, unasked};
use crate::chat_agent::{Accepted, Caller, Chat};
use crate::context;
use crate::event_log::EventLog;
use crate::project::Project;
use crate::session::{Asking, Session};
use crate::session_registry::Signals;
use crate::turn_slots::TurnSlot;
use crate::writer::Writer;

/// A turn whose beginning is stored.
struct Ready {
    tenant: TenantId,
    project: Arc<Project>,
    mode: Option<Mode>,
    conversation: ConversationId,
    turn: TurnId,
    epoch: u64,
    next_seq: u64,
    block_message: MessageId,
    /// All that was ever said, where the conversation begins with this turn.
    history: Option<Vec<(TurnId, Value)>>,
    begins: Beginning,
    /// Its place among the turns that run.
    slot: TurnSlot,
}

/// How the agent is told to begin.
enum Beginning {
    /// With a person's message.
    Asked,
    /// With what it has to say by itself.
    Unasked,
    /// Where it goes on, and the place of text that was lost.
    Resumes(Checkpoint, TextBlock),
}

impl Chat {
    /// Stores what begins a turn, and starts it. In a task of its own: a client
    /// that leaves in this moment must not leave a turn behind that is stored as
    /// running and that nobody runs.
    pub(crate) async fn begin(
        &self,
        caller: &Caller,
        project: &Arc<Project>,
        begins: Begins,
        slot: TurnSlot,
    ) -> Result<Accepted, StorageError> {
        let mode = begins.mode.or(begins.new.as_ref().map(|new| new.mode));
        let begin = beginning(caller, project, begins);
        self.begin_with(begin, project, mode, Beginning::Asked, slot).await
    }

    /// Begins a turn in which the agent says what it has to say by itself.
    pub(crate) async fn begin_unasked(
        &self,
        tenant: &TenantId,
        project: &Arc<Project>,
        conversation: ConversationId,
    ) -> Result<Accepted, StorageError> {
        let begin = unasked(tenant, project, conversation);
        // The agent has begun already, so it counts, however many others run.
        let slot = self.slots().count(tenant, &project.id);
        self.begin_with(begin, project, None, Beginning::Unasked, slot).await
    }

    async fn begin_with(
        &self,
        begin: BeginTurn,
        project: &Arc<Project>,
        mode: Option<Mode>,
        begins: Beginning,
        slot: TurnSlot,
    ) -> Result<Accepted, StorageError> {
        let (chat, project) = (self.clone(), Arc::clone(project));
        let begun = tokio::spawn(async move {
            let begun = chat.store().begin_turn(&begin).await?;
            let start_seq = begun.events.first().map_or(1, |start| start.id.seq);
            // Held until the turn holds it: a log that nobody holds is forgotten.
            let log = chat.registry().log(begin.conversation);
            log.publish(begun.events);
            let said = begin.history.into_iter().map(|part| (begin.turn, part)).collect();
            chat.spawn(
                Ready {
                    tenant: begin.tenant,
                    project,
                    mode,
                    conversation: begin.conversation,
                    turn: begin.turn,
                    epoch: begun.epoch,
                    next_seq: begun.next_seq,
                    block_message: begin.block_message,
                    history: begin.new.is_some().then_some(said),
                    begins,
                    slot,
                },
                log,
            );
            Ok(Accepted {
                conversation_id: begin.conversation,
                turn_id: begin.turn,
                after: EventId::durable(start_seq.saturating_sub(1)),
            })
        });
        begun.await.unwrap_or_else(|error| Err(StorageError::Corrupt(error.to_string())))
    }

    /// Goes on with a turn that a crash interrupted, from its checkpoint.
    pub(crate) fn resume(
        &self,
        turn: InterruptedTurn,
        checkpoint: Checkpoint,
        project: Arc<Project>,
    ) {
        // The number that was kept for text: it may have been shown, and is not
        // stored.
        let seq = turn.next_seq.saturating_sub(1);
        let (message, kind) = (turn.block_message, BlockKind::Text);
        let lost = TextBlock { seq, message, kind, parts: 0 };
        let log = self.registry().log(turn.conversation);
        log.begin_at(turn.next_seq);
        let slot = self.slots().count(&turn.tenant, &project.id);
        self.spawn(
            Ready {
                tenant: turn.tenant,
                project,
                mode: Some(turn.mode),
                conversation: turn.conversation,
                turn: turn.turn,
                epoch: turn.epoch,
                next_seq: turn.next_seq,
                block_message: MessageId::new(uuid::Uuid::now_v7()),
                history: None,
                begins: Beginning::Resumes(checkpoint, lost),
                slot,
            },
            log,
        );
    }

    /// Lets the agent take its turn.
    fn spawn(&self, ready: Ready, log: Arc<EventLog>) {
        let chat = self.clone();
        // Noted before anyone can ask for it to stop.
        let signals = self.registry().begin(ready.conversation);
        tokio::spawn(async move {
            let (conversation, turn) = (ready.conversation, ready.turn);
            match chat.run(ready, Arc::clone(&log), signals).await {
                Ok(()) => {}
                Err(StorageError::NotFound) => {
                    tracing::info!(%turn, "a turn ended with its conversation, which was deleted");
                }
                Err(error) => {
                    tracing::error!(%error, %turn, "a turn could not be written to its end");
                    log.fail(turn);
                }
            }
            chat.registry().end(conversation);
        });
    }

    async fn run(
        &self,
        mut ready: Ready,
        log: Arc<EventLog>,
        signals: Signals,
    ) -> Result<(), StorageError> {
        let context = self.context(&mut ready).await?;
        let _slot = ready.slot;
        let writer = Writer {
            store: self.store().clone(),
            log,
            conversation: ready.conversation,
            turn: ready.turn,
            epoch: ready.epoch,
            next_seq: ready.next_seq,
            block_message: ready.block_message,
        };
        let agent = ready.project.agent.runner(ready.conversation);
        let (flusher, pictures) = (self.flusher().clone(), self.pictures().clone());
        let asking = Asking::new(signals.hint, signals.closing);
        let session = Session::new(writer, ready.tenant, ready.project, flusher, pictures, asking);
        match ready.begins {
            Beginning::Asked => session.run(agent, TurnStart::Message(context), signals.stop).await,
            Beginning::Unasked => {
                session.run(agent, TurnStart::AgentInitiated(context), signals.stop).await
            }
            Beginning::Resumes(checkpoint, lost) => {
                let session = session.resumed(lost, checkpoint.clone());
                let start = TurnStart::Resume(context, checkpoint);
                session.run(agent, start, signals.stop).await
            }
        }
    }

    /// What the agent is told.
    async fn context(&self, ready: &mut Ready) -> Result<TurnContext, StorageError> {
        let project = &ready.project;
        let history = match ready.history.take() {
            Some(history) => history,
            None => self.store().history(ready.conversation).await?,
        };
        let mode = match ready.mode {
            Some(mode) => mode,
            None => self.store().conversation(&ready.tenant, ready.conversation).await?.mode,
        };
        if let Some(tools) = &project.tools {
            tools.settle().await;
        }
        let reminder = project.reminder.as_deref();
        Ok(TurnContext {
            history: context::for_model(history, project.context_tokens, reminder),
            system_prompt: project.system_prompt.clone(),
            mode,
        })
    }
}
