//! Valid tokens, by their hash.
//!
//! 1. A token that was used in the last minute is found in memory.
//! 2. Any other is read from the database, and kept in memory for a minute.
//! 3. A token that is revoked by this process ends at once, and with it every open
//!    stream. One that another process revoked (`parlor keys revoke`,
//!    `parlor password set`) ends when [`super::change_file`] notices, within a
//!    second, or when the minute is over; one that another node revoked, with its hint
//!    ([`super::changes_elsewhere`]).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_fanout::{AccessChange, Fanout, Hint};
use parlor_protocol::{PersonId, TenantId};
use parlor_storage::{AccessRole, NewToken, SessionsOf, StorageError, Store, Token, TokenKind};
use secrecy::{ExposeSecret, SecretString};

use super::AccessError;
use super::session::{Session, first_expiry};
use super::token::{TokenHash, new_token, new_token_id};
use crate::clock::Clock;
use crate::config::AccessConfig;

/// Beyond this number, sessions without a request or a stream are dropped from memory.
const MAX_CACHED: usize = 10_000;
/// How many tokens are read at once.
const BATCH: usize = 500;

/// The valid sessions and keys.
#[derive(Debug)]
pub(crate) struct Sessions {
    store: Store,
    clock: Clock,
    config: AccessConfig,
    /// Tells other nodes which token ended.
    fanout: Fanout,
    /// Keys that are not stored.
    process_keys: Vec<(TokenHash, Arc<Session>)>,
    cache: Mutex<Cache>,
}

/// A session that begins.
#[derive(Debug)]
pub(crate) struct NewSession {
    pub(crate) tenant: TenantId,
    pub(crate) role: AccessRole,
    pub(crate) name: String,
    /// Whose it is; none for the shared account.
    pub(crate) person: Option<PersonId>,
    /// What it runs on, in a few words.
    pub(crate) device: String,
}

#[derive(Debug, Default)]
struct Cache {
    sessions: HashMap<TokenHash, Arc<Session>>,
    /// Counts revocations: what was read before one must not be cached after it.
    generation: u64,
}

impl Sessions {
    pub(crate) fn new(store: Store, clock: Clock, config: AccessConfig, fanout: Fanout) -> Self {
        Self { store, clock, config, fanout, process_keys: Vec::new(), cache: Mutex::default() }
    }

    /// Accepts a key that is not stored, as long as the process runs.
    pub(crate) fn accept_process_key(&mut self, key: &SecretString, session: Session) {
        self.process_keys.push((TokenHash::of(key.expose_secret()), Arc::new(session)));
    }

    /// The valid session or key with this secret.
    pub(crate) async fn find(
        &self,
        secret: &str,
        kind: TokenKind,
    ) -> Result<Option<Arc<Session>>, StorageError> {
        let hash = TokenHash::of(secret);
        let session = match self.cached(hash) {
            Some(session) => session,
            None => match self.read(hash).await? {
                Some(session) => session,
                None => return Ok(None),
            },
        };
        if self.is_over(hash, &session).await? {
            self.end(&session).await?;
            return Ok(None);
        }
        if session.kind != kind {
            return Ok(None);
        }
        self.touch(&session);
        Ok(Some(session))
    }

    /// Whether a key is valid, by its hash as it is stored.
    pub(crate) async fn is_valid_key(&self, hash: &str) -> Result<bool, StorageError> {
        if self.has_process_key(hash) {
            return Ok(true);
        }
        let token = self.store.access().token_by_hash(hash).await?;
        Ok(token.is_some_and(|key| key.kind == TokenKind::Key && key.revoked_at.is_none()))
    }

    /// Whether a key is valid without being stored.
    fn has_process_key(&self, hash: &str) -> bool {
        self.process_keys.iter().any(|(own, _)| own.to_hex() == hash)
    }

