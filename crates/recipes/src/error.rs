//! What can go wrong, by what the caller does next.

use parlor_database::{Fault, OpenError};
use parlor_protocol::ErrorCode;
use serde::{Deserialize, Serialize};

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// Do something else: it conflicts with what is stored.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Correct these errors and try again.
    #[error("{}", first_errors(.0))]
    Invalid(Vec<String>),
    /// Read the recipe again, and make the change to that.
    #[error("The recipe was changed in the meantime; read it again, and change that.")]
    Changed,
    /// Look elsewhere: there is no recipe in it.
    #[error("There is no recipe in it.")]
    NoRecipe,
    /// Send less.
    #[error("The request is larger than {0} bytes.")]
    TooLarge(usize),
    /// Use another run id: this one stands for another change.
    #[error("The run id {0} was used for another call; a run id stands for one call only.")]
    RunReused(String),
    /// Log in: the request has no tenant.
    #[error("This request does not say whose recipes are meant.")]
    NoTenant,
    /// Do what the fault says.
    #[error("the recipes cannot be read or written: {0}")]
    Fault(#[from] Fault),
    /// Refuse to start.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log it: a row does not have the form that this version writes.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// Log it: the connection to the client failed.
    #[error("the client cannot be served: {0}")]
    Client(String),
}

/// What is stored and conflicts with a change. It is stored with its run, so that the
/// same run is refused again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No recipe has this id, or it is another tenant's.
    #[error("There is no recipe with the id {id}; list the recipes to see their ids.")]
    NotFound {
        /// The id.
        id: String,
    },
    /// Titles are unique, whatever their case.
    #[error(
        "There is already a recipe called \"{title}\", with the id {id}; choose another title, \
         or change that recipe."
    )]
    TitleTaken {
        /// The title of the other recipe.
        title: String,
        /// The id of the other recipe.
        id: String,
    },
    /// The tenant has the most recipes that there can be.
    #[error("There are already {most} recipes, and there can be no more; delete one first.")]
    Full {
        /// The limit.
        most: i64,
    },
}

impl RecipeError {
    /// One validation error.
    pub(crate) fn invalid(error: impl Into<String>) -> Self {
        Self::Invalid(vec![error.into()])
    }

    /// A value of the wrong type, with its path.
    pub(crate) fn wrong_type(error: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let (path, why) = (error.path().to_string(), error.inner());
        Self::invalid(if path == "." { why.to_string() } else { format!("{path}: {why}") })
    }

    /// Its code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(Refusal::NotFound { .. }) | Self::NoRecipe => ErrorCode::NotFound,
            Self::Changed => ErrorCode::Changed,
            Self::Refused(Refusal::TitleTaken { .. }) => ErrorCode::TitleTaken,
            Self::Refused(Refusal::Full { .. }) | Self::TooLarge(_) => ErrorCode::TooLarge,
            Self::Invalid(_) | Self::RunReused(_) => ErrorCode::Malformed,
            Self::NoTenant => ErrorCode::Unauthorized,
            Self::Fault(fault) if fault.is_transient() => ErrorCode::Unavailable,
            Self::Fault(_) | Self::Open(_) | Self::Corrupt(_) | Self::Client(_) => {
                ErrorCode::Internal
            }
        }
    }
}

/// The first validation errors; the others are shown once these are corrected.
fn first_errors(all: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = all.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    if all.len() > SHOWN {
        text.push_str(&format!("; and {} more", all.len() - SHOWN));
    }
    text
}
