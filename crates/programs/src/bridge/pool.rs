//! The process tasks of a project, by conversation.

use std::sync::Arc;
use std::time::Duration;

use parlor_protocol::ConversationId;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::command::{Begin, Command};
use super::process_task::ProcessTask;
use super::project::Project;

/// Commands that wait for a task. There are few: a turn, its answers, a stop.
const COMMANDS: usize = 64;

/// Starts and counts the tasks.
pub(super) struct Pool {
    project: Arc<Project>,
    running: watch::Sender<usize>,
    stop: CancellationToken,
}

impl Pool {
    pub(super) fn new(project: Project) -> Self {
        let project = Arc::new(project);
        Self { project, running: watch::Sender::new(0), stop: CancellationToken::new() }
    }

    /// Gives a turn to the conversation's task, which is started if there is none.
    pub(super) fn begin(
        self: &Arc<Self>,
        conversation: ConversationId,
        begin: Begin,
    ) -> mpsc::Sender<Command> {
        let mut tasks = self.project.tasks.lock();
        let begin = match tasks.get(&conversation) {
            Some(commands) => match commands.try_send(Command::Begin(begin)) {
                Ok(()) => return commands.clone(),
                Err(refused) => refused.into_inner(),
            },
            None => Command::Begin(begin),
        };
        let (commands, queue) = mpsc::channel(COMMANDS);
        // It is empty, so the turn fits.
        let _fits = commands.try_send(begin);
        tasks.insert(conversation, commands.clone());
        drop(tasks);
        self.spawn(conversation, queue);
        commands
    }

    fn spawn(self: &Arc<Self>, conversation: ConversationId, queue: mpsc::Receiver<Command>) {
        let project = Arc::clone(&self.project);
        let task = ProcessTask::new(project, conversation, queue, self.stop.clone());
        self.running.send_modify(|running| *running += 1);
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            // In a task of its own, so that it is counted however it ends.
            if let Err(error) = tokio::spawn(task.run()).await {
                tracing::error!(%error, %conversation, "a process task panicked");
            }
            pool.running.send_modify(|running| *running = running.saturating_sub(1));
        });
    }

    /// Ends the task of a conversation, and its process.
    pub(super) fn forget(&self, conversation: ConversationId) {
        self.project.tasks.lock().remove(&conversation);
    }

    /// Tells all tasks to end.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until all tasks have ended, within the deadline.
    pub(super) async fn ended(&self, deadline: Duration) {
        let mut running = self.running.subscribe();
        if timeout(deadline, running.wait_for(|running| *running == 0)).await.is_err() {
            tracing::warn!("programs still ran at the deadline; their supervisors end them");
        }
    }
}
