//! Where a push service takes messages for one browser: a URL that a client sends, so it must not
//! lead into the network of the server (FAULTS 27). Whoever knows its path can send messages, so
//! only its host is printed.

use std::fmt;

use parlor_http_client::{HostError, PublicOnly};
use reqwest::Url;

/// The longest endpoint.
const LONGEST: usize = 2048;

/// Which push services messages may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllowedServices {
    /// Those on public addresses, over https.
    #[default]
    Public,
    /// Also one on this machine, there even over http: for tests and self-hosted push services.
    PublicOrLoopback,
}

/// Why a URL cannot be an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is too long.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// It is not https.
    #[error("it is not an https address")]
    NotHttps,
    /// A user name, a password or a fragment has no meaning here.
    #[error("it holds a user name, a password or a fragment")]
    MoreThanAnAddress,
    /// Its host is not allowed.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl AllowedServices {
    /// The rule for addresses.
    pub(crate) fn addresses(self) -> PublicOnly {
        match self {
            Self::Public => PublicOnly::new(),
            Self::PublicOrLoopback => PublicOnly::new().or_loopback(),
        }
    }

    fn check(self, url: &Url) -> Result<(), EndpointError> {
        self.addresses().check(url)?;
        // An allowed address that is not public is one of this machine.
        let is_loopback = PublicOnly::new().check(url).is_err();
        match url.scheme() {
            "https" => Ok(()),
            "http" if is_loopback => Ok(()),
            _ => Err(EndpointError::NotHttps),
        }
    }
}

/// A URL that a message can be posted to.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Endpoint(Url);

impl Endpoint {
    pub(crate) fn parse(text: &str, allowed: AllowedServices) -> Result<Self, EndpointError> {
        if text.len() > LONGEST {
            return Err(EndpointError::TooLong);
        }
        let url = Url::parse(text).map_err(|_| EndpointError::NotHttps)?;
        // Parsing may lengthen it: other letters than those of ASCII are escaped.
        if url.as_str().len() > LONGEST {
            return Err(EndpointError::TooLong);
        }
        let endpoint = Self(url);
        endpoint.check(allowed)?;
        let url = &endpoint.0;
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(EndpointError::MoreThanAnAddress);
        }
        Ok(endpoint)
    }

    /// Checks it again: what is allowed may have changed since it was stored.
    pub(crate) fn check(&self, allowed: AllowedServices) -> Result<(), EndpointError> {
        allowed.check(&self.0)
    }

    /// A secret.
    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    /// The only part that may be printed.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Scheme, host and port: whom a token is for.
    pub(crate) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Endpoint({}, …)", self.host())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, allowed: AllowedServices) -> Result<Endpoint, EndpointError> {
        Endpoint::parse(text, allowed)
    }

    /// U-11, FAULTS 27: only https and no private address; loopback by the flag alone.
    #[test]
    fn an_endpoint_is_public_and_https() {
        use AllowedServices::{Public, PublicOrLoopback};
        for allowed in [Public, PublicOrLoopback] {
            let good = parse("https://push.example.org:8443/send/abc?x=1", allowed).unwrap();
            assert_eq!(good.origin(), "https://push.example.org:8443");
            for bad in [
                "", "push", "https://", "ftp://push.example.org/", "http://push.example.org/",
                "http://8.8.8.8/", "http://localhost/", "https://10.0.0.1/", "https://[fc00::1]/",
                "https://169.254.169.254/", "http://192.168.0.1/", "data:,x", "file:///etc/passwd",
                "https://me@push.example.org/", "https://:word@push.example.org/",
                "https://push.example.org/a#b",
            ] {
                assert!(parse(bad, allowed).is_err(), "{bad}");
            }
        }
        for local in ["https://127.0.0.1/", "http://127.0.0.1:8080/", "http://[::1]/a"] {
            assert!(parse(local, Public).is_err(), "{local}");
            let stored = parse(local, PublicOrLoopback).unwrap();
            assert!(stored.check(Public).is_err(), "{local}");
        }
    }

    #[test]
    fn an_endpoint_has_at_most_2_kb() {
        let of = |text: &str| parse(text, AllowedServices::Public);
        let start = "https://push.example.org/";
        assert!(of(&format!("{start}{}", "a".repeat(LONGEST - start.len()))).is_ok());
        let longer = format!("{start}{}", "a".repeat(LONGEST - start.len() + 1));
        assert_eq!(of(&longer), Err(EndpointError::TooLong));
        let escaped = format!("{start}{}", "é".repeat(900));
        assert_eq!(of(&escaped), Err(EndpointError::TooLong));
    }
}
