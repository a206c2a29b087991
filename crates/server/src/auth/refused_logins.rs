//! Refused logins in the log: one line for each address and minute, with their number.
//! A line for each would let anybody fill the disk.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// How many addresses are told apart, and so how many lines there are a minute.
const MOST_ADDRESSES: usize = 100;

/// What was refused since it was last logged.
#[derive(Debug, Default)]
pub(crate) struct RefusedLogins(Mutex<Counts>);

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Counts {
    by_address: HashMap<IpAddr, Count>,
    /// Those of all further addresses.
    others: Count,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    wrong: u64,
    slowed_down: u64,
}

/// Why a login was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The password was wrong.
    Wrong,
    /// It came too soon after others.
    SlowedDown,
}

impl RefusedLogins {
    /// Counts one.
    pub(crate) fn count(&self, from: IpAddr, why: Refusal) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = counts.by_address.contains_key(&from);
        let count = if is_known || counts.by_address.len() < MOST_ADDRESSES {
            counts.by_address.entry(from).or_default()
        } else {
            &mut counts.others
        };
        match why {
            Refusal::Wrong => count.wrong += 1,
            Refusal::SlowedDown => count.slowed_down += 1,
        }
    }

    /// Logs what was counted, and begins anew.
    pub(crate) fn log(&self) {
        let counts = self.take();
        for (address, Count { wrong, slowed_down }) in &counts.by_address {
            tracing::warn!(%address, wrong, slowed_down, "logins were refused in the last minute");
        }
        if counts.others != Count::default() {
            let Count { wrong, slowed_down } = counts.others;
            tracing::warn!(wrong, slowed_down, "logins of further addresses were refused");
        }
    }

    fn take(&self) -> Counts {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a flood of guesses is a line for each address, however many there are.
    #[test]
    fn refusals_are_counted_by_address() {
        let refused = RefusedLogins::default();
        let address = |n: u32| IpAddr::V4(n.into());
        for n in 0..1_000 {
            refused.count(address(1), Refusal::SlowedDown);
            refused.count(address(n), Refusal::Wrong);
        }
        let counts = refused.take();
        assert_eq!(counts.by_address.len(), MOST_ADDRESSES);
        assert_eq!(counts.by_address[&address(1)], Count { wrong: 1, slowed_down: 1_000 });
        assert_eq!(counts.others.wrong, 900);
        assert_eq!(refused.take(), Counts::default());
    }
}
