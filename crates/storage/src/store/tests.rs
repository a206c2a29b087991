//! Faults of the database at every kind of write, and a kill in the middle of a
//! migration (FAULTS 6 and 7).

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parlor_database::{Fault, OpenError, query};
use parlor_protocol::{ConversationId, EventId, Timestamp, TurnId};
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnectOptions;

use super::*;
use crate::{AccessRole, BlockedInput, ConversationChanges, NewToken, StoredFile, TokenKind};

#[path = "../../tests/story/scene.rs"]
mod scene;

use scene::{Scene, scope, tenant, uuid};

/// More than fits into the pages that the file has.
fn large() -> String {
    "x".repeat(100_000)
}

/// Every kind of write, each with a large value; before each the connection is broken
/// with a pragma. Returns the writes that failed, and why.
async fn write_everything(
    scene: &Scene,
    broken: Option<&str>,
) -> Vec<(&'static str, StorageError)> {
    let store = &scene.store;
    let mut begin = scene.begin(TurnId::new(uuid(500)), true, None);
    begin.conversation = ConversationId::new(uuid(501));
    let picture = StoredFile::picture(uuid(502), "image/png", large().into());
    begin.files = vec![picture];
    let mut commit = scene.commit(1, 4);
    commit.step.history = vec![large().into()];
    let (token, blocked, delta) = (token(), blocked(), [scene.delta(0, &large())]);
    let (home, seen, title) = (tenant(), scope(), large());
    let access = store.access();
    let writes: [(&str, BoxFuture<'_>); 8] = [
        ("begin_turn", Box::pin(async { store.begin_turn(&begin).await.map(drop) })),
        ("flush", Box::pin(store.flush(&delta))),
        ("commit", Box::pin(async { store.commit(&commit).await.map(drop) })),
        ("rename", Box::pin(store.update_conversation(&seen, scene.conversation, titled(&title)))),
        ("token", Box::pin(access.add_token(&token))),
        ("password", Box::pin(access.set_password(&home, AccessRole::User, &title, Timestamp(1)))),
        ("blocked_input", Box::pin(store.add_blocked_input(&blocked))),
        ("check", Box::pin(store.check())),
    ];
    let mut failed = Vec::new();
    for (what, write) in writes {
        // Before each one: a connection that failed was replaced.
        if let Some(broken) = broken {
            pragma(store, broken).await;
        }
        failed.extend(write.await.err().map(|error| (what, error)));
    }
    failed
}

type BoxFuture<'f> = Pin<Box<dyn Future<Output = Result<(), StorageError>> + 'f>>;

fn titled(title: &str) -> ConversationChanges<'_> {
    ConversationChanges { title: Some(title), ..Default::default() }
}

fn token() -> NewToken {
    NewToken {
        id: "t".into(),
        hash: "h".into(),
        kind: TokenKind::Key,
        tenant: tenant(),
        role: AccessRole::User,
        name: large(),
        person: None,
        device: None,
        created_at: Timestamp(1),
        expires_at: None,
    }
}

fn blocked() -> BlockedInput {
    BlockedInput {
        id: "b".into(),
        at: Timestamp(1),
        tenant: tenant(),
        project: "recipes".parse().unwrap(),
        session: "s".into(),
        person: None,
        rule: "r".into(),
        category: "c".into(),
        action: "block".into(),
        view: "plain".into(),
        hash: "h".into(),
        excerpt: large(),
    }
}

/// Runs a pragma on the connection that writes.
async fn pragma(store: &Store, pragma: &str) -> i64 {
    let query = query(format!("PRAGMA {pragma}"));
    let mut transaction = store.begin().await.unwrap();
    let row = query.fetch_optional(&mut *transaction).await.unwrap();
    let name = pragma.split(' ').next().unwrap();
    // Only `page_count` is asked for its value.
    row.and_then(|row| row.try_get(name).ok()).unwrap_or(0)
}

/// A conversation with a turn that runs.
async fn running() -> Scene {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    scene
}

/// Nothing was written, and what was there before can be read.
async fn assert_unchanged(scene: &Scene) {
    assert_eq!(scene.seqs_after(EventId::durable(0)).await, [1, 2]);
    let page = scene.store.conversations(&scope(), Default::default(), None, 9).await.unwrap();
    assert_eq!(page.conversations.len(), 1);
    assert_eq!(page.conversations[0].title.get(), "hello");
    assert!(scene.store.access().tokens(&tenant(), TokenKind::Key).await.unwrap().is_empty());
}

/// FAULTS 6: a disk that is full, at every kind of write.
#[tokio::test]
async fn a_full_disk_loses_nothing_and_heals() {
    let scene = running().await;
    let pages = pragma(&scene.store, "page_count").await;
    let failed = write_everything(&scene, Some(&format!("max_page_count = {pages}"))).await;
    let names: Vec<_> = failed.iter().map(|(what, _)| *what).collect();
    assert_eq!(
        names,
        ["begin_turn", "flush", "commit", "rename", "token", "password", "blocked_input"],
        "the check needs no space: {failed:?}"
    );
    assert!(
        failed.iter().all(|(_, error)| matches!(error, StorageError::Fault(Fault::Full))),
        "{failed:?}"
    );
    assert_unchanged(&scene).await;
    assert_eq!(write_everything(&scene, Some("max_page_count = 1000000")).await.len(), 0);
}

