//! `parlor db backup` beside a writer, and `parlor db restore`.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parlor_database::{Batch, Database, Location, query};

use crate::parlor::{Server, components, db_in, files, open};

/// Adds a conversation with an event and a message, all or nothing.
async fn add_conversation(chat: &Database, number: i64) {
    let (id, message) = (format!("c{number:08}"), format!("m{number:08}"));
    let mut batch = Batch::default();
    batch
        .add(
            "INSERT INTO conversations (id, tenant, project, title, mode, epoch, next_seq, \
             next_position, created_at, updated_at) \
             VALUES ($1, 'home', 'recipes', $1, 'act', 1, 2, 1, 1, 1)",
        )
        .bind(&id);
    batch
        .add(
            "INSERT INTO events (conversation_id, seq, kind, message_id, body, created_at) \
             VALUES ($1, 1, 'message', $2, '', 1)",
        )
        .bind(&id)
        .bind(&message);
    batch
        .add(
            "INSERT INTO messages (id, conversation_id, turn_id, seq, role, message_type, content, \
             metadata, created_at) VALUES ($1, $2, 't', 1, 'user', 'text', $3, '{}', 1)",
        )
        .bind(&message)
        .bind(&id)
        .bind("words ".repeat(200));
    chat.run(batch).await.unwrap();
}

async fn count(file: &Path, table: &str) -> i64 {
    let database = Database::open_as_is(&Location::from(&file.to_path_buf())).await.unwrap();
    let count = query(format!("SELECT COUNT(*) AS rows FROM {table}"));
    let count = count.fetch_one(&database).await.unwrap().try_get("rows").unwrap();
    database.close().await;
    count
}

/// O-4: a backup that is taken while writes are under way holds everything that was
/// acknowledged before, and of each write all or nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_beside_writes_is_consistent() {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    db_in(data.path(), &["migrate"]).succeeded();
    let chat = open(&Location::from(&files(data.path())[0]), &components()[0]).await;
    let (written, done) = (AtomicI64::new(0), AtomicBool::new(false));
    let writes = async {
        while !done.load(Ordering::SeqCst) {
            add_conversation(&chat, written.load(Ordering::SeqCst)).await;
            written.fetch_add(1, Ordering::SeqCst);
        }
    };
    let to = other.path().join("backup");
    let backups = async {
        while written.load(Ordering::SeqCst) < 300 {
            tokio::task::yield_now().await;
        }
        let before = written.load(Ordering::SeqCst);
        let (data, to) = (data.path().to_owned(), to.clone());
        let command = move || db_in(&data, &["backup", to.to_str().unwrap()]).succeeded();
        tokio::task::spawn_blocking(command).await.unwrap();
        let after = written.load(Ordering::SeqCst);
        done.store(true, Ordering::SeqCst);
        (before, after)
    };
    let ((), (before, after)) = tokio::join!(writes, backups);
    assert!(after > before, "nothing was written meanwhile");
    chat.close().await;

    let restored = other.path().join("data");
    db_in(&restored, &["restore", to.to_str().unwrap()]).succeeded();
    db_in(&restored, &["check"]).succeeded();
    let [file, _] = files(&restored);
    let found = count(&file, "conversations").await;
    assert!((before..=after + 1).contains(&found), "{before} <= {found} <= {after}");
    assert_eq!(count(&file, "events").await, found);
    assert_eq!(count(&file, "messages").await, found);
}

/// O-4: a restore refuses a server that runs and data that exists; with `--force` the old
/// files are kept. A backup is not overwritten.
#[tokio::test]
async fn a_restore_keeps_what_was_there() {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let to = other.path().join("backup");
    let backup = to.to_str().unwrap();
    let server = Server::start(data.path());
    db_in(data.path(), &["backup", backup]).succeeded();
    db_in(data.path(), &["restore", backup, "--force"]).failed("another server uses");
    drop(server);
    db_in(data.path(), &["backup", backup]).failed("name a new directory");

    let [file, recipes] = files(data.path());
    let passwords = count(&file, "passwords").await;
    assert!(passwords > 0);
    let chat = open(&Location::from(&file), &components()[0]).await;
    add_conversation(&chat, 1).await;
    chat.close().await;
    db_in(data.path(), &["restore", backup]).failed("--force");
    assert_eq!(count(&file, "conversations").await, 1);

    db_in(data.path(), &["restore", backup, "--force"]).succeeded();
    assert_eq!(count(&file, "conversations").await, 0);
    assert_eq!(count(&file, "passwords").await, passwords);
    assert!(recipes.exists());
    let kept = fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept.filter(|path| path.is_dir()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(count(&kept[0].join("parlor.db"), "conversations").await, 1);
    drop(Server::start(data.path()));
}

/// O-4: a damaged or incomplete backup is refused, and the data stays.
#[tokio::test]
async fn a_damaged_backup_is_refused() {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let to = other.path().join("backup");
    let backup = to.to_str().unwrap();
    db_in(data.path(), &["migrate"]).succeeded();
    db_in(data.path(), &["backup", backup]).succeeded();
    let [file, _] = files(data.path());
    let before = fs::read(&file).unwrap();

    let recipes = to.join("recipes.db");
    let whole = fs::read(&recipes).unwrap();
    for broken in [&b"not a database, but long enough to be read"[..], &whole[..4096], &[]] {
        fs::write(&recipes, broken).unwrap();
        assert_eq!(db_in(data.path(), &["restore", backup, "--force"]).code, 1);
    }
    fs::remove_file(&recipes).unwrap();
    db_in(data.path(), &["restore", backup, "--force"]).failed("recipes.db cannot be copied");
    assert_eq!(fs::read(&file).unwrap(), before);
}
