//! Who may come in: tokens, found by their hash.
//!
//! 1. A token that was seen lately is known without asking the database.
//! 2. Any other is read from it; the answer is believed for a minute.
//! 3. A token that is revoked here ends at once, and with it every stream that
//!    it has open. One that another process revoked (`parlor keys revoke`,
//!    `parlor password set`) ends when [`super::notice`] tells, within a second,
//!    or when the minute is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_protocol::TenantId;
use parlor_storage::{AccessRole, NewToken, StorageError, Store, Token, TokenKind};
use secrecy::{ExposeSecret, SecretString};

use super::AccessError;
use super::session::{Session, session_end};
use super::token::{TokenHash, new_token, new_token_id};
use crate::clock::Clock;
use crate::config::AccessConfig;

/// More than this are not kept without a request or a stream that holds them.
const MOST_KNOWN: usize = 10_000;

/// The sessions and keys that are valid.
#[derive(Debug)]
pub(crate) struct Sessions {
    store: Store,
    clock: Clock,
    lasts: AccessConfig,
    environment_key: Option<(TokenHash, Arc<Session>)>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<TokenHash, Arc<Session>>,
    /// Counts revocations, so that what was read before one is not believed after.
    generation: u64,
}

impl Sessions {
    pub(crate) fn new(store: Store, clock: Clock, lasts: AccessConfig) -> Self {
        Self { store, clock, lasts, environment_key: None, known: Mutex::default() }
    }

    /// Takes an admin key that is not stored.
    pub(crate) fn accept_environment_key(&mut self, key: &SecretString, tenant: TenantId) {
        let session = Session::of_environment(tenant);
        self.environment_key = Some((TokenHash::of(key.expose_secret()), Arc::new(session)));
    }

    /// The valid session or key with this secret.
    pub(crate) async fn find(
        &self,
        secret: &str,
        kind: TokenKind,
    ) -> Result<Option<Arc<Session>>, StorageError> {
        let hash = TokenHash::of(secret);
        let session = match self.remembered(hash) {
            Some(session) => session,
            None => match self.read(hash).await? {
                Some(session) => session,
                None => return Ok(None),
            },
        };
        if session.is_over(self.clock.moment()) {
            self.end(&session).await?;
            return Ok(None);
        }
        if session.kind != kind {
            return Ok(None);
        }
        self.touch(&session);
        Ok(Some(session))
    }

    /// Begins a session and gives its secret.
    pub(crate) async fn begin(
        &self,
        tenant: &TenantId,
        role: AccessRole,
        name: &str,
    ) -> Result<SecretString, AccessError> {
        let now = self.clock.now();
        let secret = new_token("rvs")?;
        let token = NewToken {
            id: new_token_id()?,
            hash: TokenHash::of(secret.expose_secret()).to_hex(),
            kind: TokenKind::Session,
            tenant: tenant.clone(),
            role,
            name: name.to_owned(),
            created_at: now,
            expires_at: Some(session_end(now, &self.lasts)),
        };
        self.store.access().add_token(&token).await?;
        Ok(secret)
    }

    /// Notes that a session is in use: over a WebSocket nobody looks for it again.
    pub(crate) fn used(&self, session: &Session) {
        self.touch(session);
    }

    /// Ends a session, and every stream that it has open.
    pub(crate) async fn end(&self, session: &Session) -> Result<(), StorageError> {
        let now = self.clock.now();
        match self.store.access().revoke_token(&session.tenant, &session.id, now).await {
            Ok(()) | Err(StorageError::NotFound) => {}
            Err(error) => return Err(error),
        }
        let mut known = self.known();
        known.generation += 1;
        known.sessions.retain(|_, other| other.id != session.id);
        session.ended.cancel();
        Ok(())
    }

    /// Asks the database about every known token, after a hint that some changed.
    pub(crate) async fn check_all(&self) -> Result<(), StorageError> {
        let hashes: Vec<TokenHash> = {
            let mut known = self.known();
            known.generation += 1;
            known.sessions.keys().copied().collect()
        };
        for hash in hashes {
            self.read(hash).await?;
        }
        Ok(())
    }

    /// Ends what has lasted its time, also if nobody asks for it. It is written down:
    /// what the database has is a time of day, which may come again.
    pub(crate) async fn end_expired(&self) -> Result<(), StorageError> {
        let now = self.clock.moment();
        let over: Vec<Arc<Session>> = self
            .known()
            .sessions
            .values()
            .filter(|session| session.is_over(now))
            .cloned()
            .collect();
        over.iter().for_each(|session| session.ended.cancel());
        for session in over {
            self.end(&session).await?;
        }
        Ok(())
    }

    fn remembered(&self, hash: TokenHash) -> Option<Arc<Session>> {
        if let Some((own, session)) = &self.environment_key
            && *own == hash
        {
            return Some(session.clone());
        }
        let now = self.clock.moment();
        self.known().sessions.get(&hash).filter(|session| !session.is_stale(now)).cloned()
    }

    /// Asks the database, and again if something was revoked meanwhile.
    async fn read(&self, hash: TokenHash) -> Result<Option<Arc<Session>>, StorageError> {
        loop {
            let generation = self.known().generation;
            let token = self.store.access().token_by_hash(&hash.to_hex()).await?;
            let mut known = self.known();
            if known.generation == generation {
                return Ok(self.learn(&mut known, hash, token));
            }
        }
    }

    /// What the database says of a token. When one ends that is known here is known
    /// here too: the times in the database are for the next run of the server.
    fn learn(
        &self,
        known: &mut Known,
        hash: TokenHash,
        token: Option<Token>,
    ) -> Option<Arc<Session>> {
        let now = self.clock.moment();
        let token = token.filter(|token| token.revoked_at.is_none());
        match (known.sessions.get(&hash), token) {
            // One that is over stays so.
            (Some(session), Some(_)) => {
                session.was_checked(now);
                Some(session.clone())
            }
            (_, token) => {
                let of_token = |token| Session::from_token(token, &self.clock, &self.lasts);
                known.keep(hash, token.and_then(of_token))
            }
        }
    }

    /// Nobody waits for it to be written down.
    fn touch(&self, session: &Session) {
        let Some((now, end)) = session.touch(&self.clock, &self.lasts) else { return };
        let (store, id) = (self.store.clone(), session.id.clone());
        tokio::spawn(async move {
            if let Err(error) = store.access().touch_token(&id, now, end).await {
                tracing::warn!(%error, "the use of a session could not be written down");
            }
        });
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// One token has one `Session`, so that its end reaches every stream.
    fn keep(&mut self, hash: TokenHash, session: Option<Session>) -> Option<Arc<Session>> {
        if let Some(gone) = self.sessions.remove(&hash) {
            gone.ended.cancel();
        }
        let session = Arc::new(session?);
        if self.sessions.len() >= MOST_KNOWN {
            self.sessions.retain(|_, known| Arc::strong_count(known) > 1);
        }
        self.sessions.insert(hash, session.clone());
        Some(session)
    }
}

#[cfg(test)]
mod tests;
