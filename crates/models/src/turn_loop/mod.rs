//! The built-in agent: a model that is asked until it is finished.
//!
//! `step` decides and `driver` acts: the state takes an input and answers with effects; the
//! driver carries them out in order and yields the events among them. The state can be
//! stored between any two inputs; when it is resumed, calls that were not settled are
//! proposed again under the same ids, and the ledger of tool runs knows how far they came.

mod ask_user;
mod calls;
mod draft;
mod driver;
mod step;
#[cfg(test)]
mod tests;
mod toolbox;

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::{Agent, AgentDescription, Checkpoint, Takes, TurnRunner};
use parlor_protocol::ConversationId;

use self::driver::LoopRunner;
pub use self::toolbox::Toolbox;
use crate::client::ModelClient;

/// What bounds a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopLimits {
    /// How often the model may be asked in one turn.
    pub max_rounds: u32,
    /// How often one request is made, the first time included.
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles with every further one.
    pub retry_delay: Duration,
    /// The longest wait before an attempt.
    pub max_retry_delay: Duration,
}

/// An agent made of a model and its tools.
pub struct LoopAgent {
    llm: Arc<dyn ModelClient>,
    tools: Toolbox,
    limits: LoopLimits,
}

impl LoopAgent {
    /// An agent that asks this model, which may call these tools.
    pub fn new(llm: Arc<dyn ModelClient>, tools: Toolbox, limits: LoopLimits) -> Self {
        Self { llm, tools, limits }
    }
}

impl Agent for LoopAgent {
    fn runner(&self, conversation: ConversationId) -> Box<dyn TurnRunner> {
        let (llm, tools) = (Arc::clone(&self.llm), self.tools.clone());
        Box::new(LoopRunner::new(llm, tools, self.limits, conversation))
    }

    fn can_resume(&self, _from: &Checkpoint) -> bool {
        true
    }

    fn takes_client_tools(&self) -> bool {
        true
    }

    fn takes(&self) -> Takes {
        self.llm.takes()
    }

    fn describe(&self) -> AgentDescription {
        self.llm.describe()
    }
}
