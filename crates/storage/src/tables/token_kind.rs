//! What a token is of: a session, a key, or a visit to a chat that another site embeds.

use parlor_database::Row;
use parlor_protocol::ProjectId;

use crate::columns::optional;
use crate::error::StorageError;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A browser that logged in.
    Session,
    /// A key for scripts.
    Key,
    /// A visitor in a chat that is embedded in another site.
    Visitor,
}

/// What a session of a visitor is held to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The project that is embedded.
    pub project: ProjectId,
    /// The origin of the site.
    pub origin: String,
    /// The hash of the key that let them in.
    pub issuer: String,
    /// Whether that key is a stored one, so that its end is known here.
    pub issuer_is_stored: bool,
}

impl TokenKind {
    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Key => "key",
            Self::Visitor => "visitor",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "session" => Self::Session,
            "visitor" => Self::Visitor,
            _ => Self::Key,
        }
    }
}

/// What a visitor's token is held to. Only theirs has an issuer.
pub(super) fn visit(row: &Row) -> Result<Option<Visit>, StorageError> {
    let (Some(project), Some(issuer)) =
        (optional(row, "visited_project")?, row.try_get::<Option<String>>("issuer")?)
    else {
        return Ok(None);
    };
    Ok(Some(Visit {
        project,
        origin: row.try_get("visited_from")?,
        issuer,
        issuer_is_stored: row.try_get::<Option<String>>("issuer_id")?.is_some(),
    }))
}
