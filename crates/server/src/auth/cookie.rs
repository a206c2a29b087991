//! Cookies: that of the session, and those of a login with a provider. Scripts read none of them.

use std::time::Duration;

use axum::http::{HeaderMap, header};

/// The name of the cookie.
pub(crate) const NAME: &str = "rv_session";

/// Keeps a login with a provider, whose page sends the browser back from another site.
pub(crate) const OIDC_LOGIN: Cookie =
    Cookie { name: "rv_oidc_login", path: "/login/oidc", same_site: "Lax" };
/// Keeps the session at the provider until the person logs out.
pub(crate) const OIDC_SESSION: Cookie =
    Cookie { name: "rv_oidc_session", path: "/logout", same_site: "Strict" };

/// A cookie, which only the pages below its path get.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookie {
    name: &'static str,
    path: &'static str,
    same_site: &'static str,
}

impl Cookie {
    /// Its value, if the browser sent one.
    pub(crate) fn read(self, headers: &HeaderMap) -> Option<&str> {
        value(headers, self.name)
    }

    /// A `Set-Cookie` that sets it.
    pub(crate) fn set(self, value: &str, max_age: Duration, secure: bool) -> String {
        set(self, value, max_age.as_secs(), secure)
    }

    /// A `Set-Cookie` that removes it.
    pub(crate) fn remove(self, secure: bool) -> String {
        set(self, "", 0, secure)
    }
}

/// The session token, if the browser sent one.
pub(crate) fn read(headers: &HeaderMap) -> Option<&str> {
    value(headers, NAME)
}

fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
}

/// A `Set-Cookie` that begins a session.
pub(crate) fn begin(token: &str, max_age: Duration, secure: bool) -> String {
    set(SESSION, token, max_age.as_secs(), secure)
}

/// A `Set-Cookie` that removes it.
pub(crate) fn end(secure: bool) -> String {
    set(SESSION, "", 0, secure)
}

const SESSION: Cookie = Cookie { name: NAME, path: "/", same_site: "Strict" };

fn set(cookie: Cookie, value: &str, max_age: u64, secure: bool) -> String {
    let Cookie { name, path, same_site } = cookie;
    let secure = if secure { "; Secure" } else { "" };
    format!(
        "{name}={value}; Path={path}; HttpOnly; SameSite={same_site}; Max-Age={max_age}{secure}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let read = |line: &str| {
            let mut headers = HeaderMap::new();
            headers.append(header::COOKIE, line.parse().unwrap());
            super::read(&headers).map(str::to_owned)
        };
        assert_eq!(read("rv_session=a"), Some("a".to_owned()));
        assert_eq!(read("x=1; rv_session=a_b-c; y=2"), Some("a_b-c".to_owned()));
        for none in ["", "rv_session=", "xrv_session=a", "rv_session", "RV_SESSION=a"] {
            assert_eq!(read(none), None, "{none:?}");
        }
    }

    /// out of reach of scripts and of other sites; `Secure` if there is TLS.
    #[test]
    fn the_cookie_has_its_flags() {
        assert_eq!(
            begin("t", Duration::from_secs(60), true),
            "rv_session=t; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure"
        );
        assert_eq!(end(false), "rv_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    }
}
