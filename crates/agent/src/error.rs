//! Why a turn failed, and what can be done about it.
//!
//! `Display` is for the log: it names settings and quotes the vendor, and never
//! holds a key. [`AgentError::user_message`] is for people.

use std::borrow::Cow;
use std::time::Duration;

use crate::model_error::ModelError;
use crate::remedy::Remedy;

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AgentError {
    /// The model could not be asked, or its answer broke off.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model declined to answer: ask something else.
    #[error("the model declined to answer")]
    Declined,
    /// The turn took more rounds than it may: say what is still to be done.
    #[error("the turn was ended after {0} rounds")]
    TooManyRounds(u32),
    /// The turn cannot go on from its checkpoint: send the message again.
    #[error("the turn cannot go on from its checkpoint: {0}")]
    CannotResume(String),
    /// The agent's program does not run as configured: fix the settings.
    #[error("the agent could not be started: {0}")]
    NotStarted(String),
    /// The agent's process ended, or could not be understood and was ended: the
    /// next message starts another one.
    #[error("the agent's process is lost: {0}")]
    Lost(String),
    /// The agent took longer than it may: ask for less at once.
    #[error("the agent took longer than {} s", .0.as_secs_f32())]
    TookTooLong(Duration),
    /// A budget is used up: wait until the next one begins. The sentence is for people.
    #[error("a budget is used up: {0}")]
    BudgetExceeded(String),
    /// The agent says that it failed: try again.
    #[error("the agent says that it failed: {0}")]
    Reported(String),
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
            Self::NotStarted(_) => "The agent could not be started. Whoever runs the server \
                                    finds the reason in its log."
                .into(),
            Self::Lost(_) => {
                "The agent stopped working. Send a message: it goes on where it was.".into()
            }
            Self::TookTooLong(_) => "The agent took too long and was stopped. Send a message to \
                                     go on, or ask for less at once."
                .into(),
            Self::BudgetExceeded(sentence) => sentence.clone().into(),
            Self::Reported(_) => "The agent could not finish this. Try again.".into(),
        }
    }

    /// A stable code for what happened, for figures.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Model(error) => error.code(),
            Self::Declined => "declined",
            Self::TooManyRounds(_) => "too_many_rounds",
            Self::CannotResume(_) => "cannot_resume",
            Self::NotStarted(_) => "agent_not_started",
            Self::Lost(_) => "agent_lost",
            Self::TookTooLong(_) => "took_too_long",
            Self::BudgetExceeded(_) => "budget_exceeded",
            Self::Reported(_) => "agent_reported",
        }
    }

    /// Whether the model refused a picture, which must not come to it again.
    pub fn is_about_pictures(&self) -> bool {
        matches!(self, Self::Model(ModelError::PictureRefused(_)))
    }

    /// Whether trying again can help.
    pub fn is_recoverable(&self) -> bool {
        self.remedy() == Remedy::TryAgain
    }

    /// What helps.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Model(error) => error.remedy(),
            Self::Declined => Remedy::Rephrase,
            Self::NotStarted(_) => Remedy::Administrator,
            Self::TooManyRounds(_)
            | Self::CannotResume(_)
            | Self::Lost(_)
            | Self::TookTooLong(_)
            | Self::BudgetExceeded(_)
            | Self::Reported(_) => Remedy::TryAgain,
        }
    }
}
