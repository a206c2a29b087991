//! One session or key that is valid, and the signal that it no longer is.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parlor_protocol::{TenantId, Timestamp};
use parlor_storage::{Role, Token, TokenKind};
use tokio_util::sync::CancellationToken;

use crate::clock::milliseconds;
use crate::config::AccessConfig;

/// How often it is written down that a token is in use.
const TOUCH_EVERY: Duration = Duration::from_secs(60);
/// How long what the database said is believed without a hint that it changed.
const BELIEVE_FOR: Duration = Duration::from_secs(60);

/// A valid session or key. Open streams hold it and end with it.
#[derive(Debug)]
pub struct Session {
    /// Public name of the token.
    pub id: String,
    /// Session or key.
    pub kind: TokenKind,
    /// Whose it is.
    pub tenant: TenantId,
    /// What it may do.
    pub role: Role,
    /// What a person calls it.
    pub name: String,
    /// Cancelled when the token was revoked or has ended.
    pub ended: CancellationToken,
    created_at: Timestamp,
    expires_at: AtomicI64,
    touched_at: AtomicI64,
    checked_at: AtomicI64,
}

impl Session {
    /// From what is stored, if it is valid.
    pub(super) fn from_token(token: Token, now: Timestamp) -> Option<Self> {
        let expires_at = token.expires_at.map_or(i64::MAX, |at| at.0);
        let valid = token.revoked_at.is_none() && expires_at > now.0;
        valid.then(|| Self {
            id: token.id,
            kind: token.kind,
            tenant: token.tenant,
            role: token.role,
            name: token.name,
            ended: CancellationToken::new(),
            created_at: token.created_at,
            expires_at: AtomicI64::new(expires_at),
            touched_at: AtomicI64::new(token.last_used_at.0),
            checked_at: AtomicI64::new(now.0),
        })
    }

    /// The admin key of the environment: valid as long as the process runs.
    pub(super) fn of_environment(tenant: TenantId, now: Timestamp) -> Self {
        Self {
            id: "environment".to_owned(),
            kind: TokenKind::Key,
            tenant,
            role: Role::Admin,
            name: "PARLOR_API_KEY".to_owned(),
            ended: CancellationToken::new(),
            created_at: now,
            expires_at: AtomicI64::new(i64::MAX),
            touched_at: AtomicI64::new(i64::MAX),
            checked_at: AtomicI64::new(i64::MAX),
        }
    }

    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.ended.is_cancelled() || self.expires_at.load(Ordering::Relaxed) <= now.0
    }

    /// Whether the database should be asked again.
    pub(super) fn is_stale(&self, now: Timestamp) -> bool {
        now.0.saturating_sub(self.checked_at.load(Ordering::Relaxed)) > milliseconds(BELIEVE_FOR)
    }

    pub(super) fn was_checked(&self, now: Timestamp) {
        self.checked_at.store(now.0, Ordering::Relaxed);
    }

    /// Notes that it is in use. Once a minute this gives the end to write down.
    pub(super) fn touch(&self, now: Timestamp, lasts: &AccessConfig) -> Option<Option<Timestamp>> {
        let touched = self.touched_at.load(Ordering::Relaxed);
        if now.0.saturating_sub(touched) < milliseconds(TOUCH_EVERY) {
            return None;
        }
        // Of several requests at the same moment one writes.
        self.touched_at
            .compare_exchange(touched, now.0, Ordering::Relaxed, Ordering::Relaxed)
            .ok()?;
        if self.kind == TokenKind::Key {
            return Some(None);
        }
        let end = session_end(self.created_at, now, lasts);
        self.expires_at.store(end.0, Ordering::Relaxed);
        Some(Some(end))
    }
}

/// A session ends when it was not used for a while, and in any case at its age.
pub(super) fn session_end(created: Timestamp, now: Timestamp, lasts: &AccessConfig) -> Timestamp {
    let idle = now.0.saturating_add(milliseconds(lasts.idle_expiry));
    let absolute = created.0.saturating_add(milliseconds(lasts.absolute_expiry));
    Timestamp(idle.min(absolute))
}
