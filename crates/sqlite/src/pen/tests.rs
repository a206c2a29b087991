//! Several writers at once, and what they see of each other.

use sqlx::{ConnectOptions, Row};

use super::*;

struct Paper {
    options: SqliteConnectOptions,
    pen: Pen,
    _dir: tempfile::TempDir,
}

impl Paper {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(dir.path().join("paper.db"))
            .create_if_missing(true)
            .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal);
        let mut connection = options.connect().await.unwrap();
        sqlx::query("CREATE TABLE words (word TEXT PRIMARY KEY)")
            .execute(&mut connection)
            .await
            .unwrap();
        let pen = Pen::new(connection, options.clone(), Duration::from_secs(10));
        Self { options, pen, _dir: dir }
    }

    /// What somebody else sees.
    async fn words(&self) -> Vec<String> {
        let mut connection = self.options.connect().await.unwrap();
        let rows = sqlx::query("SELECT word FROM words ORDER BY word");
        let rows = rows.fetch_all(&mut connection).await.unwrap();
        rows.iter().map(|row| row.get("word")).collect()
    }

    /// As many writers as stand in line.
    async fn line(&self, writers: usize) {
        while self.pen.line.max_capacity() - self.pen.line.capacity() < writers {
            tokio::task::yield_now().await;
        }
    }
}

async fn put(write: &mut Write, word: &str) -> Result<(), Fault> {
    let put = sqlx::query("INSERT INTO words (word) VALUES ($1)").bind(word);
    put.execute(&mut **write).await?;
    Ok(())
}

/// Who writes at the same time is committed at the same time; what goes
/// wrong for one is undone for that one alone.
#[tokio::test]
async fn writers_who_wait_are_committed_together_and_fail_alone() {
    let paper = Paper::new().await;
    let mut first = paper.pen.take().await.unwrap();
    put(&mut first, "first").await.unwrap();

    let second = async {
        let mut write = paper.pen.take().await?;
        put(&mut write, "second").await?;
        write.commit().await
    };
    let wrong = async {
        let mut write = paper.pen.take().await?;
        put(&mut write, "lost").await?;
        put(&mut write, "second").await?;
        write.commit().await
    };
    let undecided = async {
        let mut write = paper.pen.take().await.unwrap();
        put(&mut write, "undone").await.unwrap();
        // The others have written, and none of it can be seen.
        assert_eq!(paper.words().await, ["first"]);
        drop(write);
    };
    let last = async {
        let mut write = paper.pen.take().await?;
        put(&mut write, "third").await?;
        assert_eq!(paper.words().await, ["first"]);
        write.commit().await
    };
    let begin = async {
        paper.line(4).await;
        assert!(paper.words().await.is_empty());
        first.commit().await
    };
    let (second, wrong, (), last, begin) = tokio::join!(second, wrong, undecided, last, begin);
    begin.unwrap();
    second.unwrap();
    assert!(matches!(wrong, Err(Fault::Other(_))), "{wrong:?}");
    last.unwrap();
    assert_eq!(paper.words().await, ["first", "second", "third"]);
}

fn batch(words: &[&str]) -> Batch {
    let mut batch = Batch::default();
    for word in words {
        batch.add("INSERT INTO words (word) VALUES ($1)").bind(*word);
    }
    batch
}

/// The same for those who leave their statements: also one that fails is told
/// only when what was in its way can be seen.
#[tokio::test]
async fn batches_are_committed_together_and_fail_alone() {
    let paper = Paper::new().await;
    let mut first = paper.pen.take().await.unwrap();
    put(&mut first, "first").await.unwrap();
    let wrong = async {
        let told = paper.pen.run(batch(&["lost", "second"])).await;
        (told, paper.words().await)
    };
    let taken_over = async {
        let mut batch = Batch::claiming();
        batch.add("UPDATE words SET word = 'claimed' WHERE word = $1").bind("nowhere");
        batch.add("INSERT INTO words (word) VALUES ($1)").bind("unclaimed");
        paper.pen.run(batch).await
    };
    let begin = async {
        paper.line(4).await;
        first.commit().await
    };
    let (second, (wrong, seen), taken_over, third, begin) = tokio::join!(
        paper.pen.run(batch(&["second"])),
        wrong,
        taken_over,
        paper.pen.run(batch(&["third"])),
        begin
    );
    begin.unwrap();
    second.unwrap();
    third.unwrap();
    assert!(matches!(wrong, Err(Fault::Other(_))), "{wrong:?}");
    assert!(matches!(taken_over, Err(Fault::NotClaimed)), "{taken_over:?}");
    assert_eq!(seen, ["first", "second", "third"]);
    // Alone, and first in its transaction.
    assert!(matches!(paper.pen.run(batch(&["x", "x"])).await, Err(Fault::Other(_))));
    paper.pen.run(batch(&["x"])).await.unwrap();
    assert_eq!(paper.words().await, ["first", "second", "third", "x"]);
}

/// Whoever is told `Busy` was not written, and will not be.
#[tokio::test]
async fn a_batch_that_waited_too_long_is_not_written() {
    let paper = Paper::new().await;
    let impatient = Pen { patience: Duration::ZERO, ..paper.pen.clone() };
    let first = paper.pen.take().await.unwrap();
    let begin = async {
        paper.line(1).await;
        first.commit().await
    };
    let (late, begin) = tokio::join!(impatient.run(batch(&["late"])), begin);
    begin.unwrap();
    assert!(matches!(late, Err(Fault::Busy)), "{late:?}");
    paper.pen.run(batch(&["in time"])).await.unwrap();
    assert_eq!(paper.words().await, ["in time"]);
}

/// FAULTS 6: somebody else's lock is waited for; then it is `Busy`, and the
/// next one can write.
#[tokio::test]
async fn a_lock_is_busy_and_passes() {
    let paper = Paper::new().await;
    let mut other = paper.options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let impatient = Pen { patience: Duration::from_millis(10), ..paper.pen.clone() };
    assert!(matches!(impatient.take().await, Err(Fault::Busy)));
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    let mut write = paper.pen.take().await.unwrap();
    put(&mut write, "later").await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(paper.words().await, ["later"]);
}

#[tokio::test]
async fn closing_lets_those_write_who_wait() {
    let paper = Paper::new().await;
    let mut write = paper.pen.take().await.unwrap();
    put(&mut write, "kept").await.unwrap();
    let (stored, ()) = tokio::join!(write.commit(), paper.pen.close());
    stored.unwrap();
    assert!(paper.pen.take().await.is_err());
    assert_eq!(paper.words().await, ["kept"]);
}