    /// Whether the key that let a visitor in is still there. One that is stored says so itself.
    fn is_issued(&self, token: &Token) -> bool {
        let visit = token.visit.as_ref();
        visit.is_none_or(|visit| visit.issuer_is_stored || self.has_process_key(&visit.issuer))
    }

    /// Creates a session and returns its secret.
    pub(crate) async fn begin(&self, session: NewSession) -> Result<SecretString, AccessError> {
        let NewSession { tenant, role, name, person, device } = session;
        let now = self.clock.now();
        let secret = new_token("rvs")?;
        let token = NewToken {
            id: new_token_id()?,
            hash: TokenHash::of(secret.expose_secret()).to_hex(),
            kind: TokenKind::Session,
            tenant,
            role,
            name,
            person,
            device: Some(device),
            created_at: now,
            expires_at: Some(first_expiry(now, &self.config)),
        };
        self.store.access().add_token(&token).await?;
        Ok(secret)
    }

    /// Revokes a session and ends its open streams.
    pub(crate) async fn end(&self, session: &Session) -> Result<(), StorageError> {
        self.end_by_id(&session.tenant, &session.id).await?;
        session.end();
        Ok(())
    }

    /// The same by its public id.
    pub(crate) async fn end_by_id(&self, tenant: &TenantId, id: &str) -> Result<(), StorageError> {
        let now = self.clock.now();
        match self.store.access().revoke_token(tenant, id, now).await {
            Ok(()) | Err(StorageError::NotFound) => {}
            Err(error) => return Err(error),
        }
        self.fanout.hint(Hint::Access(AccessChange::Token(id.to_owned())));
        let mut cache = self.cache();
        cache.generation += 1;
        cache.sessions.retain(|_, other| {
            if other.id == id {
                other.end();
            }
            other.id != id
        });
        Ok(())
    }

    /// The valid sessions of a tenant that are meant.
    pub(crate) async fn list(
        &self,
        tenant: &TenantId,
        of: SessionsOf<'_>,
    ) -> Result<Vec<Token>, StorageError> {
        self.store.access().sessions(tenant, of, self.clock.now()).await
    }

    /// Sessions or keys were revoked in the database: they end here and on the other nodes.
    pub(crate) async fn changed(&self) -> Result<(), StorageError> {
        self.fanout.hint(Hint::Access(AccessChange::Any));
        self.check_all().await
    }

    /// Reads a token again by its public id, after a hint that it changed. If it was revoked,
    /// its streams end. Nothing is read if it is not cached.
    pub(crate) async fn check_token(&self, id: &str) -> Result<(), StorageError> {
        let hash = {
            let mut cache = self.cache();
            // Whoever reads it right now may get what it was before.
            cache.generation += 1;
            cache.sessions.iter().find(|(_, session)| session.id == id).map(|(hash, _)| *hash)
        };
        match hash {
            Some(hash) => self.read(hash).await.map(drop),
            None => Ok(()),
        }
    }

    /// Reads every cached token again, after a hint that some changed.
    pub(crate) async fn check_all(&self) -> Result<(), StorageError> {
        let hashes: Vec<TokenHash> = {
            let mut cache = self.cache();
            cache.generation += 1;
            cache.sessions.keys().copied().collect()
        };
        for hashes in hashes.chunks(BATCH) {
            self.read_batch(hashes).await?;
        }
        Ok(())
    }

    /// Ends expired sessions, used or not. This is stored: the expiry in the database is
    /// a time of day, which may come again if the clock is set back.
    pub(crate) async fn end_expired(&self) -> Result<(), StorageError> {
        let now = self.clock.moment();
        let over: Vec<(TokenHash, Arc<Session>)> = self
            .cache()
            .sessions
            .iter()
            .filter(|(_, session)| session.is_over(now))
            .map(|(hash, session)| (*hash, session.clone()))
            .collect();
        if !self.store.is_shared() {
            over.iter().for_each(|(_, session)| session.end());
        }
        for (hash, session) in over {
            if self.is_over(hash, &session).await? {
                self.end(&session).await?;
            }
        }
        Ok(())
    }

