//! Where a database is: a file, or a server.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use secrecy::{ExposeSecret, SecretString};

/// Where a database is.
#[derive(Debug, Clone)]
pub enum Location {
    /// A SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Server(ServerUrl),
}

/// The URL of a PostgreSQL server. It may hold a password, so only its public part is
/// ever shown.
#[derive(Clone)]
pub struct ServerUrl(SecretString);

/// A text that is not the URL of a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is not the URL of a database; write postgres://user@host/database, \
     or sqlite:path/of/the/file"
)]
pub struct InvalidLocation;

impl Location {
    /// Whether several servers of Parlor can use it at once.
    pub fn is_server(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl FromStr for Location {
    type Err = InvalidLocation;

    fn from_str(text: &str) -> Result<Self, InvalidLocation> {
        let is_server = ["postgres://", "postgresql://"].iter().any(|p| text.starts_with(p));
        let file = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:"));
        match file {
            _ if is_server => Ok(Self::Server(ServerUrl(text.to_owned().into()))),
            Some(path) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err(InvalidLocation),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => url.fmt(f),
        }
    }
}

impl ServerUrl {
    /// The password, if it has one.
    pub fn password(&self) -> Option<String> {
        let config: tokio_postgres::Config = self.expose().parse().ok()?;
        config.get_password().map(|password| String::from_utf8_lossy(password).into_owned())
    }

    /// The whole URL, password included.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// The hosts and the name of the database, without user, password and parameters.
impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.expose().split_once("://").map_or("", |(_, rest)| rest);
        let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        write!(f, "postgres://{rest}")
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-1: the engine is chosen by the URL, and what is shown of it has no password.
    #[test]
    fn the_engine_is_in_the_url_and_the_password_stays_there() {
        let url = "postgres://parlor:p%40ss@w@db1:5433,db2/chat?password=other&sslmode=require";
        let location: Location = url.parse().unwrap();
        assert!(location.is_server());
        assert_eq!(location.to_string(), "postgres://db1:5433,db2/chat");
        assert_eq!(format!("{location:?}"), "Server(postgres://db1:5433,db2/chat)");
        for path in ["sqlite:data/parlor.db", "sqlite://data/parlor.db"] {
            assert_eq!(path.parse::<Location>().unwrap().to_string(), "data/parlor.db");
        }
        for wrong in ["", "parlor.db", "mysql://db/chat", "sqlite:", "POSTGRES"] {
            assert_eq!(wrong.parse::<Location>().unwrap_err(), InvalidLocation, "{wrong}");
        }
    }
}
