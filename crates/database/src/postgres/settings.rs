//! The URL of a server, read as libpq reads it.
//!
//! `tokio-postgres` reads all of it but for two parameters: `sslrootcert`, and the values
//! of `sslmode` that check certificates.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::fault::describe;
use crate::location::ServerUrl;

pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What a connection needs to know.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) config: Config,
    pub(super) certificates: Certificates,
}

/// Which certificates of the server are accepted, as libpq defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Certificates {
    /// `sslmode` is `disable`, `prefer` or `require`: any. The connection may be
    /// encrypted, but whoever answers is believed.
    Any,
    /// `verify-full`: of the right host, signed by an authority that the system trusts.
    OfSystem,
    /// With `sslrootcert`: of the right host, signed by an authority in this file.
    OfFile(PathBuf),
}

/// Reads a URL. In an error, what is wrong with it; never the URL itself.
pub(super) fn settings(url: &ServerUrl) -> Result<Settings, String> {
    let url = url.expose();
    let (address, parameters) = url.split_once('?').unwrap_or((url, ""));
    let mut certificates = Certificates::Any;
    let mut mode = None;
    let mut rest = Vec::new();
    for parameter in parameters.split('&').filter(|p| !p.is_empty()) {
        match parameter.split_once('=') {
            Some(("sslrootcert", "system")) => certificates = Certificates::OfSystem,
            Some(("sslrootcert", path)) => certificates = Certificates::OfFile(path.into()),
            Some(("sslmode", value)) => mode = Some(value),
            _ => rest.push(parameter),
        }
    }
    let (tls, verify) = ssl_mode(mode)?;
    if verify && certificates == Certificates::Any {
        certificates = Certificates::OfSystem;
    }
    let separator = if rest.is_empty() { "" } else { "?" };
    let mut config = Config::from_str(&format!("{address}{separator}{}", rest.join("&")))
        .map_err(|error| describe(&error))?;
    config.ssl_mode(tls).application_name("parlor").keepalives_idle(Duration::from_secs(30));
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_hosts().is_empty() {
        return Err("it names no host".to_owned());
    }
    if config.get_dbname().is_none() {
        return Err("it names no database; write postgres://user@host/database".to_owned());
    }
    Ok(Settings { config, certificates })
}

/// Whether TLS is used, and whether certificates are checked.
fn ssl_mode(mode: Option<&str>) -> Result<(SslMode, bool), String> {
    match mode {
        Some("disable") => Ok((SslMode::Disable, false)),
        None | Some("prefer") => Ok((SslMode::Prefer, false)),
        Some("require") => Ok((SslMode::Require, false)),
        Some("verify-full") => Ok((SslMode::Require, true)),
        Some(_) => Err("sslmode must be disable, prefer, require or verify-full".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::Location;

    fn read(url: &str) -> Result<Settings, String> {
        match url.parse().unwrap() {
            Location::Server(url) => settings(&url),
            Location::File(_) => unreachable!(),
        }
    }

    /// E-1: the parameters that libpq knows mean what they mean there.
    #[test]
    fn tls_is_checked_as_far_as_the_url_says() {
        let of_file = Certificates::OfFile("ca.pem".into());
        for (parameters, tls, certificates) in [
            ("", SslMode::Prefer, Certificates::Any),
            ("?sslmode=disable", SslMode::Disable, Certificates::Any),
            ("?sslmode=require&connect_timeout=3", SslMode::Require, Certificates::Any),
            ("?sslmode=verify-full", SslMode::Require, Certificates::OfSystem),
            ("?sslrootcert=ca.pem&sslmode=require", SslMode::Require, of_file),
        ] {
            let settings = read(&format!("postgres://parlor@db/chat{parameters}")).unwrap();
            assert_eq!(settings.config.get_ssl_mode(), tls, "{parameters}");
            assert_eq!(settings.certificates, certificates, "{parameters}");
        }
    }

    /// E-1: a URL that cannot be used says why, without its password.
    #[test]
    fn a_wrong_url_says_what_is_wrong() {
        for (url, why) in [
            ("postgres://parlor:secret@db", "names no database"),
            ("postgres://parlor:secret@/chat", "names no host"),
            ("postgres://parlor:secret@db/chat?sslmode=verify-ca", "sslmode must be"),
            ("postgres://parlor:secret@db:port/chat", "port"),
            ("postgres://parlor:secret@db/chat?colour=red", "colour"),
        ] {
            let error = read(url).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{url}: {error}");
        }
    }
}
