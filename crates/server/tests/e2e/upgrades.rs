//! A server that is killed while it starts on a database of an older version: the next start finds
//! everything (FAULTS 7).

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use parlor_testkit::ScriptedModel;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use crate::server_process::Server;

const CONVERSATION: &str = "0198c5a2-7b1e-7cc0-8000-000000000001";

/// A database as the first version left it, with a turn that was running.
pub(crate) async fn first_version(data: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage/migrations/sqlite");
    let all = Migrator::new(source).await.unwrap();
    let first = Migrator::with_migrations(all.iter().take(1).cloned().collect());
    let options = SqliteConnectOptions::new().filename(data.join("parlor.db"));
    let mut database =
        SqliteConnection::connect_with(&options.create_if_missing(true)).await.unwrap();
    first.run(&mut database).await.unwrap();
    let rows = format!(
        "INSERT INTO conversations VALUES
            ('{CONVERSATION}', 'home', 'recipes', 'Soup', 'act', 1, 4, 2, 1, 1);
         INSERT INTO turns VALUES ('0198c5a2-7b1e-7cc0-8000-000000000002', '{CONVERSATION}',
            'home', 'session', NULL, '0198c5a2-7b1e-7cc0-8000-000000000003', 1, 1, 'running',
            NULL, NULL, 3, '0198c5a2-7b1e-7cc0-8000-000000000004', 1, NULL);
         INSERT INTO messages VALUES ('0198c5a2-7b1e-7cc0-8000-000000000003', '{CONVERSATION}',
            '0198c5a2-7b1e-7cc0-8000-000000000002', 2, 'user', 'text', 'hello from long ago',
            NULL, NULL, NULL, '{{}}', 1);
         INSERT INTO events VALUES ('{CONVERSATION}', 2, '0198c5a2-7b1e-7cc0-8000-000000000002',
            'message', '0198c5a2-7b1e-7cc0-8000-000000000003', '', 1);"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
}

/// FAULTS 7: kills at different moments of a start that migrates.
#[tokio::test]
async fn kills_while_it_starts_lose_nothing() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    first_version(data.path()).await;
    for milliseconds in [0, 5, 10, 15, 20, 30, 40, 60, 80, 120] {
        let server = Server::spawn(data.path(), &model);
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        server.kill();
    }
    let server = Server::start(data.path(), &model).await;
    let view = server.conversation(CONVERSATION).await;
    assert_eq!(view["messages"][0]["content"], "hello from long ago");
    assert_eq!(view["running"], false, "the turn that ran has ended");
    assert_eq!(view["visibility"], "tenant", "Y-2: it is everybody's, as it was");
    assert!(view.get("person").is_none(), "{view}");
}

/// FAULTS 7: an older binary refuses a newer database, and says what to do.
#[tokio::test]
async fn a_newer_database_is_refused() {
    let data = tempfile::tempdir().unwrap();
    first_version(data.path()).await;
    let options = SqliteConnectOptions::new().filename(data.path().join("parlor.db"));
    let mut database = SqliteConnection::connect_with(&options).await.unwrap();
    let later = "INSERT INTO _sqlx_migrations
        (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', TRUE, X'00', 0)";
    sqlx::query(later).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(["serve", "--bind", "127.0.0.1:0", "--data-dir"])
        .arg(data.path())
        .current_dir(data.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(error.contains("was written by a newer version of Parlor"), "{error}");
    assert!(error.contains("run that version, or restore a backup"), "{error}");
}
