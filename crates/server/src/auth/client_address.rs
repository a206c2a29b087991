//! The address of a client, which proxies that we trust may tell us.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use super::throttle::client;
use crate::app::App;
use crate::config::Network;

/// The other end of a connection. The accept loop puts it into each request.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// The address of one client, by which it can be limited. There is none where many
/// clients may have it: on loopback, where a proxy may be that nobody told us of, and
/// that of a trusted proxy which names nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// That of a request.
    pub(crate) fn of(trusted: &[Network], extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<Peer>().map(|peer| peer.0.ip());
        Self(peer.and_then(|peer| Self::alone(client_address(peer, headers, trusted), trusted)))
    }

    /// That of a connection that has not said anything yet.
    pub(crate) fn of_peer(trusted: &[Network], peer: IpAddr) -> Self {
        Self(Self::alone(peer.to_canonical(), trusted))
    }

    fn alone(address: IpAddr, trusted: &[Network]) -> Option<IpAddr> {
        let shared =
            address.is_loopback() || trusted.iter().any(|network| network.contains(address));
        (!shared).then(|| client(address))
    }
}

impl FromRequestParts<Arc<App>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let trusted = &app.config.server.trusted_proxies;
        Ok(Self::of(trusted, &parts.extensions, &parts.headers))
    }
}

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

    /// Who may be many is nobody's address.
    #[test]
    fn an_address_that_many_may_have_is_none() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let of = |peer: &str, named: Option<&str>| {
            let mut extensions = Extensions::new();
            extensions.insert(Peer(SocketAddr::new(peer.parse().unwrap(), 1)));
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
    }
}