/// FAULTS 6: a database that cannot be written, at every kind of write.
#[tokio::test]
async fn a_read_only_database_loses_nothing_and_heals() {
    let scene = running().await;
    let failed = write_everything(&scene, Some("query_only = ON")).await;
    assert_eq!(failed.len(), 8, "{failed:?}");
    let read_only =
        |error: &StorageError| matches!(error, StorageError::Fault(Fault::Unwritable(_)));
    assert!(failed.iter().all(|(_, error)| read_only(error) && error.is_transient()), "{failed:?}");
    assert_unchanged(&scene).await;
    assert_eq!(write_everything(&scene, Some("query_only = OFF")).await.len(), 0);
}

/// FAULTS 6: a database that another program has locked, at every kind of write.
#[tokio::test]
async fn a_locked_database_loses_nothing_and_heals() {
    let scene = running().await;
    let path = scene.dir.path().join("parlor.db");
    let other =
        SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap();
    pragma(&scene.store, "busy_timeout = 20").await;
    let lock = other.begin_with("BEGIN EXCLUSIVE").await.unwrap();
    let failed = write_everything(&scene, None).await;
    assert_eq!(failed.len(), 8, "{failed:?}");
    assert!(
        failed.iter().all(|(_, error)| matches!(error, StorageError::Fault(Fault::Busy(_)))),
        "{failed:?}"
    );
    assert_unchanged(&scene).await;
    lock.rollback().await.unwrap();
    assert_eq!(write_everything(&scene, Some("busy_timeout = 5000")).await.len(), 0);
}

const DATABASE: &str = "PARLOR_TEST_DATABASE";

/// This version's migrations and one more: it changes tables, then runs long if the
/// conversation has the title "slow".
fn newer() -> Migrations {
    let sql = "ALTER TABLE messages ADD COLUMN note TEXT;
        UPDATE messages SET note = content;
        CREATE TABLE copies (n BIGINT PRIMARY KEY, body TEXT NOT NULL);
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT
            (SELECT CASE title WHEN 'slow' THEN 5000000 ELSE 100 END FROM conversations))
        INSERT INTO copies SELECT n, hex(zeroblob(200)) FROM numbers;";
    MIGRATIONS.and_then(sql, "")
}

/// The process that the next test kills.
#[tokio::test]
#[ignore = "started by another test, which kills it"]
async fn migrate_until_killed() {
    let path = PathBuf::from(std::env::var_os(DATABASE).unwrap());
    Store::open_with((&path).into(), &newer(), 1).await.unwrap();
    panic!("it was not killed");
}

/// FAULTS 7: `kill -9` in the middle of a migration: the next start migrates,
/// and nothing is lost.
#[tokio::test]
async fn a_kill_in_the_middle_of_a_migration_loses_nothing() {
    let mut scene = running().await;
    let id = scene.conversation;
    let path = scene.dir.path().join("parlor.db");
    scene.store.update_conversation(&scope(), id, titled("slow")).await.unwrap();
    scene.store.close().await;
    kill_in_the_middle(&path);

    // The version before it finds the database unchanged.
    scene.store = Store::open(&path).await.unwrap();
    let half = "SELECT COUNT(*) AS half FROM sqlite_schema
         WHERE sql LIKE '%copies%' OR sql LIKE '%note%'";
    let half = query(half).fetch_one(scene.store.reader()).await.unwrap();
    assert_eq!(half.try_get::<i64>("half").unwrap(), 0, "a migration is complete or not there");
    assert_eq!(scene.seqs_after(EventId::durable(0)).await, [1, 2]);
    scene.store.update_conversation(&scope(), id, titled("quick")).await.unwrap();
    scene.store.close().await;

    scene.store = Store::open_with((&path).into(), &newer(), 1).await.unwrap();
    let row = "SELECT (SELECT COUNT(*) FROM copies) AS copies, (SELECT note FROM messages) AS note";
    let row = query(row).fetch_one(scene.store.reader()).await.unwrap();
    assert_eq!(row.try_get::<i64>("copies").unwrap(), 100);
    assert_eq!(row.try_get::<&str>("note").unwrap(), "hello");
    assert_eq!(scene.seqs_after(EventId::durable(0)).await, [1, 2]);
    scene.store.close().await;
    let old = Store::open(&path).await.unwrap_err();
    assert!(matches!(old, StorageError::Open(OpenError::NewerSchema { .. })), "{old}");
}

/// Kills the process once its WAL grows: pages of the open transaction go there when
/// they no longer fit into memory.
fn kill_in_the_middle(path: &Path) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::migrate_until_killed", "--ignored"])
        .env(DATABASE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wal = path.with_extension("db-wal");
    let written = || std::fs::metadata(&wal).map_or(0, |file| file.len());
    let began = Instant::now();
    while written() < 4 << 20 {
        assert_eq!(child.try_wait().unwrap(), None, "the migration ended before the kill");
        assert!(began.elapsed() < Duration::from_secs(60), "the migration does not begin");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
