//! Which addresses are used: https, or this machine. An answer over plain HTTP could be anybody's.

use reqwest::Url;
use url::Host;

/// The longest address.
const LONGEST: usize = 2048;

/// An address that is https, or http on this machine, and nothing but an address; or what is wrong.
pub(crate) fn parse(text: &str) -> Result<Url, &'static str> {
    if text.len() > LONGEST {
        return Err("it is longer than 2048 bytes");
    }
    let Ok(url) = Url::parse(text) else {
        return Err("it is not an https address");
    };
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err("it holds a user name, a password or a fragment");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_this_machine(&url) => Ok(url),
        _ => Err("it is not an https address; http is allowed on this machine alone"),
    }
}

/// Whether the address says that it is on this machine.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Y-1: nothing is fetched in plain text over a network.
    #[test]
    fn addresses_are_https_or_on_this_machine() {
        for good in [
            "https://login.example.org/realms/home", "https://10.0.0.1:8443/",
            "http://127.0.0.1:1", "http://[::1]:8080/a?b=c", "http://localhost:9000/",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in [
            "", "login.example.org", "http://login.example.org/", "http://10.0.0.1/",
            "http://localhost.example.org/", "http://0.0.0.0/", "ftp://127.0.0.1/",
            "https://me@login.example.org/", "https://:word@login.example.org/",
            "https://login.example.org/#a", "javascript:alert(1)", "data:,x",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&format!("https://login.example.org/{}", "a".repeat(2048))).is_err());
    }
}
