//! Concurrent writes, and what they see of each other.

use sqlx::{ConnectOptions, Row};

use super::*;

struct Scene {
    options: SqliteConnectOptions,
    writes: GroupCommit,
    _dir: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(dir.path().join("words.db"))
            .create_if_missing(true)
            .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal);
        let mut connection = options.connect().await.unwrap();
        sqlx::query("CREATE TABLE words (word TEXT PRIMARY KEY)")
            .execute(&mut connection)
            .await
            .unwrap();
        let writes = GroupCommit::new(connection, options.clone(), Duration::from_secs(10));
        Self { options, writes, _dir: dir }
    }

    /// What another connection reads.
    async fn words(&self) -> Vec<String> {
        let mut connection = self.options.connect().await.unwrap();
        let rows = sqlx::query("SELECT word FROM words ORDER BY word");
        let rows = rows.fetch_all(&mut connection).await.unwrap();
        rows.iter().map(|row| row.get("word")).collect()
    }

    /// Waits until so many writes are queued.
    async fn queued(&self, writes: usize) {
        let queue = &self.writes.queue;
        while queue.max_capacity() - queue.capacity() < writes {
            tokio::task::yield_now().await;
        }
    }
}

async fn insert(transaction: &mut LentWriter, word: &str) -> Result<(), Fault> {
    let insert = sqlx::query("INSERT INTO words (word) VALUES ($1)").bind(word);
    insert.execute(&mut **transaction).await?;
    Ok(())
}

/// Transactions that wait together are committed together; one that fails, or is
/// dropped, is rolled back alone.
#[tokio::test]
async fn transactions_are_committed_together_and_fail_alone() {
    let scene = Scene::new().await;
    let mut first = scene.writes.begin().await.unwrap();
    insert(&mut first, "first").await.unwrap();

    let second = async {
        let mut transaction = scene.writes.begin().await?;
        insert(&mut transaction, "second").await?;
        transaction.commit().await
    };
    let failing = async {
        let mut transaction = scene.writes.begin().await?;
        insert(&mut transaction, "lost").await?;
        insert(&mut transaction, "second").await?;
        transaction.commit().await
    };
    let dropped = async {
        let mut transaction = scene.writes.begin().await.unwrap();
        insert(&mut transaction, "rolled back").await.unwrap();
        // The writes before it are not committed yet.
        assert_eq!(scene.words().await, ["first"]);
        drop(transaction);
    };
    let last = async {
        let mut transaction = scene.writes.begin().await?;
        insert(&mut transaction, "third").await?;
        assert_eq!(scene.words().await, ["first"]);
        transaction.commit().await
    };
    let begin = async {
        scene.queued(4).await;
        assert!(scene.words().await.is_empty());
        first.commit().await
    };
    let (second, failing, (), last, begin) = tokio::join!(second, failing, dropped, last, begin);
    begin.unwrap();
    second.unwrap();
    assert!(matches!(failing, Err(Fault::Conflict(_))), "{failing:?}");
    last.unwrap();
    assert_eq!(scene.words().await, ["first", "second", "third"]);
}

fn batch(words: &[&str]) -> Batch {
    let mut batch = Batch::default();
    for word in words {
        batch.add("INSERT INTO words (word) VALUES ($1)").bind(*word);
    }
    batch
}

/// The same for batches: a batch that fails is answered only when the write that was
/// in its way can be read.
#[tokio::test]
async fn batches_are_committed_together_and_fail_alone() {
    let scene = Scene::new().await;
    let mut first = scene.writes.begin().await.unwrap();
    insert(&mut first, "first").await.unwrap();
    let failing = async {
        let failed = scene.writes.run(batch(&["lost", "second"])).await;
        (failed, scene.words().await)
    };
    let not_claimed = async {
        let mut batch = Batch::claiming();
        batch.add("UPDATE words SET word = 'claimed' WHERE word = $1").bind("nowhere");
        batch.add("INSERT INTO words (word) VALUES ($1)").bind("unclaimed");
        scene.writes.run(batch).await
    };
    let begin = async {
        scene.queued(4).await;
        first.commit().await
    };
    let (second, (failing, seen), not_claimed, third, begin) = tokio::join!(
        scene.writes.run(batch(&["second"])),
        failing,
        not_claimed,
        scene.writes.run(batch(&["third"])),
        begin
    );
    begin.unwrap();
    second.unwrap();
    third.unwrap();
    assert!(matches!(failing, Err(Fault::Conflict(_))), "{failing:?}");
    assert!(matches!(not_claimed, Err(Fault::NotClaimed)), "{not_claimed:?}");
    assert_eq!(seen, ["first", "second", "third"]);
    // Alone, and first in its transaction.
    assert!(matches!(scene.writes.run(batch(&["x", "x"])).await, Err(Fault::Conflict(_))));
    scene.writes.run(batch(&["x"])).await.unwrap();
    assert_eq!(scene.words().await, ["first", "second", "third", "x"]);
}

/// A batch that is answered with `Busy` was not written, and will not be.
#[tokio::test]
async fn a_batch_past_its_deadline_is_not_written() {
    let scene = Scene::new().await;
    let impatient = GroupCommit { timeout: Duration::ZERO, ..scene.writes.clone() };
    let first = scene.writes.begin().await.unwrap();
    let begin = async {
        scene.queued(1).await;
        first.commit().await
    };
    let (late, begin) = tokio::join!(impatient.run(batch(&["late"])), begin);
    begin.unwrap();
    assert!(matches!(late, Err(Fault::Busy(_))), "{late:?}");
    scene.writes.run(batch(&["in time"])).await.unwrap();
    assert_eq!(scene.words().await, ["in time"]);
}

/// FAULTS 6: a write waits for another program's lock up to its timeout and is `Busy`
/// then; the next write succeeds.
#[tokio::test]
async fn a_lock_is_busy_and_passes() {
    let scene = Scene::new().await;
    let mut other = scene.options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let impatient = GroupCommit { timeout: Duration::from_millis(10), ..scene.writes.clone() };
    assert!(matches!(impatient.begin().await, Err(Fault::Busy(_))));
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    let mut transaction = scene.writes.begin().await.unwrap();
    insert(&mut transaction, "later").await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(scene.words().await, ["later"]);
}

/// Closing comes after the writes that were queued before it.
#[tokio::test]
async fn closing_waits_for_queued_writes() {
    let scene = Scene::new().await;
    let mut transaction = scene.writes.begin().await.unwrap();
    insert(&mut transaction, "first").await.unwrap();
    let commit = async {
        scene.queued(2).await;
        transaction.commit().await
    };
    let (queued, (), first) =
        tokio::join!(scene.writes.run(batch(&["queued"])), scene.writes.close(), commit);
    first.unwrap();
    queued.unwrap();
    assert!(scene.writes.begin().await.is_err());
    assert_eq!(scene.words().await, ["first", "queued"]);
}