    /// Whether a session has ended or should end now. If it was in use on another node, only
    /// the database knows.
    async fn is_over(&self, hash: TokenHash, session: &Session) -> Result<bool, StorageError> {
        if self.store.is_shared() && session.is_over(self.clock.moment()) && !session.is_ended() {
            self.read(hash).await?;
        }
        Ok(session.is_over(self.clock.moment()))
    }

    fn cached(&self, hash: TokenHash) -> Option<Arc<Session>> {
        if let Some((_, session)) = self.process_keys.iter().find(|(own, _)| *own == hash) {
            return Some(session.clone());
        }
        let now = self.clock.moment();
        self.cache().sessions.get(&hash).filter(|session| !session.is_stale(now)).cloned()
    }

    /// Reads from the database, and again if something was revoked meanwhile.
    async fn read(&self, hash: TokenHash) -> Result<Option<Arc<Session>>, StorageError> {
        loop {
            let generation = self.cache().generation;
            let token = self.store.access().token_by_hash(&hash.to_hex()).await?;
            let mut cache = self.cache();
            if cache.generation == generation {
                return Ok(self.update(&mut cache, hash, token));
            }
        }
    }

    /// The same for several that are cached, in one query.
    async fn read_batch(&self, hashes: &[TokenHash]) -> Result<(), StorageError> {
        let stored: Vec<String> = hashes.iter().map(|hash| hash.to_hex()).collect();
        loop {
            let generation = self.cache().generation;
            let mut tokens = self.store.access().tokens_by_hash(&stored).await?;
            let mut cache = self.cache();
            if cache.generation == generation {
                for (hash, stored) in hashes.iter().zip(&stored) {
                    self.update(&mut cache, *hash, tokens.remove(stored));
                }
                return Ok(());
            }
        }
    }

    /// Applies what the database has of a token. The expiry of a cached one stays: the
    /// times in the database are for the next run of the server, and for other nodes.
    fn update(
        &self,
        cache: &mut Cache,
        hash: TokenHash,
        token: Option<Token>,
    ) -> Option<Arc<Session>> {
        let now = self.clock.moment();
        let token = token.filter(|token| token.revoked_at.is_none() && self.is_issued(token));
        match (cache.sessions.get(&hash), token) {
            // One that has ended stays ended.
            (Some(session), Some(token)) => {
                session.was_checked(now);
                if self.store.is_shared() {
                    session.extend_to(token.expires_at, &self.clock, &self.config);
                }
                Some(session.clone())
            }
            (_, token) => {
                let of_token = |token| Session::from_token(token, &self.clock, &self.config);
                cache.insert(hash, token.and_then(of_token))
            }
        }
    }

    /// Extends a session because it is in use. Nobody waits until that is stored.
    pub(crate) fn touch(&self, session: &Arc<Session>) {
        let Some((now, expires_at)) = session.touch(&self.clock, &self.config) else { return };
        let (store, session) = (self.store.clone(), session.clone());
        tokio::spawn(async move {
            match store.access().touch_token(&session.id, now, expires_at).await {
                Ok(()) => session.was_stored(expires_at),
                Err(error) => tracing::warn!(%error, "failed to store the use of a session"),
            }
        });
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// One token has one `Session`, so that its end reaches every stream.
    fn insert(&mut self, hash: TokenHash, session: Option<Session>) -> Option<Arc<Session>> {
        if let Some(gone) = self.sessions.remove(&hash) {
            gone.end();
        }
        let session = Arc::new(session?);
        if self.sessions.len() >= MAX_CACHED {
            self.sessions.retain(|_, session| Arc::strong_count(session) > 1);
        }
        self.sessions.insert(hash, session.clone());
        Some(session)
    }
}

#[cfg(test)]
mod tests;
