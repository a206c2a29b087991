//! Attempts in memory, for a node that has its database for itself.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Attempt, FORGET_AFTER, MANY_FAILURES, MANY_OF_A_NAME, Target, delay, pause};
use crate::clock::{Clock, Moment};

/// How many addresses, and how many tenants and names, are tracked at most.
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
    /// Of tenants, and of names in them.
    failures: HashMap<String, Minute>,
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

    pub(super) fn begin(&self, from: IpAddr, target: Target<'_>) -> Attempt {
        self.begin_at(from, target, self.clock.moment())
    }

    /// The same at any time.
    pub(super) fn begin_at(&self, from: IpAddr, target: Target<'_>, now: Moment) -> Attempt {
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
        Attempt::CheckAfter(delay(state.is_attacked(target, now)))
    }

    pub(super) fn succeeded(&self, from: IpAddr) {
        self.lock().addresses.remove(&from);
    }

    pub(super) fn failed(&self, target: Target<'_>) {
        self.failed_at(target, self.clock.moment());
    }

    /// The same at any time.
    pub(super) fn failed_at(&self, target: Target<'_>, now: Moment) {
        let mut state = self.lock();
        for (of, _) in counted(target) {
            let minute = state.failures.entry(of).or_insert(Minute { began: now, failures: 0 });
            if now >= minute.began.after(Duration::from_secs(60)) {
                *minute = Minute { began: now, failures: 0 };
            }
            minute.failures = minute.failures.saturating_add(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_attacked(&self, target: Target<'_>, now: Moment) -> bool {
        counted(target).any(|(of, many)| {
            self.failures.get(&of).is_some_and(|minute| {
                minute.failures >= many && now < minute.began.after(Duration::from_secs(60))
            })
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
        if self.failures.len() >= MOST_ADDRESSES {
            let minute = Duration::from_secs(60);
            self.failures.retain(|_, failures| now < failures.began.after(minute));
            if self.failures.len() >= MOST_ADDRESSES {
                self.failures.clear();
            }
        }
    }
}

/// Whose failures are counted, and how many are many.
fn counted(target: Target<'_>) -> impl Iterator<Item = (String, u32)> {
    let Target { tenant, name } = target;
    let of_name = name.map(|name| (format!("name:{tenant}/{name}"), MANY_OF_A_NAME));
    of_name.into_iter().chain([(format!("tenant:{tenant}"), MANY_FAILURES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let (throttle, tenant) = (InMemory::new(Clock::default()), "home".parse().unwrap());
        for n in 0..(2 * MOST_ADDRESSES as u32) {
            let name = n.to_string();
            let target = Target { tenant: &tenant, name: Some(&name) };
            throttle.begin(IpAddr::V4(n.into()), target);
            throttle.failed(target);
        }
        let state = throttle.lock();
        assert!(
            state.addresses.len() <= MOST_ADDRESSES && state.failures.len() <= MOST_ADDRESSES + 2
        );
    }
}
