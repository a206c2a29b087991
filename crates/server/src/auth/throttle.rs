//! Slows guesses down without locking anybody out.
//!
//! - Per client address: a few attempts are free, then each failure doubles the
//!   time until the next one is looked at, up to half a minute. An attempt
//!   counts when it begins, so that a hundred at once are not a hundred free
//!   ones; a right password clears the address.
//! - Per tenant: when many addresses guess at once, every attempt is held back
//!   for a moment before it is looked at. An owner waits a second, and gets in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parlor_protocol::TenantId;

use crate::clock::Moment;

/// Attempts of an address that nobody has to wait for.
const FREE: u32 = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// An address that has been quiet for this long starts again.
const FORGET_AFTER: Duration = Duration::from_secs(15 * 60);
/// More addresses than this are not kept apart.
const MOST_ADDRESSES: usize = 10_000;
/// Failures of one tenant in a minute from which on attempts are held back.
const MANY: u32 = 30;
const HOLD: Duration = Duration::from_secs(1);

/// What has been tried.
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
    /// When the next one is looked at.
    open_at: Moment,
}

#[derive(Debug, Clone, Copy)]
struct Minute {
    began: Moment,
    failures: u32,
}

/// What to do with an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Look at it, after this time.
    Go(Duration),
    /// Come back after this time.
    ComeBack(Duration),
}

impl Throttle {
    /// An attempt begins.
    pub(crate) fn begin(&self, from: IpAddr, tenant: &TenantId, now: Moment) -> Answer {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.forget(now);
        let fresh = Attempts { count: 0, last: now, open_at: now };
        let attempts = state.addresses.entry(client(from)).or_insert(fresh);
        if attempts.last.after(FORGET_AFTER) <= now {
            *attempts = fresh;
        }
        if attempts.open_at > now {
            return Answer::ComeBack(attempts.open_at.since(now));
        }
        attempts.count += 1;
        attempts.last = now;
        attempts.open_at = now.after(pause(attempts.count));
        Answer::Go(state.hold(tenant, now))
    }

    /// The password was right.
    pub(crate) fn succeeded(&self, from: IpAddr) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.addresses.remove(&client(from));
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
    fn hold(&self, tenant: &TenantId, now: Moment) -> Duration {
        let under_attack = self.tenants.get(tenant).is_some_and(|minute| {
            minute.failures >= MANY && now < minute.began.after(Duration::from_secs(60))
        });
        if under_attack { HOLD } else { Duration::ZERO }
    }

    /// Memory stays bounded: quiet addresses go, and if that is not enough all do.
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

/// How long after the n-th attempt the next one is looked at.
fn pause(count: u32) -> Duration {
    match count.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(over) => Duration::from_secs(1 << over.min(5)).min(LONGEST_PAUSE),
    }
}

/// One household has one IPv4 address, or one /64 of IPv6.
pub(super) fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 => v4,
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

    /// guesses are slowed down, more with each, and never for ever.
    #[test]
    fn an_address_waits_longer_after_each_failure() {
        let throttle = Throttle::default();
        let mut now = START;
        let mut pauses = Vec::new();
        for _ in 0..12 {
            if let Answer::ComeBack(pause) = throttle.begin(address(1), &home(), now) {
                pauses.push(pause.as_secs());
                now = now.after(pause);
                assert!(matches!(throttle.begin(address(1), &home(), now), Answer::Go(_)));
            }
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(throttle.begin(address(2), &home(), now), Answer::Go(Duration::ZERO));
    }

    /// FAULTS 23: a hundred at once are not a hundred guesses.
    #[test]
    fn attempts_count_when_they_begin() {
        let throttle = Throttle::default();
        let go = |_: &u32| matches!(throttle.begin(address(1), &home(), START), Answer::Go(_));
        assert_eq!((0..100).filter(go).count(), 5);
    }

    #[test]
    fn a_right_password_clears_the_address_and_so_does_time() {
        let throttle = Throttle::default();
        for _ in 0..5 {
            throttle.begin(address(1), &home(), START);
        }
        assert!(matches!(throttle.begin(address(1), &home(), START), Answer::ComeBack(_)));
        throttle.succeeded(address(1));
        for _ in 0..5 {
            assert!(matches!(throttle.begin(address(1), &home(), START), Answer::Go(_)));
        }
        let tomorrow = START.after(Duration::from_secs(86_400));
        for _ in 0..5 {
            assert!(matches!(throttle.begin(address(1), &home(), tomorrow), Answer::Go(_)));
        }
    }

    /// Many addresses: everyone waits a moment, nobody is refused.
    #[test]
    fn a_tenant_under_attack_is_slow_and_open() {
        let throttle = Throttle::default();
        for n in 0..MANY {
            throttle.begin(address(n), &home(), START);
            throttle.failed(&home(), START);
        }
        assert_eq!(throttle.begin(address(9_999), &home(), START), Answer::Go(HOLD));
        let other = "other".parse().unwrap();
        assert_eq!(throttle.begin(address(9_998), &other, START), Answer::Go(Duration::ZERO));
        let later = START.after(Duration::from_secs(60));
        assert_eq!(throttle.begin(address(9_997), &home(), later), Answer::Go(Duration::ZERO));
    }

    #[test]
    fn memory_is_bounded_and_a_network_is_one_client() {
        let throttle = Throttle::default();
        for n in 0..(2 * MOST_ADDRESSES as u32) {
            throttle.begin(address(n), &home(), START);
        }
        assert!(throttle.state.lock().unwrap().addresses.len() <= MOST_ADDRESSES);
        assert_eq!(
            client("2001:db8::1:2".parse().unwrap()),
            client("2001:db8::9".parse().unwrap())
        );
        assert_eq!(client("::ffff:1.2.3.4".parse().unwrap()), address(0x0102_0304));
    }
}
