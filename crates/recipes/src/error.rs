//! What can go wrong, by what the caller does next.

use parlor_protocol::ErrorCode;
use parlor_sqlite::{Fault, OpenError};
use serde::{Deserialize, Serialize};

/// Why something did not happen.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// Do something else: what is in the database stands against it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Give it again without these faults.
    #[error("{}", faults(.0))]
    Invalid(Vec<String>),
    /// Give less.
    #[error("The request is larger than {0} bytes.")]
    TooLarge(usize),
    /// Use another run id: this one stands for another change.
    #[error("The run id {0} was used for another call; a run id stands for one call only.")]
    RunReused(String),
    /// Log in: the request does not say whose recipes are meant.
    #[error("This request does not say whose recipes are meant.")]
    NoTenant,
    /// Do what the fault of the database asks for.
    #[error("the recipes cannot be read or written: {0}")]
    Fault(#[from] Fault),
    /// Refuse to start.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log it: a row is not what this version wrote.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// Log it: the connection to the client failed.
    #[error("the client cannot be served: {0}")]
    Client(String),
}

/// What in the database stands against a change. It is stored with the run that
/// met it, so that the same run meets it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// There is none, or it is another tenant's.
    #[error("There is no recipe with the id {id}; list the recipes to see their ids.")]
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// Titles are unique, whatever their case.
    #[error(
        "There is already a recipe called \"{title}\", with the id {id}; choose another title, \
         or change that recipe."
    )]
    TitleTaken {
        /// Its title.
        title: String,
        /// Which one it is.
        id: String,
    },
    /// The tenant has as many as there can be.
    #[error("There are already {most} recipes, and there can be no more; delete one first.")]
    Full {
        /// As many as there can be.
        most: i64,
    },
}

impl RecipeError {
    /// One fault.
    pub(crate) fn invalid(fault: impl Into<String>) -> Self {
        Self::Invalid(vec![fault.into()])
    }

    /// Something that is not what it should be, with its place.
    pub(crate) fn misshapen(error: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let (path, why) = (error.path().to_string(), error.inner());
        Self::invalid(if path == "." { why.to_string() } else { format!("{path}: {why}") })
    }

    /// The same for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(Refusal::NotFound { .. }) => ErrorCode::NotFound,
            Self::Refused(Refusal::TitleTaken { .. }) => ErrorCode::TitleTaken,
            Self::Refused(Refusal::Full { .. }) | Self::TooLarge(_) => ErrorCode::TooLarge,
            Self::Invalid(_) | Self::RunReused(_) => ErrorCode::Malformed,
            Self::NoTenant => ErrorCode::Unauthorized,
            Self::Fault(fault) if fault.is_passing() => ErrorCode::Unavailable,
            Self::Fault(_) | Self::Open(_) | Self::Corrupt(_) | Self::Client(_) => {
                ErrorCode::Internal
            }
        }
    }
}

impl From<sqlx::Error> for RecipeError {
    fn from(error: sqlx::Error) -> Self {
        Fault::from(error).into()
    }
}

/// The first faults: who mends these sees the others next.
fn faults(all: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = all.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    if all.len() > SHOWN {
        text.push_str(&format!("; and {} more", all.len() - SHOWN));
    }
    text
}
