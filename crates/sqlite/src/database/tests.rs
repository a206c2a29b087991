//! A file that is full, damaged or empty (FAULTS 6).

use std::io::Write as _;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType};

use super::*;
use crate::batch::Batch;

struct Scene {
    database: Database,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

fn migrations() -> Migrator {
    let sql = "CREATE TABLE words (word TEXT PRIMARY KEY)";
    let first = Migration::new(1, "words".into(), MigrationType::Simple, sql.into_sql_str(), false);
    Migrator::with_migrations(vec![first])
}

async fn open(path: &Path) -> Result<Database, OpenError> {
    Database::open(path, &migrations(), 2).await
}

impl Scene {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test.db");
        Self { database: open(&path).await.unwrap(), path, _dir: dir }
    }

    async fn put(&self, word: &str) -> Result<(), Fault> {
        let mut batch = Batch::default();
        batch.add("INSERT INTO words (word) VALUES ($1)").bind(word);
        self.database.pen().run(batch).await
    }

    /// The same, with the pen in hand.
    async fn put_by_hand(&self, word: &str) -> Result<(), Fault> {
        let mut write = self.database.pen().take().await?;
        let put = sqlx::query("INSERT INTO words (word) VALUES ($1)").bind(word);
        put.execute(&mut *write).await?;
        write.commit().await
    }

    async fn pragma(&self, words: &str) -> i64 {
        let mut write = self.database.pen().take().await.unwrap();
        let pragma = sqlx::query(AssertSqlSafe(format!("PRAGMA {words}")));
        let row = pragma.fetch_optional(&mut *write).await.unwrap();
        row.map_or(0, |row| row.get(0))
    }

    async fn words(&self) -> i64 {
        let count = sqlx::query("SELECT COUNT(*) FROM words");
        count.fetch_one(self.database.readers()).await.unwrap().get(0)
    }
}

/// FAULTS 6: what a full disk undid is undone, and the next write succeeds once
/// there is room.
#[tokio::test]
async fn a_full_disk_heals() {
    let scene = Scene::new().await;
    let large = "x".repeat(100_000);
    let pages = scene.pragma("page_count").await;
    for by_hand in [false, true] {
        scene.pragma(&format!("max_page_count = {pages}")).await;
        let failed = match by_hand {
            true => scene.put_by_hand(&large).await,
            false => scene.put(&large).await,
        };
        assert!(matches!(failed, Err(Fault::Full)), "{failed:?}");
        assert_eq!(scene.words().await, 0);
    }
    scene.put(&large).await.unwrap();
    scene.put_by_hand("after it").await.unwrap();
    assert_eq!(scene.words().await, 2);
    scene.database.check().await.unwrap();
}

/// FAULTS 6: a transaction that the connection no longer knows about takes the
/// connection with it, and nobody after it.
#[tokio::test]
async fn a_connection_that_cannot_undo_is_replaced() {
    let scene = Scene::new().await;
    let mut write = scene.database.pen().take().await.unwrap();
    // As SQLite does it after an I/O error.
    sqlx::query("ROLLBACK").execute(&mut *write).await.unwrap();
    sqlx::query("PRAGMA cache_size = 77").execute(&mut *write).await.unwrap();
    drop(write);
    assert_ne!(scene.pragma("cache_size").await, 77, "it is another connection");
    scene.put("after it").await.unwrap();
    assert_eq!(scene.words().await, 1);
}

/// FAULTS 6: other connections have the pages in memory, and the check is not
/// deceived by them.
#[tokio::test]
async fn a_damaged_file_is_noticed() {
    let scene = Scene::new().await;
    scene.put("one").await.unwrap();
    scene.database.check().await.unwrap();
    let mut other = scene.database.look_options.clone().read_only(false).connect().await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    let length = fs::metadata(&scene.path).unwrap().len();
    let mut file = fs::OpenOptions::new().write(true).open(&scene.path).unwrap();
    file.write_all(&vec![0xA5; length as usize]).unwrap();
    let failed = scene.database.check().await;
    assert!(matches!(failed, Err(Fault::Malformed(_))), "{failed:?}");
    let again = open(&scene.path).await.unwrap_err().to_string();
    assert!(again.contains("damaged") && again.contains("restore a backup"), "{again}");
}

/// A file that lost everything is not taken for a new one while its changes lie
/// beside it: SQLite would delete them.
#[tokio::test]
async fn an_empty_file_beside_its_changes_is_refused() {
    let scene = Scene::new().await;
    scene.put("one").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (path, log) = (dir.path().join("lost.db"), dir.path().join("lost.db-wal"));
    fs::write(&path, "").unwrap();
    fs::copy(format!("{}-wal", scene.path.display()), &log).unwrap();
    let changes = fs::metadata(&log).unwrap().len();
    assert!(changes > 0);
    let refused = open(&path).await.unwrap_err().to_string();
    assert!(refused.contains("it is empty, but") && refused.contains("lost.db-wal"), "{refused}");
    assert_eq!(fs::metadata(&log).unwrap().len(), changes, "nothing was thrown away");
    fs::remove_file(&log).unwrap();
    open(&path).await.unwrap().check().await.unwrap();
}
