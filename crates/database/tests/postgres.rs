//! The PostgreSQL engine against a real server: what is written, what is not, and what an
//! administrator reads when it cannot be used (FAULTS 6 and 7). Without a server these tests
//! say that they are skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::time::Duration;

use parlor_database::{
    Batch, Connections, Database, Fault, Location, LockKind, Migrations, OpenError, Row, query,
};
use parlor_test_database::new_postgres;

const ONE: Connections = Connections { sqlite_readers: 1, postgres: 1 };
const SIX: Connections = Connections { sqlite_readers: 1, postgres: 6 };

fn migrations() -> Migrations {
    let words =
        "CREATE TABLE words (word TEXT PRIMARY KEY, length BIGINT, round BOOLEAN, data BYTEA)";
    Migrations::new("words", [], [(1, "words", words)])
}

async fn open(location: &Location) -> Database {
    Database::open(location, &migrations(), SIX).await.unwrap()
}

async fn words(database: &Database) -> Vec<String> {
    let rows =
        query("SELECT word FROM words ORDER BY word COLLATE \"C\"").fetch_all(database).await;
    rows.unwrap().iter().map(|row| row.try_get("word").unwrap()).collect()
}

fn insert(word: &str) -> Batch {
    let mut batch = Batch::default();
    batch.add("INSERT INTO words (word) VALUES ($1)").bind(word);
    batch
}

/// E-1: values of all types come back as they went in, one row or many in one statement.
#[tokio::test]
async fn values_come_back() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let mut batch = Batch::default();
    let rows =
        [("é\"'\\", Some(-1_i64), true), ("many", None, false), ("a\0b", Some(i64::MAX), true)];
    batch.insert("words (word, length, round, data)", rows, |row, (word, length, round)| {
        row.bind(word).bind(length).bind(round).bind(vec![0_u8, 255]);
    });
    batch.insert("words (word, length, round, data)", [()], |row, ()| {
        row.bind("one").bind(1_i64).bind(true).bind(Vec::new());
    });
    database.run(batch).await.unwrap();
    assert_eq!(words(&database).await, ["a\u{FFFD}b", "many", "one", "é\"'\\"]);
    let row = query("SELECT * FROM words WHERE word = $1").bind("é\"'\\").fetch_one(&database);
    let row = row.await.unwrap();
    assert_eq!(row.try_get::<Option<i64>>("length").unwrap(), Some(-1));
    assert!(row.try_get::<bool>("round").unwrap());
    assert_eq!(row.try_get::<Vec<u8>>("data").unwrap(), [0, 255]);
    assert!(row.try_get::<i64>("word").is_err(), "another type is an error");
    let none = query("SELECT * FROM words WHERE word = $1").bind("none").fetch_one(&database).await;
    assert!(matches!(none, Err(Fault::NoRow)));
}

/// H-5: a batch is written whole or not at all; a claim that changes nothing writes nothing.
#[tokio::test]
async fn a_batch_is_all_or_nothing() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    database.run(insert("first")).await.unwrap();
    let mut batch = insert("second");
    batch.add("INSERT INTO words (word) VALUES ($1)").bind("first");
    batch.add("DELETE FROM words");
    let failed = database.run(batch).await;
    assert!(matches!(failed, Err(Fault::Conflict(_))), "{failed:?}");
    let mut batch = Batch::claiming();
    batch.add("UPDATE words SET length = 9 WHERE word = $1").bind("taken over");
    batch.add("INSERT INTO words (word) VALUES ($1)").bind("third");
    assert!(matches!(database.run(batch).await, Err(Fault::NotClaimed)));
    let mut batch = Batch::claiming();
    batch.add("UPDATE words SET length = 9 WHERE word = $1").bind("first");
    batch.add("INSERT INTO words (word) VALUES ($1)").bind("fourth");
    database.run(batch).await.unwrap();
    assert_eq!(words(&database).await, ["first", "fourth"]);
}

