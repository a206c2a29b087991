//! The address of a client: the peer's, or the one that a trusted proxy forwards.

use std::net::{IpAddr, SocketAddr};

use axum::http::{Extensions, HeaderMap};

use crate::config::Network;

/// The other end of a connection. The accept loop adds it to each request.
#[derive(Debug, Clone, Copy)]
pub struct PeerAddress(pub SocketAddr);

/// The address of one client, by which it can be limited. `None` where many clients
/// may share it: loopback, where an unconfigured proxy may run, and a trusted proxy
/// that forwards no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// The client address of a request.
    pub(crate) fn of(trusted: &[Network], extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<PeerAddress>().map(|peer| peer.0.ip());
        Self(peer.and_then(|peer| Self::unshared(client_address(peer, headers, trusted), trusted)))
    }

    /// The client address of a connection before its first request.
    pub(crate) fn of_peer(trusted: &[Network], peer: IpAddr) -> Self {
        Self(Self::unshared(peer.to_canonical(), trusted))
    }

    fn unshared(address: IpAddr, trusted: &[Network]) -> Option<IpAddr> {
        let shared =
            address.is_loopback() || trusted.iter().any(|network| network.contains(address));
        (!shared).then(|| client_network(address))
    }
}

/// The client's own address: the peer's, or, as long as that is a trusted proxy, the
/// one that it forwards. Proxies append to the list, so it is read from its end, and
/// entries that an untrusted client wrote are never reached.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer.to_canonical();
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    let named = lines
        .flat_map(|line| line.to_str().unwrap_or_default().rsplit(','))
        .map(|text| text.trim().parse::<IpAddr>());
    for address in named {
        match address {
            Ok(address) if is_trusted(client) => client = address.to_canonical(),
            _ => break,
        }
    }
    client
}

/// What counts as one client: an IPv4 address, or a /64 network of IPv6, which is what
/// one household gets.
pub(crate) fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let seen = |peer: &str, lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", line.parse().unwrap());
            }
            client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
        };
        assert_eq!(seen("1.1.1.1", &["9.9.9.9"]), "1.1.1.1");
        assert_eq!(seen("10.0.0.1", &["9.9.9.9"]), "9.9.9.9");
        assert_eq!(seen("10.0.0.1", &["8.8.8.8, 9.9.9.9"]), "9.9.9.9");
        assert_eq!(seen("10.0.0.1", &["8.8.8.8", "9.9.9.9, 10.0.0.2"]), "9.9.9.9");
        assert_eq!(seen("10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(seen("::ffff:10.0.0.1", &["9.9.9.9"]), "9.9.9.9");
    }

    #[test]
    fn a_shared_address_is_none() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let of = |peer: &str, named: Option<&str>| {
            let mut extensions = Extensions::new();
            extensions.insert(PeerAddress(SocketAddr::new(peer.parse().unwrap(), 1)));
            let mut headers = HeaderMap::new();
            if let Some(named) = named {
                headers.insert("x-forwarded-for", named.parse().unwrap());
            }
            ClientAddress::of(&trusted, &extensions, &headers).0.map(|address| address.to_string())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of("127.0.0.1", None), None);
        assert_eq!(of("127.0.0.1", Some("9.9.9.9")), None, "this proxy is not trusted");
        assert_eq!(of("10.0.0.1", None), None);
        assert_eq!(of("10.0.0.1", Some("9.9.9.9")), some("9.9.9.9"));
        assert_eq!(of("9.9.9.9", Some("8.8.8.8")), some("9.9.9.9"));
        assert_eq!(of("2001:db8::1:2", None), some("2001:db8::"), "a network is one client");
        let mapped = client_network("::ffff:1.2.3.4".parse().unwrap());
        assert_eq!(mapped.to_string(), "1.2.3.4");
    }
}
