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
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, NoTls};

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

/// A new database of the PostgreSQL server, whichever engine this run tests. Without a server
/// it says so and returns `None`: the test is skipped.
pub async fn new_postgres() -> Option<Location> {
    let server = parlor_testkit::postgres::url()?;
    let name = format!("parlor_test_{}", uuid::Uuid::now_v7().simple());
    create(&server, &name).await;
    let url = in_database(&server, &name);
    Some(url.parse().unwrap_or_else(|error| panic!("{SERVER}: {error}")))
}

/// The URL of the database of this path, for the configuration of a server; `None` if that
/// is the file itself. It may be called inside a runtime and blocks it.
pub fn url(path: &Path) -> Option<String> {
    if !is_postgres() {
        return None;
    }
    let (server, name) = (server(), name(path));
    let url = in_database(&server, &name);
    let created = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap_or_else(|error| panic!("{error}")).block_on(create(&server, &name));
    });
    created.join().unwrap_or_else(|_| panic!("the database of a test cannot be created"));
    Some(url)
}

/// Whether a text is anywhere in the database of this path: in a file beside it, or in a
/// row of any table.
pub async fn holds(path: &Path, text: &str) -> bool {
    if !is_postgres() {
        let files = path.parent().and_then(|dir| std::fs::read_dir(dir).ok());
        let files = files.into_iter().flatten().flatten();
        let stored = files.filter_map(|file| std::fs::read(file.path()).ok());
        return stored.into_iter().any(|s| s.windows(text.len()).any(|at| at == text.as_bytes()));
    }
    let (client, connection) = connect(&in_database(&server(), &name(path))).await;
    let tables = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'";
    let mut found = false;
    for table in client.query(tables, &[]).await.unwrap_or_default() {
        let table: String = table.get(0);
        let rows = format!("SELECT 1 FROM {table} t WHERE position($1 in t::text) > 0 LIMIT 1");
        let rows = client.query(&rows, &[&text]).await;
        found |= !rows.unwrap_or_else(|error| panic!("{table}: {error}")).is_empty();
    }
    drop(client);
    let _closed = connection.await;
    found
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
    let (client, connection) = connect(server).await;
    let created = client.batch_execute(&format!("CREATE DATABASE {name}")).await;
    if let Err(error) = created
        // Another thread creates the same one: the second error comes if it is not done yet.
        && !matches!(
            error.code(),
            Some(&SqlState::DUPLICATE_DATABASE | &SqlState::UNIQUE_VIOLATION)
        )
    {
        panic!("the database of a test cannot be created: {error}");
    }
    drop(client);
    let _closed = connection.await;
}

async fn connect(url: &str) -> (Client, JoinHandle<Result<(), Error>>) {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .unwrap_or_else(|error| panic!("{SERVER} cannot be reached: {error}"));
    (client, tokio::spawn(connection))
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
