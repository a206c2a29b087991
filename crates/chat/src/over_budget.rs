//! Why a message or a call of a model is refused (Y-3).

use parlor_protocol::SpentBudget;

/// A budget that is used up, and what people are told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OverBudget {
    /// Which.
    pub budget: SpentBudget,
    /// What happened, and until when.
    pub message: String,
    /// In how many seconds the next one begins.
    pub retry_after: u64,
}