/// H-5: a transaction that is dropped, or whose statement failed, leaves nothing; its
/// connection is used again.
#[tokio::test]
async fn a_transaction_ends_with_commit_or_not_at_all() {
    let Some(location) = new_postgres().await else { return };
    let database = Database::open(&location, &migrations(), ONE).await.unwrap();
    let mut dropped = database.begin().await.unwrap();
    query("INSERT INTO words (word) VALUES ('dropped')").execute(&mut *dropped).await.unwrap();
    drop(dropped);
    let mut failed = database.begin().await.unwrap();
    failed.run(insert("twice")).await.unwrap();
    assert!(matches!(failed.run(insert("twice")).await, Err(Fault::Conflict(_))));
    assert!(
        failed.commit().await.is_err(),
        "PostgreSQL itself answers this COMMIT without an error"
    );
    let mut kept = database.begin().await.unwrap();
    kept.run(insert("kept")).await.unwrap();
    kept.commit().await.unwrap();
    assert_eq!(words(&database).await, ["kept"]);
}

/// H-5: a snapshot does not change while others write.
#[tokio::test]
async fn a_snapshot_stays() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let mut snapshot = database.snapshot().await.unwrap();
    let count = || query("SELECT COUNT(*) AS words FROM words");
    let words = |row: Row| row.try_get::<i64>("words").unwrap();
    assert_eq!(words(count().fetch_one(&mut *snapshot).await.unwrap()), 0);
    database.run(insert("new")).await.unwrap();
    assert_eq!(words(count().fetch_one(&mut *snapshot).await.unwrap()), 0);
    assert_eq!(words(count().fetch_one(&database).await.unwrap()), 1);
    let write = query("DELETE FROM words").execute(&mut *snapshot).await;
    assert!(matches!(write, Err(Fault::Unwritable(_))), "{write:?}");
}

/// FAULTS 7: of several servers that start at once one migrates, and all of them work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_servers_migrate_once() {
    let Some(location) = new_postgres().await else { return };
    let starts = (0..6).map(|_| {
        let location = location.clone();
        tokio::spawn(async move { Database::open(&location, &migrations(), ONE).await.map(drop) })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().unwrap();
    }
    let database = open(&location).await;
    let applied = query("SELECT COUNT(*) AS applied FROM schema_migrations").fetch_one(&database);
    assert_eq!(applied.await.unwrap().try_get::<i64>("applied").unwrap(), 1);
}

/// FAULTS 7: a server that is killed in the middle of a migration leaves the schema as it
/// was; a newer schema is refused by an older server that starts, and one that runs goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_is_complete_or_not_there() {
    let Some(location) = new_postgres().await else { return };
    let old = open(&location).await;
    old.run(insert("old")).await.unwrap();
    let slow =
        migrations().and_then("", "ALTER TABLE words ADD COLUMN note TEXT; SELECT pg_sleep(30)");
    let killed = tokio::spawn({
        let location = location.clone();
        async move { Database::open(&location, &slow, ONE).await.map(drop) }
    });
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()
         AND datname = current_database()";
    while query(kill).fetch_all(&old).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(matches!(killed.await.unwrap(), Err(OpenError::CannotOpen { .. })));
    let half = query("SELECT 1 AS x FROM information_schema.columns WHERE column_name = 'note'");
    assert!(half.fetch_all(&old).await.unwrap().is_empty());

    let newer = migrations().and_then("", "ALTER TABLE words ADD COLUMN note TEXT");
    let new = Database::open(&location, &newer, ONE).await.unwrap();
    old.run(insert("still here")).await.unwrap();
    assert_eq!(words(&new).await, ["old", "still here"]);
    let refused = Database::open(&location, &migrations(), ONE).await.unwrap_err();
    assert!(matches!(refused, OpenError::NewerSchema { found: 2, known: 1, .. }), "{refused}");
}

/// FAULTS 6: after a fail-over to a read-only server nothing can be written, and the check
/// says so; it heals by itself.
#[tokio::test]
async fn a_read_only_server_is_noticed() {
    let Some(location) = new_postgres().await else { return };
    let database = open(&location).await;
    let name = query("SELECT current_database()::text AS name").fetch_one(&database).await.unwrap();
    let name: String = name.try_get("name").unwrap();
    for (setting, works) in [("on", false), ("off", true)] {
        let alter = format!("ALTER DATABASE {name} SET default_transaction_read_only = {setting}");
        let mut transaction = database.begin().await.unwrap();
        query("SET TRANSACTION READ WRITE").execute(&mut *transaction).await.unwrap();
        query(alter).execute(&mut *transaction).await.unwrap();
        transaction.commit().await.unwrap();
        // A new connection: the setting holds from the next one on.
        let other = open(&location).await;
        assert_eq!(other.check().await.is_ok(), works);
        let written = other.run(insert("word")).await;
        assert_eq!(written.is_ok(), works, "{written:?}");
        assert!(works || matches!(written, Err(Fault::Unwritable(_))), "{written:?}");
    }
}

