//! One session or key that is valid, and the signal that it no longer is.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parlor_protocol::{TenantId, Timestamp};
use parlor_storage::{AccessRole, Token, TokenKind};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Moment, between, later};
use crate::config::AccessConfig;

/// The longest time until it is written down that a token is in use.
const TOUCH_EVERY: Duration = Duration::from_secs(60);
/// How long what the database said is believed without a hint that it changed.
const BELIEVE_FOR: Duration = Duration::from_secs(60);

/// A valid session or key. Open streams hold it and end with it.
///
/// How long it lasts is counted by the steady clock. The database has times of day,
/// for the next run of the server; they are read as what is left of them now, and
/// never as more than a session can last: the time of day may have been set back.
#[derive(Debug)]
pub struct Session {
    /// Public name of the token.
    pub id: String,
    /// Session or key.
    pub kind: TokenKind,
    /// Whose it is.
    pub tenant: TenantId,
    /// What it may do.
    pub role: AccessRole,
    /// What a person calls it.
    pub name: String,
    /// Cancelled when the token was revoked or has ended.
    pub ended: CancellationToken,
    /// When it ends, however much it is used.
    ends_at_latest: Moment,
    ends: Hand,
    touched: Hand,
    checked: Hand,
}

/// A moment that several threads may move.
#[derive(Debug)]
struct Hand(AtomicI64);

impl Session {
    /// From what is stored, if it is valid.
    pub(super) fn from_token(token: Token, clock: &Clock, lasts: &AccessConfig) -> Option<Self> {
        let (now, moment) = (clock.now(), clock.moment());
        let ends_at = token.expires_at.unwrap_or(Timestamp(i64::MAX));
        if token.revoked_at.is_some() || ends_at <= now {
            return None;
        }
        let (ends, ends_at_latest) = match token.kind {
            TokenKind::Key => (moment.after(between(now, ends_at)), Moment::NEVER),
            TokenKind::Session => {
                let age = between(token.created_at, now);
                let latest = moment.after(lasts.absolute_expiry.saturating_sub(age));
                let left = between(now, ends_at).min(lasts.idle_expiry);
                (moment.after(left).min(latest), latest)
            }
        };
        Some(Self {
            id: token.id,
            kind: token.kind,
            tenant: token.tenant,
            role: token.role,
            name: token.name,
            ended: CancellationToken::new(),
            ends_at_latest,
            ends: Hand::at(ends),
            touched: Hand::at(moment.before(between(token.last_used_at, now))),
            checked: Hand::at(moment),
        })
    }

    /// The admin key of the environment: valid as long as the process runs.
    pub(super) fn of_environment(tenant: TenantId) -> Self {
        Self {
            id: "environment".to_owned(),
            kind: TokenKind::Key,
            tenant,
            role: AccessRole::Admin,
            name: "PARLOR_API_KEY".to_owned(),
            ended: CancellationToken::new(),
            ends_at_latest: Moment::NEVER,
            ends: Hand::at(Moment::NEVER),
            touched: Hand::at(Moment::NEVER),
            checked: Hand::at(Moment::NEVER),
        }
    }

    pub(super) fn is_over(&self, now: Moment) -> bool {
        self.ended.is_cancelled() || self.ends.get() <= now
    }

    /// Whether the database should be asked again.
    pub(super) fn is_stale(&self, now: Moment) -> bool {
        now.since(self.checked.get()) > BELIEVE_FOR
    }

    pub(super) fn was_checked(&self, now: Moment) {
        self.checked.set(now);
    }

    /// Notes that it is in use. Now and then this gives what is to be written down:
    /// when it was used, and when it ends.
    pub(super) fn touch(
        &self,
        clock: &Clock,
        lasts: &AccessConfig,
    ) -> Option<(Timestamp, Option<Timestamp>)> {
        let moment = clock.moment();
        let mut end = None;
        if self.kind == TokenKind::Session {
            let ends = moment.after(lasts.idle_expiry).min(self.ends_at_latest);
            self.ends.set(ends);
            end = Some(later(clock.now(), ends.since(moment)));
        }
        // Often enough that what is written down is never close to its end.
        let often = TOUCH_EVERY.min(lasts.idle_expiry / 4);
        let touched = self.touched.get();
        // Of several requests at the same moment one writes.
        let is_due = moment.since(touched) >= often && self.touched.moves(touched, moment);
        is_due.then(|| (clock.now(), end))
    }
}

impl Hand {
    fn at(moment: Moment) -> Self {
        Self(AtomicI64::new(moment.as_millis()))
    }

    fn get(&self) -> Moment {
        Moment::from_millis(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, moment: Moment) {
        self.0.store(moment.as_millis(), Ordering::Relaxed);
    }

    /// Moves it unless somebody else just did.
    fn moves(&self, from: Moment, to: Moment) -> bool {
        let (from, to) = (from.as_millis(), to.as_millis());
        self.0.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The end of a session that begins now.
pub(super) fn session_end(now: Timestamp, lasts: &AccessConfig) -> Timestamp {
    later(now, lasts.idle_expiry.min(lasts.absolute_expiry))
}
