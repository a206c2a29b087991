//! `parlor db migrate` and `parlor db check`.

use parlor_database::{Batch, Database, Location};

use crate::filled::fill;
use crate::parlor::{components, db_at, db_in, files, made_by_an_earlier_version, newest, open};

/// E-1: `migrate` says what it did, `check` that nothing is wrong.
#[tokio::test]
async fn a_new_database_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    db_in(dir.path(), &["check"]).failed("there is no such file");
    assert!(!files(dir.path())[0].exists());
    let schema = format!("schema {}", newest());
    let text = db_in(dir.path(), &["migrate"]).succeeded();
    assert!(text.contains(&format!("created with {schema}")), "{text}");
    assert!(db_in(dir.path(), &["migrate"]).succeeded().contains(&format!("has {schema}")));
    let text = db_in(dir.path(), &["check"]).succeeded();
    let schema = format!("schema: {};", newest());
    for said in ["engine: SQLite 3.", &schema, "can be read and written", "nothing is wrong"] {
        assert!(text.contains(said), "{text}");
    }
}

/// E-1: an older schema is migrated by `migrate`, and not by `check`.
#[tokio::test]
async fn an_older_schema_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    db_in(dir.path(), &["migrate"]).succeeded();
    let [chat, _] = files(dir.path());
    std::fs::remove_file(&chat).unwrap();
    made_by_an_earlier_version(&chat, 13).await;
    let text = db_in(dir.path(), &["check"]).succeeded();
    assert!(text.contains("schema: 13;") && text.contains("migrates it"), "{text}");
    assert!(
        db_in(dir.path(), &["migrate"])
            .succeeded()
            .contains(&format!("migrated from 13 to {}", newest()))
    );
}

/// E-1: rows that contradict each other, a damaged page and a file of something else are found.
#[tokio::test]
async fn what_is_wrong_is_found() {
    let dir = tempfile::tempdir().unwrap();
    db_in(dir.path(), &["migrate"]).succeeded();
    let [file, _] = files(dir.path());
    let chat = Database::open_as_is(&Location::from(&file)).await.unwrap();
    let mut orphan = Batch::default();
    orphan.add(
        "INSERT INTO events (conversation_id, seq, kind, body, created_at) \
         VALUES ('gone', 1, 'done', '{}', 1)",
    );
    chat.run(orphan).await.unwrap();
    chat.close().await;
    db_in(dir.path(), &["check"]).failed("every event belongs to a conversation: broken 1 times");

    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xFF);
    std::fs::write(&file, bytes).unwrap();
    db_in(dir.path(), &["check"]).failed("wrong: ");

    let [chat, recipes] = files(dir.path());
    std::fs::copy(recipes, chat).unwrap();
    db_in(dir.path(), &["check"]).failed("it does not hold the tables of chat");
}

/// E-1: the same commands on a PostgreSQL server; backups are made with its own tools, and
/// what is printed has no password.
#[tokio::test]
async fn commands_know_postgres() {
    let Some(server) = parlor_testkit::postgres::url() else { return };
    let dir = tempfile::tempdir().unwrap();
    let url = parlor_test_database::postgres_url(&server, dir.path()).await;
    let mut text = db_at(&url, &["migrate"]).succeeded();
    assert!(text.contains(&format!("created with schema {}", newest())), "{text}");
    text.push_str(&db_at(&url, &["check"]).succeeded());
    assert!(text.contains("engine: PostgreSQL 1"), "{text}");
    let to = dir.path().join("backup");
    for command in ["backup", "restore"] {
        let refused = db_at(&url, &[command, to.to_str().unwrap()]);
        assert_eq!(refused.code, 2);
        assert!(refused.text.contains("pg_dump"), "{}", refused.text);
        text.push_str(&refused.text);
    }
    let location: Location = url.parse().unwrap();
    let Location::Server(server) = &location else { panic!("not a server") };
    assert!(!text.contains(&server.password().unwrap()), "{text}");

    let chat = Database::open_as_is(&location).await.unwrap();
    let mut orphan = Batch::default();
    orphan.add("INSERT INTO history VALUES ('gone', 1, 't', '{}')");
    chat.run(orphan).await.unwrap();
    db_at(&url, &["check"]).failed("the raw history belongs to a conversation");
}

/// E-1: the rules are the same on PostgreSQL, and find what breaks them.
#[tokio::test]
async fn rules_hold_on_both_engines() {
    let dir = tempfile::tempdir().unwrap();
    let mut engines = vec![files(dir.path()).map(|file| Location::from(&file))];
    if let Some(server) = parlor_testkit::postgres::url() {
        let url = parlor_test_database::postgres_url(&server, dir.path()).await;
        let location: Location = url.parse().unwrap();
        engines.push([location.clone(), location]);
    }
    for locations in engines {
        for (location, component) in locations.iter().zip(components()) {
            let database = open(location, &component).await;
            assert_eq!(component.broken_rules(&database).await.unwrap(), [""; 0]);
            fill(&database, &component).await;
            let broken = component.broken_rules(&database).await.unwrap();
            assert!(!broken.is_empty(), "{location}");
            let engine = database.engine().await.unwrap();
            assert!(engine.starts_with("SQLite 3.") || engine.starts_with("PostgreSQL 1"));
            database.close().await;
        }
    }
}
