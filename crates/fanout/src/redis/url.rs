//! The address of a Redis or Valkey server.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionAddr, ConnectionInfo, ProtocolVersion, RedisConnectionInfo};

/// Each scheme, and whether it means TLS.
const SCHEMES: [(&str, bool); 4] =
    [("redis://", false), ("rediss://", true), ("valkey://", false), ("valkeys://", true)];

/// The address of a server. It may hold a password, so only its public part is ever shown.
#[derive(Clone)]
pub struct RedisUrl {
    host: String,
    port: u16,
    tls: bool,
    login: RedisConnectionInfo,
    secrets: Vec<String>,
}

/// Why a text is not the address of a server. It does not hold the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedisUrl {
    /// Another scheme, or none.
    #[error(
        "it is not the URL of a Redis or Valkey server; write redis://user:password@host:6379, \
         or rediss:// for TLS"
    )]
    Scheme,
    /// It cannot be read.
    #[error(
        "host, port or password cannot be read; write redis://user:password@host:6379, with \
         special characters of the password percent-encoded, and nothing after the port but the \
         number of a database"
    )]
    Unreadable,
    /// It has parameters, or a fragment.
    #[error(
        "it takes no parameters; TLS is rediss://, and certificates are always checked \
         (SSL_CERT_FILE can name another authority)"
    )]
    Parameters,
}

impl RedisUrl {
    /// What must not be shown: the password, as it is and as the URL spells it.
    pub fn secrets(&self) -> Vec<String> {
        self.secrets.clone()
    }

    pub(super) fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    pub(super) fn has_tls(&self) -> bool {
        self.tls
    }

    /// User, password and protocol.
    pub(super) fn login(&self) -> &RedisConnectionInfo {
        &self.login
    }
}

impl FromStr for RedisUrl {
    type Err = InvalidRedisUrl;

    fn from_str(text: &str) -> Result<Self, InvalidRedisUrl> {
        let scheme =
            SCHEMES.iter().find_map(|(scheme, tls)| Some((text.strip_prefix(scheme)?, *tls)));
        let (rest, tls) = scheme.ok_or(InvalidRedisUrl::Scheme)?;
        // Before parameters are refused: a password can hold what looks like them.
        let unreadable = |_| InvalidRedisUrl::Unreadable;
        let info: ConnectionInfo = format!("redis://{rest}").parse().map_err(unreadable)?;
        if rest.contains(['?', '#']) {
            return Err(InvalidRedisUrl::Parameters);
        }
        let ConnectionAddr::Tcp(host, port) = info.addr().clone() else {
            return Err(InvalidRedisUrl::Unreadable);
        };
        let login = info
            .redis_settings()
            .clone()
            .set_lib_name("parlor", env!("CARGO_PKG_VERSION"))
            // Channels belong to no database, and another one would have to be selected.
            .set_db(0)
            // Only with this version messages come without a queue between.
            .set_protocol(ProtocolVersion::RESP3);
        let secrets = secrets(rest, login.password());
        Ok(Self { host, port, tls, login, secrets })
    }
}

/// Host and port, without user, password and database.
impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "rediss" } else { "redis" };
        match self.host.contains(':') {
            true => write!(f, "{scheme}://[{}]:{}", self.host, self.port),
            false => write!(f, "{scheme}://{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The password, decoded and as it is spelled after the scheme of a URL.
fn secrets(rest: &str, decoded: Option<&str>) -> Vec<String> {
    let authority = rest.split('/').next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let spelled = user.split_once(':').map(|(_, password)| password);
    let mut secrets: Vec<String> =
        decoded.into_iter().chain(spelled).filter(|s| !s.is_empty()).map(str::to_owned).collect();
    secrets.dedup();
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-3: an address is read as other clients read it, and what is shown of it has no
    /// password.
    #[test]
    fn addresses_are_read_and_passwords_stay_there() {
        for (url, shown, user, password) in [
            ("redis://cache", "redis://cache:6379", None, None),
            ("redis://:pass@cache:7000/0", "redis://cache:7000", None, Some("pass")),
            ("rediss://ana:p%40s%2Fs@cache/2", "rediss://cache:6379", Some("ana"), Some("p@s/s")),
            ("valkey://ana@10.0.0.1", "redis://10.0.0.1:6379", Some("ana"), None),
            ("valkeys://:a@b@[::1]:7000", "rediss://[::1]:7000", None, Some("a@b")),
        ] {
            let read: RedisUrl = url.parse().unwrap();
            assert_eq!((read.to_string().as_str(), format!("{read:?}").as_str()), (shown, shown));
            assert_eq!((read.login.username(), read.login.password()), (user, password), "{url}");
            assert_eq!(read.secrets().first().map(String::as_str), password, "{url}");
        }
        let encoded: RedisUrl = "rediss://ana:p%40s@cache".parse().unwrap();
        assert_eq!(encoded.secrets(), ["p@s", "p%40s"]);
    }

    /// E-3: what is no address says what to write instead.
    #[test]
    fn a_wrong_address_says_what_is_right() {
        for (url, error) in [
            ("", InvalidRedisUrl::Scheme),
            ("cache:6379", InvalidRedisUrl::Scheme),
            ("http://cache", InvalidRedisUrl::Scheme),
            ("unix:///run/redis.sock", InvalidRedisUrl::Scheme),
            ("redis://", InvalidRedisUrl::Unreadable),
            ("redis://cache:port", InvalidRedisUrl::Unreadable),
            ("redis://cache/chat", InvalidRedisUrl::Unreadable),
            ("redis://:pa/ss@cache", InvalidRedisUrl::Unreadable),
            ("redis://:pa#ss@cache", InvalidRedisUrl::Unreadable),
            ("redis://0.0.0.0", InvalidRedisUrl::Unreadable),
            ("redis://cache?ssl=true", InvalidRedisUrl::Parameters),
            ("rediss://cache/#insecure", InvalidRedisUrl::Parameters),
        ] {
            assert_eq!(url.parse::<RedisUrl>().unwrap_err(), error, "{url}");
        }
    }
}
