//! Notifications between sessions of a real PostgreSQL server. Without a server these tests
//! say that they are skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::time::{Duration, Instant};

use parlor_database::{Connections, Database, Fault, Listener, Location, Migrations, query};
use parlor_test_database::new_postgres;

const TWO: Connections = Connections { sqlite_readers: 1, postgres: 2 };
/// A name that SQL would read differently without quotes.
const CHANNEL: &str = "Of \"tests\"";

async fn open(location: &Location) -> Database {
    Database::open(location, &Migrations::new("none", [], []), TWO).await.unwrap()
}

async fn next(listener: &mut Listener) -> Result<String, Fault> {
    let next = tokio::time::timeout(Duration::from_secs(10), listener.next());
    next.await.expect("a notification, or the end of the connection")
}

/// E-2: what is notified on a channel reaches all of its listeners, in order.
#[tokio::test]
async fn listeners_hear_their_channel() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let mut first = database.listen(None, CHANNEL).await.unwrap();
    let mut second = database.listen(None, CHANNEL).await.unwrap();
    let longest = "é".repeat(3_990);
    database.notify("another channel", "not this").await.unwrap();
    for payload in ["", "one\ntwo 'three' \"four\"", &longest] {
        database.notify(CHANNEL, payload).await.unwrap();
    }
    for listener in [&mut first, &mut second] {
        for payload in ["", "one\ntwo 'three' \"four\"", &longest] {
            assert_eq!(next(listener).await.unwrap(), payload);
        }
    }
    let too_long = database.notify(CHANNEL, &"x".repeat(8_000)).await;
    assert!(too_long.is_err(), "{too_long:?}");
}

/// E-2: a listener whose connection ends says so, and the next one hears again.
#[tokio::test]
async fn a_lost_connection_is_told() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let mut listener = database.listen(None, CHANNEL).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE 'LISTEN %' AND datname = current_database()";
    assert_eq!(query(end).fetch_all(&database).await.unwrap().len(), 1);
    let lost = next(&mut listener).await.unwrap_err();
    assert!(matches!(lost, Fault::Unreachable(_)), "{lost}");
    let mut listener = database.listen(None, CHANNEL).await.unwrap();
    database.notify(CHANNEL, "again").await.unwrap();
    assert_eq!(next(&mut listener).await.unwrap(), "again");
}

/// E-2: a listener takes no connection of the pool, and connects to the address that it is
/// given; what is wrong with that is told without its password.
#[tokio::test]
async fn a_listener_has_an_address_of_its_own() {
    let (Some(location), Some(other)) = (new_postgres().await, new_postgres().await) else {
        return;
    };
    let (database, other_database) = (open(&location).await, open(&other).await);
    let Location::Server(direct) = &other else { panic!("it is a server") };
    let mut listeners = Vec::new();
    for _ in 0..4 {
        listeners.push(database.listen(Some(direct), CHANNEL).await.unwrap());
    }
    other_database.notify(CHANNEL, "there").await.unwrap();
    for listener in &mut listeners {
        assert_eq!(next(listener).await.unwrap(), "there");
    }
    let password = direct.password().unwrap();
    let wrong = direct.expose().replace(&password, "wrong-secret");
    for url in [wrong.as_str(), "postgres://parlor:wrong-secret@127.0.0.1:1/chat"] {
        let Ok(Location::Server(url)) = url.parse() else { panic!("it is a server") };
        let fault = database.listen(Some(&url), CHANNEL).await.unwrap_err();
        assert!(matches!(fault, Fault::Unreachable(_)), "{fault}");
        let text = fault.to_string();
        assert!(text.contains(&url.to_string()), "{text}");
        assert!(!text.contains("wrong-secret") && !text.contains(&password), "{text}");
    }
}

/// E-2: a server that accepts connections and never answers is given up.
#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgres://parlor@127.0.0.1:{port}/chat?connect_timeout=1");
    let Ok(Location::Server(url)) = url.parse() else { panic!("it is a server") };
    let begin = Instant::now();
    let fault = database.listen(Some(&url), CHANNEL).await.unwrap_err();
    assert!(matches!(fault, Fault::Unreachable(_)), "{fault}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

/// E-2: a file has no other process to talk to.
#[tokio::test]
async fn a_file_has_nobody_to_listen_to() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::File(folder.path().join("test.db"));
    let database = open(&location).await;
    database.notify(CHANNEL, "nobody").await.unwrap();
    assert!(database.listen(None, CHANNEL).await.is_err());
}
