//! What `parlor db copy` refuses, and that it changes nothing then.

use parlor_database::{Batch, Database, Location, LockKind};

use crate::parlor::{Server, components, db, db_in, files, made_by_an_earlier_version, open, url};

fn copy(from: &str, to: &str) -> crate::parlor::Outcome {
    db(&["copy", "--from", from, "--to", to])
}

/// E-4: a target that holds anything is refused, and a source that is not there.
#[tokio::test]
async fn a_target_in_use_is_refused() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(&url(from.path()), &url(to.path())).failed("there is no such file");
    assert!(!files(to.path())[0].exists());
    db_in(from.path(), &["migrate"]).succeeded();
    copy(&url(from.path()), &url(from.path())).failed("source and target are the same");

    let component = components()[1];
    let recipes = open(&Location::from(&files(to.path())[1]), &component).await;
    let mut row = Batch::default();
    row.add("INSERT INTO tenants (tenant, first_used_at) VALUES ('home', 1)");
    recipes.run(row).await.unwrap();
    recipes.close().await;
    copy(&url(from.path()), &url(to.path())).failed("its table tenants has rows");
    // A server may still use it.
    db_in(to.path(), &["migrate"]).succeeded();
}

/// E-4: half of a copy from elsewhere is neither finished nor overwritten.
#[tokio::test]
async fn half_of_another_copy_is_refused() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    db_in(from.path(), &["migrate"]).succeeded();
    db_in(to.path(), &["migrate"]).succeeded();
    let target = Database::open_as_is(&Location::from(&files(to.path())[0])).await.unwrap();
    let mut mark = Batch::default();
    mark.add("CREATE TABLE unfinished_copy (source TEXT NOT NULL)");
    mark.add("INSERT INTO unfinished_copy (source) VALUES ('elsewhere')");
    target.run(mark).await.unwrap();
    target.close().await;
    copy(&url(from.path()), &url(to.path())).failed("half of a copy from elsewhere");
    db_in(to.path(), &["check"]).failed("a copy from elsewhere was not finished");
}

/// E-4: a server must run on neither side, and none starts on a half-filled target.
#[tokio::test]
async fn a_running_server_is_refused() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    db_in(from.path(), &["migrate"]).succeeded();
    let server = Server::start(from.path());
    copy(&url(from.path()), &url(to.path())).failed("another server uses the data directory");
    copy(&url(to.path()), &url(from.path())).failed("another server uses the data directory");
    drop(server);
    copy(&url(from.path()), &url(to.path())).succeeded();
}

/// E-4: a server of Parlor on PostgreSQL shares a lock, which a copy needs alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_running_server_on_postgres_is_refused() {
    let Some(server) = parlor_testkit::postgres::url() else { return };
    let from = tempfile::tempdir().unwrap();
    db_in(from.path(), &["migrate"]).succeeded();
    let postgres = parlor_test_database::postgres_url(&server, from.path()).await;
    let running = Database::open_as_is(&postgres.parse().unwrap()).await.unwrap();
    let lock = running.lock(LockKind::Server).await.unwrap().unwrap();
    copy(&url(from.path()), &postgres).failed("a server of Parlor runs on");
    drop(lock);
    // The connection closes a moment later.
    let mut tries = (0..100).map(|_| copy(&url(from.path()), &postgres));
    assert!(tries.any(|outcome| outcome.code == 0));
}

/// E-4: a source of another version is not migrated by the way, and a wrong URL is not shown.
#[tokio::test]
async fn another_schema_and_a_wrong_url_are_refused() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    db_in(from.path(), &["migrate"]).succeeded();
    let [chat, _] = files(from.path());
    std::fs::remove_file(&chat).unwrap();
    made_by_an_earlier_version(&chat, 13).await;
    copy(&url(from.path()), &url(to.path())).failed("has schema 13");
    let wrong = copy("mysql://parlor:secret@db/chat", &url(to.path()));
    assert!(!wrong.text.contains("secret"), "{}", wrong.text);
    wrong.failed("it is not the URL of a database");
    copy(&url(from.path()), "postgres://parlor:secret@127.0.0.1:1/chat").failed("cannot be opened");
}
