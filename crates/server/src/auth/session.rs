//! One valid session or key, and its end.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use parlor_protocol::{TenantId, Timestamp};
use parlor_storage::{AccessRole, Token, TokenKind, TokenPerson, Visit};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Moment, between, later};
use crate::config::AccessConfig;

/// The id of the admin key of the environment.
pub(crate) const ENVIRONMENT_KEY: &str = "environment";
/// How often the use of a token is stored.
const TOUCH_EVERY: Duration = Duration::from_secs(60);
/// How long the state in memory is used without asking the database again.
const FRESH_FOR: Duration = Duration::from_secs(60);

/// A valid session or key. Open streams hold it and end with it.
///
/// Its lifetime is measured by the monotonic clock. The database has times of day, for
/// the next run of the server; they are converted to the time that is left, which is
/// never more than the longest lifetime: the time of day may have been set back.
#[derive(Debug)]
pub struct Session {
    /// The public id of the token.
    pub id: String,
    /// Session or key.
    pub kind: TokenKind,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// Its access role.
    pub role: AccessRole,
    /// Its name, chosen by a person.
    pub name: String,
    /// Whose it is; none if it is of the tenant's shared account.
    pub person: Option<TokenPerson>,
    /// What the session of a visitor of another site is held to.
    pub visit: Option<Visit>,
    /// Set before `ended` is cancelled: streams check it for every event, and a
    /// `CancellationToken` takes a lock for that.
    is_ended: AtomicBool,
    ended: CancellationToken,
    /// When it expires, however much it is used.
    latest_expiry: Moment,
    expiry: AtomicMoment,
    touched: AtomicMoment,
    checked: AtomicMoment,
    /// The expiry in the database as this node knows it, in milliseconds since 1970. If it is
    /// another, another node has extended the session.
    stored_expiry: AtomicI64,
}

/// A moment that several threads may change.
#[derive(Debug)]
struct AtomicMoment(AtomicI64);

impl Session {
    /// From a stored token, if it is valid.
    pub(super) fn from_token(token: Token, clock: &Clock, access: &AccessConfig) -> Option<Self> {
        let (now, moment) = (clock.now(), clock.moment());
        let expires_at = token.expires_at.unwrap_or(Timestamp(i64::MAX));
        if token.revoked_at.is_some() || expires_at <= now {
            return None;
        }
        let (expiry, latest_expiry) = match token.kind {
            TokenKind::Key => (moment.after(between(now, expires_at)), Moment::NEVER),
            // It is not extended by being used.
            TokenKind::Visitor => {
                let expiry = moment.after(between(now, expires_at));
                (expiry, expiry)
            }
            TokenKind::Session => {
                let age = between(token.created_at, now);
                let latest = moment.after(access.absolute_expiry.saturating_sub(age));
                let left = between(now, expires_at).min(access.idle_expiry);
                (moment.after(left).min(latest), latest)
            }
        };
        Some(Self {
            id: token.id,
            kind: token.kind,
            tenant: token.tenant,
            role: token.role,
            name: token.name,
            person: token.person,
            visit: token.visit,
            is_ended: AtomicBool::new(false),
            ended: CancellationToken::new(),
            latest_expiry,
            expiry: AtomicMoment::new(expiry),
            touched: AtomicMoment::new(moment.before(between(token.last_used_at, now))),
            checked: AtomicMoment::new(moment),
            stored_expiry: AtomicI64::new(expires_at.0),
        })
    }

    /// The admin key of the environment: valid as long as the process runs.
    pub(crate) fn of_environment(tenant: TenantId) -> Self {
        Self::of_process(ENVIRONMENT_KEY, tenant, AccessRole::Admin, "PARLOR_API_KEY")
    }

    /// The key of the editor that this process runs for.
    pub(crate) fn of_editor(tenant: TenantId) -> Self {
        Self::of_process("editor", tenant, AccessRole::User, "editor")
    }

