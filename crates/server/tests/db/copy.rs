//! Copies between engines: complete, verified, resumable.

use std::path::Path;

use parlor_database::transfer::{CopyError, Part, copy, open_target};
use parlor_database::{Batch, Connections, Database, Location};
use tokio::sync::Notify;

use crate::filled::{SINGLE, dump, fill};
use crate::parlor::{components, db, files, open, tables, url};

/// Fills the files of a data directory; returns what they hold.
async fn filled(dir: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for (file, component) in files(dir).iter().zip(components()) {
        let database = open(&Location::from(file), &component).await;
        fill(&database, &component).await;
        lines.extend(dump(&database, &component).await);
        database.close().await;
    }
    lines
}

async fn dumped(locations: &[Location; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    for (location, component) in locations.iter().zip(components()) {
        let database = open(location, &component).await;
        lines.extend(dump(&database, &component).await);
        database.close().await;
    }
    lines
}

fn locations(dir: &Path) -> [Location; 2] {
    files(dir).map(|file| Location::from(&file))
}

fn copy_command(from: &str, to: &str) -> String {
    let text = db(&["copy", "--from", from, "--to", to]).succeeded();
    assert!(text.contains("\nverified: "), "{text}");
    text
}

/// E-4: from SQLite to PostgreSQL and back nothing is lost or changed; nothing that is
/// printed has a password.
#[tokio::test]
async fn a_round_trip_over_postgres_is_equal() {
    let Some(server) = parlor_testkit::postgres::url() else { return };
    let (begin, end) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let postgres = parlor_test_database::postgres_url(&server, begin.path()).await;
    let expected = filled(begin.path()).await;

    let there = copy_command(&url(begin.path()), &postgres);
    let back = copy_command(&postgres, &url(end.path()));
    let password = server.split('@').next().and_then(|user| user.rsplit(':').next()).unwrap();
    assert!(!there.contains(password) && !back.contains(password), "{there}{back}");
    let full = there.lines().filter(|line| line.contains(" 1003 ")).count();
    assert_eq!(full + SINGLE.len(), tables(), "{there}");

    let on_server: Location = postgres.parse().unwrap();
    assert_eq!(dumped(&[on_server.clone(), on_server]).await, expected);
    assert_eq!(dumped(&locations(end.path())).await, expected);
}

/// E-4: the same engine too; the rows come out as they were, NUL included.
#[tokio::test]
async fn files_are_copied_into_files() {
    let (begin, end) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = filled(begin.path()).await;
    copy_command(&url(begin.path()), &url(end.path()));
    assert_eq!(dumped(&locations(end.path())).await, expected);
}

/// E-4: a copy that stops in any table leaves a target that no server opens; the same copy
/// finishes it.
#[tokio::test]
async fn an_interrupted_copy_goes_on() {
    let (begin, end) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = filled(begin.path()).await;
    interrupted(begin.path(), locations(end.path()), &expected).await;

    let Some(server) = parlor_testkit::postgres::url() else { return };
    let name = begin.path().join("interrupted");
    let postgres = parlor_test_database::postgres_url(&server, &name).await;
    let postgres: Location = postgres.parse().unwrap();
    interrupted(begin.path(), [postgres.clone(), postgres], &expected).await;
}

/// E-4: a row that is there already and is not that of the source is found, whatever column
/// it differs in; the target stays marked.
#[tokio::test]
async fn a_row_that_differs_is_found() {
    let (begin, end) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(begin.path()).await;
    let to = locations(end.path());
    copy_until(begin.path(), &to, "quotas").await;
    for (change, table) in [
        ("UPDATE images SET bytes = X'00' WHERE id = 'a-5'", "images"),
        ("UPDATE messages SET data = 'x' WHERE id = 'a-3'", "messages"),
        (
            "INSERT INTO conversations SELECT 'more', tenant, project, title, mode, epoch, next_seq, \
         next_position, created_at, updated_at, home, folder, person, visibility, leaf, deleted_at
         FROM conversations LIMIT 1",
            "conversations",
        ),
    ] {
        let parts = parts(begin.path(), &to).await;
        let mut batch = Batch::default();
        batch.add(change);
        parts[0].to.run(batch).await.unwrap();
        let error = copy(&parts, "here", &mut |_, _| {}).await.unwrap_err();
        assert!(matches!(error, CopyError::Differs { table: t, .. } if t == table), "{error}");
        assert!(parts[0].to.unfinished_copy().await.unwrap().is_some());
        close(&parts).await;
    }
}

async fn interrupted(from: &Path, to: [Location; 2], expected: &[String]) {
    for stop_at in ["conversations", "images", "recipes"] {
        copy_until(from, &to, stop_at).await;
        let connections = Connections { sqlite_readers: 1, postgres: 1 };
        let [chat, _] = components();
        let refused = Database::open(&to[0], chat.migrations, connections).await;
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("was not finished"), "{why}");
    }
    let parts = parts(from, &to).await;
    assert_eq!(copy(&parts, "here", &mut |_, _| {}).await.unwrap().len(), tables());
    close(&parts).await;
    assert_eq!(dumped(&to).await, expected);
}

/// Drops the copy after the first page of a table.
async fn copy_until(from: &Path, to: &[Location; 2], stop_at: &str) {
    let parts = parts(from, to).await;
    let stop = Notify::new();
    let mut progress = |table: &'static str, _| {
        if table == stop_at {
            stop.notify_one();
        }
    };
    tokio::select! {
        biased;
        () = stop.notified() => {}
        copied = copy(&parts, "here", &mut progress) => panic!("it ended before: {copied:?}"),
    }
    close(&parts).await;
}

async fn parts(from: &Path, to: &[Location; 2]) -> Vec<Part> {
    let mut parts = Vec::new();
    for ((from, to), component) in locations(from).iter().zip(to).zip(components()) {
        let from = Database::open_as_is(from).await.unwrap();
        parts.push(Part { component, from, to: open_target(to, &component).await.unwrap() });
    }
    parts
}

async fn close(parts: &[Part]) {
    for part in parts {
        part.from.close().await;
        part.to.close().await;
    }
}