/// FAULTS 6: connections that the server ends are replaced, and a write that was under way
/// is neither lost nor told as done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_are_replaced() {
    let Some(location) = new_postgres().await else { return };
    let database = Database::open(&location, &migrations(), ONE).await.unwrap();
    let other = open(&location).await;
    let mut slow = insert("slow");
    slow.add("INSERT INTO words SELECT 'after' FROM pg_sleep(30)");
    let write = tokio::spawn({
        let database = database.clone();
        async move { database.run(slow).await }
    });
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()
         AND datname = current_database()";
    while query(kill).fetch_all(&other).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let lost = write.await.unwrap();
    assert!(matches!(lost, Err(Fault::Unknown(_))), "{lost:?}");
    assert_eq!(words(&other).await, Vec::<String>::new());
    let mut again = database.run(insert("again")).await;
    // The task of the connection may not have noticed yet.
    if matches!(again, Err(Fault::Unreachable(_) | Fault::Unknown(_))) {
        again = database.run(insert("again")).await;
    }
    again.unwrap();
    assert_eq!(words(&database).await, ["again"]);
}

/// E-1: a pool that is full says which setting to raise.
#[tokio::test]
async fn a_full_pool_says_so() {
    let Some(location) = new_postgres().await else { return };
    let database = Database::open(&location, &migrations(), ONE).await.unwrap();
    let held = database.begin().await.unwrap();
    let waited = database.run(insert("waited")).await.unwrap_err();
    assert!(matches!(waited, Fault::Busy(_)) && waited.is_transient(), "{waited}");
    assert!(waited.to_string().contains("raise storage.connections"), "{waited}");
    drop(held);
    database.run(insert("now")).await.unwrap();
}

/// E-1: one server at a time; the lock ends with its holder.
#[tokio::test]
async fn one_process_has_the_lock() {
    let Some(location) = new_postgres().await else { return };
    let (first, second) = (open(&location).await, open(&location).await);
    let lock = first.lock(LockKind::Command).await.unwrap().expect("nobody has it");
    assert!(second.lock(LockKind::Command).await.unwrap().is_none());
    drop(lock);
    let again = async {
        while second.lock(LockKind::Command).await.unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), again).await.expect("the lock is free again");
}

/// E-1: a server that cannot be used says what to do, without the password.
#[tokio::test]
async fn an_unusable_server_says_what_to_do() {
    let Some(location) = new_postgres().await else { return };
    let Location::Server(url) = &location else { panic!("it is a server") };
    let url = url.expose().to_owned();
    let password = location_password(&location);
    let database = url.rsplit('/').next().unwrap();
    let wrong_password = url.replace(&format!(":{password}@"), ":wrong-secret@");
    let no_database = url.replace(database, "parlor_test_of_nobody");
    for (url, advice) in [
        (wrong_password.as_str(), "check user and password"),
        (no_database.as_str(), "create the database"),
        ("postgres://parlor:wrong-secret@127.0.0.1:1/chat", "check host and port"),
        ("postgres://parlor:wrong-secret@127.0.0.1:1/chat?sslmode=maybe", "sslmode must be"),
    ] {
        let location: Location = url.parse().unwrap();
        let error = Database::open(&location, &migrations(), ONE).await.unwrap_err().to_string();
        assert!(error.contains(advice), "{advice}: {error}");
        assert!(!error.contains("wrong-secret") && !error.contains(&password), "{error}");
    }
}

fn location_password(location: &Location) -> String {
    match location {
        Location::Server(url) => url.password().unwrap_or_else(|| "no password".to_owned()),
        Location::File(_) => panic!("it is a server"),
    }
}