    /// A key that is not stored.
    fn of_process(id: &str, tenant: TenantId, role: AccessRole, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            kind: TokenKind::Key,
            tenant,
            role,
            name: name.to_owned(),
            person: None,
            visit: None,
            is_ended: AtomicBool::new(false),
            ended: CancellationToken::new(),
            latest_expiry: Moment::NEVER,
            expiry: AtomicMoment::new(Moment::NEVER),
            touched: AtomicMoment::new(Moment::NEVER),
            checked: AtomicMoment::new(Moment::NEVER),
            stored_expiry: AtomicI64::new(i64::MAX),
        }
    }

    /// Whether it was revoked or has expired. One atomic load.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Waits until it was revoked or has expired.
    pub(crate) async fn wait_for_end(&self) {
        self.ended.cancelled().await;
    }

    /// Ends it for everybody who holds it. Nothing is stored.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        self.ended.cancel();
    }

    /// Whether it has ended or should end now.
    pub(super) fn is_over(&self, now: Moment) -> bool {
        self.is_ended() || self.expiry.get() <= now
    }

    /// Whether the database should be asked again.
    pub(super) fn is_stale(&self, now: Moment) -> bool {
        now.since(self.checked.get()) > FRESH_FOR
    }

    pub(super) fn was_checked(&self, now: Moment) {
        self.checked.set(now);
    }

    /// Extends it if it is in use on another node: then the database has another expiry than
    /// this node read or stored. One that nobody changed extends nothing, however far ahead
    /// it is: the time of day may have been set back.
    pub(super) fn extend_to(
        &self,
        expires_at: Option<Timestamp>,
        clock: &Clock,
        access: &AccessConfig,
    ) {
        let Some(expires_at) = expires_at else { return };
        if self.stored_expiry.swap(expires_at.0, Ordering::Relaxed) != expires_at.0 {
            let left = between(clock.now(), expires_at).min(access.idle_expiry);
            self.expiry.raise(clock.moment().after(left).min(self.latest_expiry));
        }
    }

    /// This node has stored an expiry.
    pub(super) fn was_stored(&self, expires_at: Option<Timestamp>) {
        if let Some(expires_at) = expires_at {
            self.stored_expiry.store(expires_at.0, Ordering::Relaxed);
        }
    }

    /// Extends it because it is in use. Now and then this returns what to store: when
    /// it was used, and when it expires.
    pub(super) fn touch(
        &self,
        clock: &Clock,
        access: &AccessConfig,
    ) -> Option<(Timestamp, Option<Timestamp>)> {
        if self.kind == TokenKind::Visitor {
            return None;
        }
        let moment = clock.moment();
        let mut expires_at = None;
        if self.kind == TokenKind::Session {
            let expiry = moment.after(access.idle_expiry).min(self.latest_expiry);
            self.expiry.set(expiry);
            expires_at = Some(later(clock.now(), expiry.since(moment)));
        }
        // Often enough that the stored expiry is never close.
        let interval = TOUCH_EVERY.min(access.idle_expiry / 4);
        let touched = self.touched.get();
        // Of several requests at the same moment one writes.
        let is_due = moment.since(touched) >= interval && self.touched.replace(touched, moment);
        is_due.then(|| (clock.now(), expires_at))
    }
}

impl AtomicMoment {
    fn new(moment: Moment) -> Self {
        Self(AtomicI64::new(moment.as_millis()))
    }

    fn get(&self) -> Moment {
        Moment::from_millis(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, moment: Moment) {
        self.0.store(moment.as_millis(), Ordering::Relaxed);
    }

    /// Sets it, unless it is later already.
    fn raise(&self, moment: Moment) {
        self.0.fetch_max(moment.as_millis(), Ordering::Relaxed);
    }

    /// Replaces the expected value; false if another thread was first.
    fn replace(&self, from: Moment, to: Moment) -> bool {
        let (from, to) = (from.as_millis(), to.as_millis());
        self.0.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The expiry of a session that begins now.
pub(super) fn first_expiry(now: Timestamp, access: &AccessConfig) -> Timestamp {
    later(now, access.idle_expiry.min(access.absolute_expiry))
}
