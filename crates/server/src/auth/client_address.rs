//! The address of a client, which proxies that we trust may tell us.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

use crate::config::Network;

/// The other end of a connection. The accept loop puts it into each request.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// The client's own address: the peer's, or, as long as the speaker is a proxy
/// that we trust, the one that it names. Proxies append, so the list is read
/// from its end, and what a stranger wrote before is never reached.
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
}
