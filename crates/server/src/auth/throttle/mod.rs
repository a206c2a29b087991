//! Slows password guessing down without locking anybody out.
//!
//! - Per client address: a few attempts are free, then each one doubles the time
//!   until the next is accepted, up to half a minute. An attempt counts when it
//!   begins, so a hundred in parallel are not a hundred free ones. A correct
//!   password clears the address.
//! - Per tenant: while many addresses guess at once, every attempt is delayed by a
//!   second before it is checked. Nobody is refused for what others do.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parlor_protocol::TenantId;

use crate::client_address::client_network;
use crate::clock::Moment;

/// Attempts of an address without a delay.
const FREE: u32 = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// An address without an attempt for this long starts again.
const FORGET_AFTER: Duration = Duration::from_secs(15 * 60);
/// How many addresses are tracked at most.
const MOST_ADDRESSES: usize = 10_000;
/// Failures per minute and tenant from which on every attempt is delayed.
const MANY_FAILURES: u32 = 30;
const DELAY: Duration = Duration::from_secs(1);

/// Recent login attempts.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
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

/// What to do with an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Check the password after this delay.
    CheckAfter(Duration),
    /// Refuse it; the next one is accepted after this time.
    RetryAfter(Duration),
}

impl Throttle {
    /// An attempt begins.
    pub(crate) fn begin(&self, from: IpAddr, tenant: &TenantId, now: Moment) -> Attempt {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.forget(now);
        let fresh = Attempts { count: 0, last: now, open_at: now };
        let attempts = state.addresses.entry(client_network(from)).or_insert(fresh);
        if attempts.last.after(FORGET_AFTER) <= now {
            *attempts = fresh;
        }
        if attempts.open_at > now {
            return Attempt::RetryAfter(attempts.open_at.since(now));
        }
        attempts.count += 1;
        attempts.last = now;
        attempts.open_at = now.after(pause(attempts.count));
        Attempt::CheckAfter(state.delay(tenant, now))
    }

    /// The password was correct.
    pub(crate) fn succeeded(&self, from: IpAddr) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.addresses.remove(&client_network(from));
    }

    /// The password was wrong.
    pub(crate) fn failed(&self, tenant: &TenantId, now: Moment) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let minute =
            state.tenants.entry(tenant.clone()).or_insert(Minute { began: now, failures: 0 });
        if now >= minute.began.after(Duration::from_secs(60)) {
            *minute = Minute { began: now, failures: 0 };
        }
        minute.failures = minute.failures.saturating_add(1);
    }
}

impl State {
    fn delay(&self, tenant: &TenantId, now: Moment) -> Duration {
        let under_attack = self.tenants.get(tenant).is_some_and(|minute| {
            minute.failures >= MANY_FAILURES && now < minute.began.after(Duration::from_secs(60))
        });
        if under_attack { DELAY } else { Duration::ZERO }
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

/// The pause after the n-th attempt.
fn pause(count: u32) -> Duration {
    match count.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(over) => Duration::from_secs(1 << over.min(5)).min(LONGEST_PAUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::from_millis(1_000_000);

    fn home() -> TenantId {
        "home".parse().unwrap()
    }

    fn address(n: u32) -> IpAddr {
        IpAddr::V4(n.into())
    }

    /// each guess delays the next one longer, up to a maximum.
    #[test]
    fn an_address_waits_longer_after_each_failure() {
        let throttle = Throttle::default();
        let mut now = START;
        let mut pauses = Vec::new();
        for _ in 0..12 {
            if let Attempt::RetryAfter(pause) = throttle.begin(address(1), &home(), now) {
                pauses.push(pause.as_secs());
                now = now.after(pause);
                assert!(matches!(throttle.begin(address(1), &home(), now), Attempt::CheckAfter(_)));
            }
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(throttle.begin(address(2), &home(), now), Attempt::CheckAfter(Duration::ZERO));
    }

    /// FAULTS 23: a hundred parallel attempts are not a hundred guesses.
    #[test]
    fn attempts_count_when_they_begin() {
        let throttle = Throttle::default();
        let accepted =
            |_: &u32| matches!(throttle.begin(address(1), &home(), START), Attempt::CheckAfter(_));
        assert_eq!((0..100).filter(accepted).count(), 5);
    }

    #[test]
    fn a_correct_password_clears_the_address_and_so_does_time() {
        let throttle = Throttle::default();
        for _ in 0..5 {
            throttle.begin(address(1), &home(), START);
        }
        assert!(matches!(throttle.begin(address(1), &home(), START), Attempt::RetryAfter(_)));
        throttle.succeeded(address(1));
        for _ in 0..5 {
            assert!(matches!(throttle.begin(address(1), &home(), START), Attempt::CheckAfter(_)));
        }
        let tomorrow = START.after(Duration::from_secs(86_400));
        for _ in 0..5 {
            assert!(matches!(
                throttle.begin(address(1), &home(), tomorrow),
                Attempt::CheckAfter(_)
            ));
        }
    }

    /// Guesses from many addresses delay everyone and refuse nobody.
    #[test]
    fn a_tenant_under_attack_is_slow_and_open() {
        let throttle = Throttle::default();
        for n in 0..MANY_FAILURES {
            throttle.begin(address(n), &home(), START);
            throttle.failed(&home(), START);
        }
        assert_eq!(throttle.begin(address(9_999), &home(), START), Attempt::CheckAfter(DELAY));
        let other = "other".parse().unwrap();
        assert_eq!(
            throttle.begin(address(9_998), &other, START),
            Attempt::CheckAfter(Duration::ZERO)
        );
        let later = START.after(Duration::from_secs(60));
        assert_eq!(
            throttle.begin(address(9_997), &home(), later),
            Attempt::CheckAfter(Duration::ZERO)
        );
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        for n in 0..(2 * MOST_ADDRESSES as u32) {
            throttle.begin(address(n), &home(), START);
        }
        assert!(throttle.state.lock().unwrap().addresses.len() <= MOST_ADDRESSES);
    }
}
