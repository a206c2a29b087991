//! An IP address or a network: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.

use std::net::IpAddr;
use std::str::FromStr;

/// All addresses with the same prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Whether an address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same_prefix(own.to_bits().into(), other.to_bits().into(), self.prefix + 96)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                same_prefix(own.to_bits(), other.to_bits(), self.prefix)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not an address such as 10.0.0.7 or 10.0.0.0/8");
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(prefix) => prefix.parse().ok().filter(|n| *n <= most).ok_or_else(wrong)?,
            None => most,
        };
        Ok(Self { address, prefix })
    }
}

fn same_prefix(a: u128, b: u128, bits: u32) -> bool {
    (a ^ b).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        let holds = |network: &str, address: &str| {
            network.parse::<Network>().unwrap().contains(address.parse().unwrap())
        };
        assert!(holds("10.0.0.0/8", "10.255.1.2"));
        assert!(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(!holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("127.0.0.1", "127.0.0.1"));
        assert!(!holds("127.0.0.1", "127.0.0.2"));
        assert!(holds("fd00::/8", "fdab::1"));
        assert!(holds("0.0.0.0/0", "8.8.8.8"));
        assert!(!holds("0.0.0.0/0", "fd00::1"));
        for bad in ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "host"] {
            assert!(bad.parse::<Network>().is_err(), "{bad:?}");
        }
    }
}
