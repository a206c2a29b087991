//! A database for each test, of the engine that this run tests.
//!
//! Tests name a path, as for SQLite, and open what [`location`] returns: the file itself, or,
//! if `PARLOR_TEST_ENGINE` is `postgres`, a database of the server at `TEST_POSTGRES_URL`. The
//! same path gives the same database, so a test that opens it again finds what it wrote.
//!
//! Must never contain: anything that a server needs to run.

#![allow(clippy::panic, reason = "a test without its database must fail loudly")]

use std::path::Path;

use parlor_database::Location;
use sha2::{Digest, Sha256};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

const ENGINE: &str = "PARLOR_TEST_ENGINE";
const SERVER: &str = "TEST_POSTGRES_URL";

/// Whether this run tests PostgreSQL. Tests about files return early then.
pub fn is_postgres() -> bool {
    match std::env::var(ENGINE).as_deref() {
        Ok("postgres") => true,
        Ok("sqlite") | Err(_) => false,
        Ok(other) => panic!("{ENGINE} is '{other}'; it can be sqlite or postgres"),
    }
}

/// Where the database of this path is. An empty one is created if there is none.
pub async fn location(path: &Path) -> Location {
    if !is_postgres() {
        return path.into();
    }
    let url = postgres_url(&server(), path).await;
    url.parse().unwrap_or_else(|error| panic!("{SERVER}: {error}"))
}

/// The URL of the database of this path, for a server that is started as a process.
pub async fn url(path: &Path) -> String {
    if !is_postgres() {
        return format!("sqlite:{}", path.display());
    }
    postgres_url(&server(), path).await
}

/// The URL of the database of this path on a PostgreSQL server, for tests that need both
/// engines at once. An empty one is created if there is none.
pub async fn postgres_url(server: &str, path: &Path) -> String {
    let name = name(path);
    create(server, &name).await;
    in_database(server, &name)
}

fn server() -> String {
    std::env::var(SERVER).unwrap_or_else(|_| {
        panic!("{ENGINE} is postgres, but {SERVER} is not set; `cargo xtask services` starts one")
    })
}

/// Paths of tests are random, so their hashes are too.
fn name(path: &Path) -> String {
    let hash = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let hash: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("parlor_test_{hash}")
}

async fn create(server: &str, name: &str) {
    let (client, connection) = tokio_postgres::connect(server, NoTls)
        .await
        .unwrap_or_else(|error| panic!("{SERVER} cannot be reached: {error}"));
    let connection = tokio::spawn(connection);
    let created = client.batch_execute(&format!("CREATE DATABASE {name}")).await;
    if let Err(error) = created
        && error.code() != Some(&SqlState::DUPLICATE_DATABASE)
    {
        panic!("the database of a test cannot be created: {error}");
    }
    drop(client);
    let _closed = connection.await;
}

/// The URL of another database of the server.
fn in_database(server: &str, name: &str) -> String {
    let (address, parameters) = server.split_once('?').unwrap_or((server, ""));
    let host_begins = address.find("://").map_or(0, |at| at + 3);
    let address = match address[host_begins..].find('/') {
        Some(slash) => &address[..host_begins + slash],
        None => address,
    };
    let separator = if parameters.is_empty() { "" } else { "?" };
    format!("{address}/{name}{separator}{parameters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_names_another_database() {
        for (server, expected) in [
            ("postgres://u:p@h:5/postgres", "postgres://u:p@h:5/x"),
            ("postgres://u@h", "postgres://u@h/x"),
            ("postgres://u@h/a?sslmode=disable", "postgres://u@h/x?sslmode=disable"),
        ] {
            assert_eq!(in_database(server, "x"), expected);
        }
    }
}
