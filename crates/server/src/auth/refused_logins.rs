//! Refused logins in the log: one line per address and minute, with their number.
//! A line for each attempt would let anybody fill the disk.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// How many addresses are counted separately, and so the most lines per minute.
const MOST_ADDRESSES: usize = 100;

/// Logins that were refused since the last log line.
#[derive(Debug, Default)]
pub(crate) struct RefusedLogins(Mutex<Counts>);

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Counts {
    by_address: HashMap<IpAddr, Count>,
    /// Logins from all other addresses.
    others: Count,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    wrong_password: u64,
    throttled: u64,
}

/// Why a login was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The password was wrong.
    WrongPassword,
    /// It came too soon after others.
    Throttled,
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
            Refusal::WrongPassword => count.wrong_password += 1,
            Refusal::Throttled => count.throttled += 1,
        }
    }

    /// Logs the counts and resets them.
    pub(crate) fn log(&self) {
        let counts = self.take();
        for (address, Count { wrong_password, throttled }) in &counts.by_address {
            tracing::warn!(%address, wrong_password, throttled, "refused logins in the last minute");
        }
        if counts.others != Count::default() {
            let Count { wrong_password, throttled } = counts.others;
            tracing::warn!(
                wrong_password, throttled, "refused logins in the last minute from other addresses"
            );
        }
    }

    fn take(&self) -> Counts {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a flood of guesses is one line per address, however many there are.
    #[test]
    fn refusals_are_counted_by_address() {
        let refused = RefusedLogins::default();
        let address = |n: u32| IpAddr::V4(n.into());
        for n in 0..1_000 {
            refused.count(address(1), Refusal::Throttled);
            refused.count(address(n), Refusal::WrongPassword);
        }
        let counts = refused.take();
        assert_eq!(counts.by_address.len(), MOST_ADDRESSES);
        assert_eq!(counts.by_address[&address(1)], Count { wrong_password: 1, throttled: 1_000 });
        assert_eq!(counts.others.wrong_password, 900);
        assert_eq!(refused.take(), Counts::default());
    }
}
