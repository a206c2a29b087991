//! `public_url`: the URL under which browsers reach the server. It alone decides which
//! Host and Origin are ours and whether the cookie is `Secure`; no header does.

use std::net::SocketAddr;
use std::str::FromStr;

use url::{Host, Url};

/// A scheme, a host and a port, in the forms in which a browser sends them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    url: String,
    https: bool,
    /// As in a `Host` header.
    authorities: Vec<String>,
    /// As in an `Origin` header.
    origins: Vec<String>,
}

impl PublicUrl {
    /// The URL of the address that the server listens on.
    pub fn of_address(address: SocketAddr) -> Self {
        Self::new(false, &address.ip().to_string(), address.port())
    }

    /// The URL, without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Whether browsers use TLS.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Whether a `Host` header names this server.
    pub fn is_own_host(&self, host: &str) -> bool {
        self.authorities.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// Whether an `Origin` header is one of this server's own pages.
    pub fn is_own_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|own| own == origin)
    }

    /// All names of this machine are the same server.
    fn new(https: bool, host: &str, port: u16) -> Self {
        const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
        let host = if host.contains(':') && !host.starts_with('[') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let mut hosts = vec![host.as_str()];
        if LOOPBACK.contains(&host.as_str()) {
            hosts.extend(LOOPBACK.iter().filter(|name| **name != host));
        }
        let (scheme, default_port) = if https { ("https", 443) } else { ("http", 80) };
        let mut authorities: Vec<String> = hosts.iter().map(|h| format!("{h}:{port}")).collect();
        if port == default_port {
            // Browsers leave out the default port; the short form comes first.
            let short: Vec<String> = hosts.iter().map(|h| (*h).to_owned()).collect();
            authorities = short.into_iter().chain(authorities).collect();
        }
        let origins: Vec<String> = authorities.iter().map(|a| format!("{scheme}://{a}")).collect();
        Self { url: origins.first().cloned().unwrap_or_default(), https, authorities, origins }
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| {
            Err(format!(
                "'{text}' {why}; it is a scheme, a host and perhaps a port, such as https://chat.example.org"
            ))
        };
        let Ok(url) = Url::parse(text) else { return wrong("is not a URL") };
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return wrong("is neither http nor https"),
        };
        let more_than_origin = !matches!(url.path(), "" | "/")
            || url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some();
        if more_than_origin {
            return wrong("holds more than that");
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => format!("[{address}]"),
            None => return wrong("has no host"),
        };
        let port = url.port_or_known_default().unwrap_or(if https { 443 } else { 80 });
        Ok(Self::new(https, &host, port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PublicUrl {
        text.parse().unwrap()
    }

    /// tricks with suffixes, ports and spelling do not make a host ours.
    #[test]
    fn only_our_own_host_and_origin_are_ours() {
        let site = url("https://Chat.example.org");
        assert_eq!(site.as_str(), "https://chat.example.org");
        assert!(site.is_https());
        for own in ["chat.example.org", "chat.example.org:443", "CHAT.example.org"] {
            assert!(site.is_own_host(own), "{own}");
        }
        for other in [
            "", "example.org", "chat.example.org.evil.com", "chat.example.org:80", "evil.com",
            "chat.example.org.", "chat.example.org@evil.com", "127.0.0.1",
        ] {
            assert!(!site.is_own_host(other), "{other}");
        }
        assert!(site.is_own_origin("https://chat.example.org"));
        for other in [
            "null", "", "http://chat.example.org", "https://chat.example.org.evil.com",
            "https://chat.example.org:8443", "https://evil.com",
        ] {
            assert!(!site.is_own_origin(other), "{other}");
        }
    }

    #[test]
    fn this_machine_has_three_names() {
        let site = PublicUrl::of_address("127.0.0.1:8787".parse().unwrap());
        assert_eq!(site.as_str(), "http://127.0.0.1:8787");
        assert!(!site.is_https());
        for own in ["127.0.0.1:8787", "localhost:8787", "[::1]:8787"] {
            assert!(site.is_own_host(own), "{own}");
            assert!(site.is_own_origin(&format!("http://{own}")), "{own}");
        }
        assert!(!site.is_own_host("localhost"));
        assert!(!site.is_own_host("localhost:80"));
        let site = PublicUrl::of_address("[::1]:9".parse().unwrap());
        assert_eq!(site.as_str(), "http://[::1]:9");
    }

    #[test]
    fn what_is_more_than_an_origin_is_refused() {
        for bad in
            ["", "chat", "ftp://x", "https://x/chat", "https://x/?a", "https://u@x", "https://x#a"]
        {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad:?}");
        }
        assert_eq!(url("http://127.0.0.1:80/").as_str(), "http://127.0.0.1");
    }
}
