//! What the process tasks of a project have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_agent::AgentInitiatedTurn;
use parlor_process::Supervisor;
use parlor_protocol::ConversationId;
use tokio::sync::mpsc;

use super::command::Command;
use super::slots::ProjectSlots;
use crate::program::Program;

/// The program of a project, and its tasks.
pub(super) struct Project {
    pub(super) program: Arc<dyn Program>,
    pub(super) supervisor: Supervisor,
    pub(super) slots: ProjectSlots,
    /// Takes the turns that programs want to begin.
    pub(super) agent_initiated: mpsc::Sender<AgentInitiatedTurn>,
    pub(super) tasks: Tasks,
}

/// The commands to each process task, by conversation.
#[derive(Default)]
pub(super) struct Tasks(Mutex<HashMap<ConversationId, mpsc::Sender<Command>>>);

impl Tasks {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, mpsc::Sender<Command>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a task without work; false if a turn came just now. Turns are given under
    /// the same lock.
    pub(super) fn retire(
        &self,
        conversation: ConversationId,
        commands: &mpsc::Receiver<Command>,
    ) -> bool {
        let mut tasks = self.lock();
        let idle = commands.is_empty();
        if idle {
            tasks.remove(&conversation);
        }
        idle
    }
}
