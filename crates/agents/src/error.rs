//! Why a turn failed, and what can be done about it.
//!
//! `Display` is for the log: it names settings and quotes the vendor, and never
//! holds a key. [`AgentError::user_message`] is for people.

use std::borrow::Cow;

use crate::llm::LlmError;

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AgentError {
    /// The model could not be asked, or its answer broke off.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// The model declined to answer: ask something else.
    #[error("the model declined to answer")]
    Declined,
    /// The turn took more rounds than it may: say what is still to be done.
    #[error("the turn was ended after {0} rounds")]
    TooManyRounds(u32),
    /// The turn cannot go on from its checkpoint: send the message again.
    #[error("the turn cannot go on from its checkpoint: {0}")]
    CannotResume(String),
}

impl AgentError {
    /// What to tell the person, and what to do now.
    pub fn user_message(&self) -> Cow<'static, str> {
        match self {
            Self::Model(error) => error.user_message(),
            Self::Declined => "The model declined to answer this. Put it another way, or start \
                               a new conversation."
                .into(),
            Self::TooManyRounds(rounds) => {
                format!("The agent was stopped after {rounds} rounds. Ask it to go on if needed.")
                    .into()
            }
            Self::CannotResume(_) => {
                "The turn was interrupted and cannot go on. Send the message again.".into()
            }
        }
    }

    /// Whether trying again can help.
    pub fn is_recoverable(&self) -> bool {
        match self {
            Self::Model(error) => error.is_recoverable(),
            Self::Declined => false,
            Self::TooManyRounds(_) | Self::CannotResume(_) => true,
        }
    }
}
