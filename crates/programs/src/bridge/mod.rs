//! The bridge to programs: processes, turns and the queue, whatever a program says.
//!
//! A conversation that is alive has one process, owned by one task:
//! 1. `runner` is what `chat` polls for a turn: two channels to that task. `pool` starts the
//!    tasks, `command` is what they are told.
//! 2. `process_task` owns the process between turns, and ends it when it is idle for too
//!    long. A line that begins a turn by itself is held until there is a turn for it.
//! 3. `turn` takes one turn: a pure step decides, its driver acts. A turn may wait in the
//!    queue for a process, or suspended, without a process, for a person.
//! 4. `process` is the process of a conversation with its dialect, its slot and its CLI
//!    session; `child` is the process itself: lines in, lines out (`line`).
//! 5. `slots` limits how many processes run at once.
//!
//! What the lines mean is up to a [`Dialect`](crate::dialect::Dialect), which does no IO.

mod child;
mod command;
#[doc(hidden)]
pub mod fuzz;
mod line;
mod pool;
mod process;
mod process_task;
mod project;
mod runner;
mod skipped_lines;
mod slots;
mod turn;
mod version;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_agent::{AgentInitiatedTurn, TurnRunner};
use parlor_process::Supervisor;
use parlor_protocol::ConversationId;
use tokio::sync::mpsc;

pub use slots::ProcessSlots;
pub(crate) use version::version;

use self::pool::Pool;
use self::project::{Project, Tasks};
use self::runner::BridgeRunner;
use crate::program::Program;

/// Agent-initiated turns that wait to begin. Each process requests one at most, and is not
/// read until it got it.
const AGENT_INITIATED_TURNS: usize = 1_024;

/// Where programs run, whatever their project.
#[derive(Debug, Clone)]
pub struct ProgramHost {
    /// What they are started under.
    pub supervisor: Supervisor,
    /// How many processes they may have at once.
    pub slots: ProcessSlots,
}

/// A program of a project with all of its processes. Dropping it ends them.
pub struct Bridge {
    pool: Arc<Pool>,
    agent_initiated: Mutex<Option<mpsc::Receiver<AgentInitiatedTurn>>>,
}

impl Bridge {
    /// Nothing is started before a turn begins.
    pub fn new(program: Arc<dyn Program>, host: &ProgramHost) -> Self {
        let (agent_initiated, turns) = mpsc::channel(AGENT_INITIATED_TURNS);
        let project = Project {
            supervisor: host.supervisor.clone(),
            slots: host.slots.for_project(program.limits().processes),
            program,
            agent_initiated,
            tasks: Tasks::default(),
        };
        Self { pool: Arc::new(Pool::new(project)), agent_initiated: Mutex::new(Some(turns)) }
    }

    /// The turn runner of a conversation.
    pub fn runner(&self, conversation: ConversationId) -> Box<dyn TurnRunner> {
        Box::new(BridgeRunner::new(Arc::clone(&self.pool), conversation))
    }

    /// The agent-initiated turns, to the first caller.
    pub fn agent_initiated_turns(&self) -> Option<mpsc::Receiver<AgentInitiatedTurn>> {
        self.agent_initiated.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the process of a conversation.
    pub fn forget(&self, conversation: ConversationId) {
        self.pool.forget(conversation);
    }

    /// Ends all processes, within the deadline.
    pub fn close(&self, deadline: Duration) -> impl Future<Output = ()> + use<> {
        let pool = Arc::clone(&self.pool);
        async move {
            pool.stop();
            pool.ended(deadline).await;
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.pool.stop();
    }
}
