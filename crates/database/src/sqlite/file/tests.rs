//! A file that is full, damaged or empty (FAULTS 6).

use std::io::Write as _;

use super::*;
use crate::batch::Batch;
use crate::migrations::Migrations;

struct Scene {
    database: File,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

fn migrations() -> Migrations {
    Migrations::new("words", [(1, "words", "CREATE TABLE words (word TEXT PRIMARY KEY)")], [])
}

async fn open(path: &Path) -> Result<File, OpenError> {
    File::open(path, Purpose::Serve(&migrations()), 2).await
}

impl Scene {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test.db");
        Self { database: open(&path).await.unwrap(), path, _dir: dir }
    }

    async fn insert(&self, word: &str) -> Result<(), Fault> {
        let mut batch = Batch::default();
        batch.add("INSERT INTO words (word) VALUES ($1)").bind(word);
        self.database.writes().run(batch).await
    }

    /// The same in a transaction.
    async fn insert_in_transaction(&self, word: &str) -> Result<(), Fault> {
        let mut transaction = self.database.writes().begin().await?;
        let insert = sqlx::query("INSERT INTO words (word) VALUES ($1)").bind(word);
        insert.execute(&mut *transaction).await?;
        transaction.commit().await
    }

    async fn pragma(&self, pragma: &str) -> i64 {
        let mut transaction = self.database.writes().begin().await.unwrap();
        let pragma = sqlx::query(AssertSqlSafe(format!("PRAGMA {pragma}")));
        let row = pragma.fetch_optional(&mut *transaction).await.unwrap();
        row.map_or(0, |row| row.get(0))
    }

    async fn words(&self) -> i64 {
        let count = sqlx::query("SELECT COUNT(*) FROM words");
        count.fetch_one(&self.database.readers).await.unwrap().get(0)
    }
}

/// FAULTS 6: a write on a full disk leaves nothing, and the next one succeeds once
/// there is space.
#[tokio::test]
async fn a_full_disk_heals() {
    let scene = Scene::new().await;
    let large = "x".repeat(100_000);
    let pages = scene.pragma("page_count").await;
    for in_transaction in [false, true] {
        scene.pragma(&format!("max_page_count = {pages}")).await;
        let failed = match in_transaction {
            true => scene.insert_in_transaction(&large).await,
            false => scene.insert(&large).await,
        };
        assert!(matches!(failed, Err(Fault::Full)), "{failed:?}");
        assert_eq!(scene.words().await, 0);
    }
    scene.insert(&large).await.unwrap();
    scene.insert_in_transaction("after it").await.unwrap();
    assert_eq!(scene.words().await, 2);
    scene.database.check().await.unwrap();
}

/// FAULTS 6: a connection that cannot roll back is dropped, and the next write opens
/// another.
#[tokio::test]
async fn a_connection_that_cannot_roll_back_is_replaced() {
    let scene = Scene::new().await;
    let mut transaction = scene.database.writes().begin().await.unwrap();
    // As SQLite does it after an I/O error.
    sqlx::query("ROLLBACK").execute(&mut *transaction).await.unwrap();
    sqlx::query("PRAGMA cache_size = 77").execute(&mut *transaction).await.unwrap();
    drop(transaction);
    assert_ne!(scene.pragma("cache_size").await, 77, "it is another connection");
    scene.insert("after it").await.unwrap();
    assert_eq!(scene.words().await, 1);
}

/// FAULTS 6: the check notices damage although other connections have the pages in
/// memory.
#[tokio::test]
async fn a_damaged_file_is_noticed() {
    let scene = Scene::new().await;
    scene.insert("one").await.unwrap();
    scene.database.check().await.unwrap();
    let mut other = SqliteConnectOptions::clone(&scene.database.check_options)
        .read_only(false)
        .connect()
        .await
        .unwrap();
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

/// An empty file beside a WAL with content is not taken for a new database: SQLite
/// would delete the WAL.
#[tokio::test]
async fn an_empty_file_beside_its_wal_is_refused() {
    let scene = Scene::new().await;
    scene.insert("one").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (path, wal) = (dir.path().join("lost.db"), dir.path().join("lost.db-wal"));
    fs::write(&path, "").unwrap();
    fs::copy(format!("{}-wal", scene.path.display()), &wal).unwrap();
    let changes = fs::metadata(&wal).unwrap().len();
    assert!(changes > 0);
    let refused = open(&path).await.unwrap_err().to_string();
    assert!(refused.contains("it is empty, but") && refused.contains("lost.db-wal"), "{refused}");
    assert_eq!(fs::metadata(&wal).unwrap().len(), changes, "the WAL was deleted");
    fs::remove_file(&wal).unwrap();
    open(&path).await.unwrap().check().await.unwrap();
}
