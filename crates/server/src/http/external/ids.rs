//! Ids of external clients, and ours made from them.

use parlor_protocol::{ClientMessageId, ExternalId, ProjectId};
use parlor_storage::{ExternalConversation, Surface};
use sha2::{Digest, Sha256};

use crate::auth::Principal;
use crate::http::errors::ApiError;

/// The conversation that a client names so.
pub(super) fn conversation(
    principal: &Principal,
    surface: Surface,
    project: &ProjectId,
    id: &str,
) -> Result<ExternalConversation, ApiError> {
    let id: ExternalId = id.parse().map_err(|error| ApiError::malformed(format!("{error}")))?;
    let principal = principal.caller.principal();
    Ok(ExternalConversation { principal, surface, project: project.clone(), id })
}

/// The id of a message that a client names so, in that conversation: other conversations may have
/// the same one.
pub(super) fn message(
    conversation: &ExternalConversation,
    id: &str,
) -> Result<ClientMessageId, ApiError> {
    let project = conversation.project.as_str();
    let hash = hash(&[project.as_bytes(), conversation.id.as_str().as_bytes(), id.as_bytes()]);
    let id = format!("{:?}:{hash}", conversation.surface);
    id.parse().map_err(|_| ApiError::internal())
}

/// A hash of parts that cannot be shifted against each other.
pub(super) fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    data_encoding::HEXLOWER.encode(&hasher.finalize())
}
