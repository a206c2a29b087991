//! Slows password guessing down without locking anybody out.
//!
//! - Per client address: a few attempts are free, then each one doubles the time
//!   until the next is accepted, up to half a minute. An attempt counts when it
//!   begins, so a hundred in parallel are not a hundred free ones. A correct
//!   password clears the address.
//! - Per tenant, and per name in it: while many addresses guess at once, every attempt is delayed
//!   by a second before it is checked. Nobody is refused for what others do.
//! - [`InMemory`]: a node alone counts in memory. [`InDatabase`]: nodes that share a
//!   database count in its rows, so that guessing on three of them is not three times as
//!   fast.

mod in_database;
mod in_memory;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use parlor_protocol::TenantId;
use parlor_storage::{StorageError, Store};

use self::in_database::InDatabase;
use self::in_memory::InMemory;
use crate::client_address::client_network;
use crate::clock::Clock;

/// Attempts of an address without a delay.
const FREE: u32 = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Doubled so often, the pause has reached its maximum.
const MOST_DOUBLINGS: u32 = 5;
/// An address without an attempt for this long starts again.
const FORGET_AFTER: Duration = Duration::from_secs(15 * 60);
/// Failures per minute and tenant from which on every attempt is delayed.
const MANY_FAILURES: u32 = 30;
/// The same for one name.
const MANY_OF_A_NAME: u32 = 10;
const DELAY: Duration = Duration::from_secs(1);

/// Recent login attempts.
#[derive(Debug)]
pub(crate) enum Throttle {
    /// Those on this node.
    Local(InMemory),
    /// Those on all nodes.
    Shared(InDatabase),
}

/// What an attempt wants to get into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'t> {
    /// The tenant.
    pub(crate) tenant: &'t TenantId,
    /// The login name of a person; none for the shared account.
    pub(crate) name: Option<&'t str>,
}

/// What to do with an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Check the password after this delay.
    CheckAfter(Duration),
    /// Refuse it; the next one is accepted after this time.
    RetryAfter(Duration),
}

impl Throttle {
    /// Attempts are counted in the database if other nodes may use it.
    pub(crate) fn new(store: &Store, clock: Clock) -> Self {
        match store.shared_limits() {
            Some(shared) => Self::Shared(InDatabase::new(shared, clock)),
            None => Self::Local(InMemory::new(clock)),
        }
    }

    /// An attempt begins.
    pub(crate) async fn begin(
        &self,
        from: IpAddr,
        target: Target<'_>,
    ) -> Result<Attempt, StorageError> {
        let from = client_network(from);
        match self {
            Self::Local(throttle) => Ok(throttle.begin(from, target)),
            Self::Shared(throttle) => throttle.begin(from, target).await,
        }
    }

    /// The password was correct.
    pub(crate) async fn succeeded(&self, from: IpAddr) -> Result<(), StorageError> {
        let from = client_network(from);
        match self {
            Self::Local(throttle) => {
                throttle.succeeded(from);
                Ok(())
            }
            Self::Shared(throttle) => throttle.succeeded(from).await,
        }
    }

    /// The password was wrong.
    pub(crate) async fn failed(&self, target: Target<'_>) -> Result<(), StorageError> {
        match self {
            Self::Local(throttle) => {
                throttle.failed(target);
                Ok(())
            }
            Self::Shared(throttle) => throttle.failed(target).await,
        }
    }

    /// Removes what no longer matters. Memory is bounded without it.
    pub(crate) async fn forget_old(&self) -> Result<(), StorageError> {
        match self {
            Self::Local(_) => Ok(()),
            Self::Shared(throttle) => throttle.forget_old().await,
        }
    }
}

/// The pause after the n-th attempt.
fn pause(count: u32) -> Duration {
    match count.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(over) => Duration::from_secs(1 << over.min(MOST_DOUBLINGS)).min(LONGEST_PAUSE),
    }
}

/// How long an attempt waits before it is checked.
fn delay(is_attacked: bool) -> Duration {
    if is_attacked { DELAY } else { Duration::ZERO }
}
