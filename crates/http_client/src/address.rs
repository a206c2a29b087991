//! Which addresses a URL from outside may lead to (FAULTS 27).
//!
//! A name is judged by the addresses that it resolves to when the connection is made: the resolver
//! returns allowed addresses only, and the connection goes to one of those. An address in the URL
//! itself never passes the resolver, so it is checked before ([`PublicOnly::check`]). A client
//! needs both, and no proxy: a proxy would resolve names by itself.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Allows addresses of the public internet, and those of this machine if asked to.
#[derive(Debug, Clone, Copy)]
pub struct PublicOnly {
    remedy: Option<&'static str>,
    allow_loopback: bool,
}

/// A URL leads to an address that is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPublic {
    remedy: Option<&'static str>,
}

/// What is wrong with the host of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostError {
    /// There is none.
    Missing,
    /// It is an address that is not allowed.
    NotPublic(NotPublic),
}

impl PublicOnly {
    /// Allows public addresses.
    pub const fn new() -> Self {
        Self { remedy: None, allow_loopback: false }
    }

    /// Says in errors what would permit the address.
    pub const fn with_remedy(self, remedy: &'static str) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// Allows this machine as well, but no private network.
    pub const fn or_loopback(self) -> Self {
        Self { allow_loopback: true, ..self }
    }

    /// Checks an address in a URL. A name is checked when it is resolved.
    pub fn check(&self, url: &Url) -> Result<(), HostError> {
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match literal {
            Ok(address) if !self.allows(address) => Err(HostError::NotPublic(self.refusal())),
            _ if host.is_empty() => Err(HostError::Missing),
            _ => Ok(()),
        }
    }

    fn allows(&self, address: IpAddr) -> bool {
        is_public(address) || self.allow_loopback && address.is_loopback()
    }

    fn refusal(&self) -> NotPublic {
        NotPublic { remedy: self.remedy }
    }
}

impl Default for PublicOnly {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = *self;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|found| rule.allows(found.ip())).collect();
            if allowed.is_empty() {
                return Err(rule.refusal().into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

impl fmt::Display for NotPublic {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("this leads to this machine or to a private network")?;
        self.remedy.map_or(Ok(()), |remedy| write!(to, "; {remedy}"))
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => to.write_str("it names no host"),
            Self::NotPublic(refusal) => refusal.fmt(to),
        }
    }
}

impl Error for NotPublic {}
impl Error for HostError {}

/// Whether an address belongs to the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let protocol_assignments = a == 192 && b == 0 && c == 0;
    let benchmarks = a == 198 && (18..20).contains(&b);
    !(a == 0
        || a >= 224
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || shared
        || protocol_assignments
        || benchmarks)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    // An IPv6 address that embeds an IPv4 address is judged by that one.
    let older = match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some((high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
        [0x2002, high, low, ..] => Some((high, low)),
        _ => None,
    };
    if let Some((high, low)) = older {
        return is_public_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    }
    // Only this part of the address space is allocated; some ranges in it have special uses.
    let given_out = parts[0] & 0xe000 == 0x2000;
    let special = parts[0] == 0x2001 && (parts[1] < 0x200 || parts[1] == 0xdb8)
        || parts[0] & 0xfff0 == 0x3ff0;
    given_out && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 27: private, local and special addresses are refused.
    #[test]
    fn only_addresses_of_the_open_internet_are_public() {
        for address in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1",
            "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.8",
            "198.18.0.1", "224.0.0.1", "255.255.255.255", "203.0.113.1", "::", "::1", "fe80::1",
            "fc00::1", "fd12::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
            "2002:c0a8:101::1", "2001:db8::1", "2001::1", "64:ff9b:1::1", "3fff::1", "5f00::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    /// All spellings of a private address are recognised.
    #[test]
    fn an_address_in_a_url_is_judged_in_every_spelling() {
        let check = |url: &str| PublicOnly::new().check(&Url::parse(url).unwrap());
        for url in [
            "http://127.0.0.1/mcp", "http://127.1/mcp", "http://2130706433/", "http://0x7f.1/",
            "http://017700000001/", "http://[::1]:8080/", "http://[::ffff:7f00:1]/", "http://0/",
            "http://192.168.0.1./", "http://１２７.0.0.1/",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
        for url in ["https://mcp.example.org/mcp", "http://8.8.8.8/", "https://[2606:4700::1]/"] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        assert_eq!(check("data:text/plain,x"), Err(HostError::Missing));
    }

    /// Loopback is this machine alone: neither its network nor an address that stands for all.
    #[test]
    fn loopback_is_allowed_only_if_asked_for() {
        let check = |url: &str| PublicOnly::new().or_loopback().check(&Url::parse(url).unwrap());
        for url in ["http://127.0.0.1:8080/", "http://[::1]/", "https://8.8.8.8/"] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for url in ["http://10.0.0.1/", "http://0.0.0.0/", "http://169.254.169.254/"] {
            assert!(check(url).is_err(), "{url}");
        }
    }

    /// A name is judged by the address that it resolves to.
    #[tokio::test]
    async fn a_name_is_judged_by_where_it_leads() {
        let rule = PublicOnly::new().with_remedy("a setting permits it");
        let error = rule.resolve("localhost".parse().unwrap()).await.err().unwrap();
        assert_eq!(*error.downcast::<NotPublic>().unwrap(), rule.refusal());
        assert!(rule.refusal().to_string().ends_with("; a setting permits it"));
        let mut found = rule.or_loopback().resolve("localhost".parse().unwrap()).await.unwrap();
        assert!(found.all(|found| found.ip().is_loopback()));
    }
}
