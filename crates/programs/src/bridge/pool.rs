//! The conversations of a project that are alive, each with its task.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_agent::{AgentSession, Initiative};
use parlor_process::Supervisor;
use parlor_protocol::ConversationId;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::keeper::{Begin, Command, Keeper};
use super::session::BridgeSession;
use super::slots::ProjectSlots;
use super::{Program, ProgramHost};

/// Commands that wait for a task. There are few: a turn, its answers, a stop.
const COMMANDS: usize = 64;
/// Turns that programs ask for. Each process asks for one at most, and is read on only
/// when it got it.
const INITIATIVES: usize = 1_024;

/// A kind of program with everything that was started of it. Dropping it ends that.
pub struct Bridge(Arc<Pool>);

/// The tasks, by conversation.
pub(super) struct Pool {
    pub(super) program: Arc<dyn Program>,
    pub(super) supervisor: Supervisor,
    pub(super) slots: ProjectSlots,
    initiatives: mpsc::Sender<Initiative>,
    untaken: Mutex<Option<mpsc::Receiver<Initiative>>>,
    alive: Mutex<HashMap<ConversationId, mpsc::Sender<Command>>>,
    tasks: watch::Sender<usize>,
    stop: CancellationToken,
}

impl Bridge {
    /// Nothing is started before a turn begins.
    pub fn new(program: Arc<dyn Program>, host: &ProgramHost) -> Self {
        let (initiatives, taken_later) = mpsc::channel(INITIATIVES);
        Self(Arc::new(Pool {
            supervisor: host.supervisor.clone(),
            slots: host.slots.for_project(program.limits().processes),
            program,
            initiatives,
            untaken: Mutex::new(Some(taken_later)),
            alive: Mutex::default(),
            tasks: watch::Sender::new(0),
            stop: CancellationToken::new(),
        }))
    }

    /// A session of a conversation.
    pub fn open(&self, conversation: ConversationId) -> Box<dyn AgentSession> {
        Box::new(BridgeSession::new(Arc::clone(&self.0), conversation))
    }

    /// The turns that programs ask for by themselves, to whoever takes them first.
    pub fn initiatives(&self) -> Option<mpsc::Receiver<Initiative>> {
        self.0.untaken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the process of a conversation.
    pub fn forget(&self, conversation: ConversationId) {
        self.0.alive().remove(&conversation);
    }

    /// Ends all processes, within the deadline.
    pub fn close(&self, deadline: Duration) -> impl Future<Output = ()> + use<> {
        let pool = Arc::clone(&self.0);
        async move {
            pool.stop.cancel();
            let mut tasks = pool.tasks.subscribe();
            if timeout(deadline, tasks.wait_for(|tasks| *tasks == 0)).await.is_err() {
                tracing::warn!("agents were still running; their supervisors end them");
            }
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.0.stop.cancel();
    }
}

impl Pool {
    /// Gives a turn to the conversation's task, which is started if there is none.
    pub(super) fn begin(
        self: &Arc<Self>,
        conversation: ConversationId,
        begin: Begin,
    ) -> mpsc::Sender<Command> {
        let mut alive = self.alive();
        let begin = match alive.get(&conversation) {
            Some(commands) => match commands.try_send(Command::Begin(begin)) {
                Ok(()) => return commands.clone(),
                Err(refused) => refused.into_inner(),
            },
            None => Command::Begin(begin),
        };
        let (commands, queue) = mpsc::channel(COMMANDS);
        // It is empty, so the turn fits.
        let _fits = commands.try_send(begin);
        alive.insert(conversation, commands.clone());
        let keeper = Keeper::new(Arc::clone(self), conversation, queue, self.stop.clone());
        self.tasks.send_modify(|tasks| *tasks += 1);
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            // In a task of its own, so that it is counted however it ends.
            if let Err(error) = tokio::spawn(keeper.run()).await {
                tracing::error!(%error, %conversation, "the task of an agent ended badly");
            }
            pool.tasks.send_modify(|tasks| *tasks = tasks.saturating_sub(1));
        });
        commands
    }

    /// Asks for a turn that a program begins; false if nobody can give one.
    pub(super) fn asks_for_turn(&self, initiative: Initiative) -> bool {
        self.initiatives.try_send(initiative).is_ok()
    }

    /// A task that has nothing to do is forgotten, unless a turn came just now:
    /// turns are given under the same lock.
    pub(super) fn retire(
        &self,
        conversation: ConversationId,
        queue: &mpsc::Receiver<Command>,
    ) -> bool {
        let mut alive = self.alive();
        let idle = queue.is_empty();
        if idle {
            alive.remove(&conversation);
        }
        idle
    }

    fn alive(&self) -> MutexGuard<'_, HashMap<ConversationId, mpsc::Sender<Command>>> {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
