//! Who makes a request: a valid session or key, its tenant and its access role.

use std::sync::Arc;

use axum::http::HeaderMap;
use parlor_chat::Caller;
use parlor_storage::{StorageError, TokenKind};

use super::session::Session;
use super::{Access, cookie};

/// The header that carries an API key.
const API_KEY: &str = "x-api-key";

/// The owner of a valid session or key.
#[derive(Debug, Clone)]
pub struct Principal {
    /// What the chat knows of it.
    pub caller: Caller,
    /// The session or key. Streams end with it.
    pub session: Arc<Session>,
}

impl Access {
    /// The principal that the headers of a request prove. An invalid key is refused
    /// even if a valid cookie comes with it.
    pub(crate) async fn authenticate(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, StorageError> {
        match headers.get(API_KEY) {
            Some(key) => match key.to_str() {
                Ok(key) => self.principal(key, TokenKind::Key).await,
                Err(_) => Ok(None),
            },
            None => self.authenticate_cookie(headers).await,
        }
    }

    /// The principal of the session cookie alone.
    pub(crate) async fn authenticate_cookie(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, StorageError> {
        match cookie::read(headers) {
            Some(token) => self.principal(token, TokenKind::Session).await,
            None => Ok(None),
        }
    }

    async fn principal(
        &self,
        secret: &str,
        kind: TokenKind,
    ) -> Result<Option<Principal>, StorageError> {
        let session = self.sessions.find(secret, kind).await?;
        // A tenant that was removed from the configuration has no principals.
        let session = session.filter(|session| self.tenants.contains(&session.tenant));
        Ok(session.map(Principal::new))
    }
}

impl Principal {
    fn new(session: Arc<Session>) -> Self {
        let caller = Caller {
            tenant: session.tenant.clone(),
            session: session.id.clone(),
            name: session.name.clone(),
            role: session.role,
        };
        Self { caller, session }
    }
}
