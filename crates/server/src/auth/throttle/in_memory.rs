//! Attempts in memory, for a node that has its database for itself.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_protocol::TenantId;

use super::{Attempt, FORGET_AFTER, MANY_FAILURES, delay, pause};
use crate::clock::{Clock, Moment};

/// How many addresses are tracked at most.
const MOST_ADDRESSES: usize = 10_000;

/// Recent login attempts on this node.
#[derive(Debug)]
pub(crate) struct InMemory {
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    addresses: HashMap<IpAddr, Attempts>,
    tenants: HashMap<TenantId, Minute>,
}

#[derive(Debug, Clone, Copy)]
struct Attempts {
    count: u32,
    last: Moment,
    /// When the next one is accepted.
    open_at: Moment,
}

#[derive(Debug, Clone, Copy)]
struct Minute {
    began: Moment,
    failures: u32,
}

impl InMemory {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, state: Mutex::default() }
    }

    pub(super) fn begin(&self, from: IpAddr, tenant: &TenantId) -> Attempt {
        self.begin_at(from, tenant, self.clock.moment())
    }

    /// The same at any time.
    pub(super) fn begin_at(&self, from: IpAddr, tenant: &TenantId, now: Moment) -> Attempt {
        let mut state = self.lock();
        state.forget(now);
        let fresh = Attempts { count: 0, last: now, open_at: now };
        let attempts = state.addresses.entry(from).or_insert(fresh);
        if attempts.last.after(FORGET_AFTER) <= now {
            *attempts = fresh;
        }
        if attempts.open_at > now {
            return Attempt::RetryAfter(attempts.open_at.since(now));
        }
        attempts.count += 1;
        attempts.last = now;
        attempts.open_at = now.after(pause(attempts.count));
        Attempt::CheckAfter(delay(state.is_attacked(tenant, now)))
    }

    pub(super) fn succeeded(&self, from: IpAddr) {
        self.lock().addresses.remove(&from);
    }

    pub(super) fn failed(&self, tenant: &TenantId) {
        self.failed_at(tenant, self.clock.moment());
    }

    /// The same at any time.
    pub(super) fn failed_at(&self, tenant: &TenantId, now: Moment) {
        let mut state = self.lock();
        let minute =
            state.tenants.entry(tenant.clone()).or_insert(Minute { began: now, failures: 0 });
        if now >= minute.began.after(Duration::from_secs(60)) {
            *minute = Minute { began: now, failures: 0 };
        }
        minute.failures = minute.failures.saturating_add(1);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_attacked(&self, tenant: &TenantId, now: Moment) -> bool {
        self.tenants.get(tenant).is_some_and(|minute| {
            minute.failures >= MANY_FAILURES && now < minute.began.after(Duration::from_secs(60))
        })
    }

    /// Bounds memory: drops quiet addresses, and all of them if that is not enough.
    fn forget(&mut self, now: Moment) {
        if self.addresses.len() >= MOST_ADDRESSES {
            self.addresses.retain(|_, attempts| attempts.last.after(FORGET_AFTER) > now);
            if self.addresses.len() >= MOST_ADDRESSES {
                self.addresses.clear();
            }
        }
        if self.tenants.len() >= MOST_ADDRESSES {
            self.tenants.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let (throttle, home) = (InMemory::new(Clock::default()), "home".parse().unwrap());
        for n in 0..(2 * MOST_ADDRESSES as u32) {
            throttle.begin(IpAddr::V4(n.into()), &home);
        }
        assert!(throttle.lock().addresses.len() <= MOST_ADDRESSES);
    }
}
