//! Deleting a conversation.

use parlor_storage::*;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Row, SqliteConnection};

use crate::prompts::{waiting, yes};
use crate::scene::{Scene, tenant, uuid};

/// The number of rows in each table that belongs to conversations.
async fn rows(database: &mut SqliteConnection) -> Vec<(String, i64)> {
    let tables = sqlx::query(
        "SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         ON c.name = 'conversation_id' WHERE t.type = 'table' ORDER BY t.name",
    );
    let mut counts = Vec::new();
    for table in tables.fetch_all(&mut *database).await.unwrap() {
        let name: String = table.get(0);
        let count = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {name}"));
        let count = sqlx::query(count).fetch_one(&mut *database).await.unwrap();
        counts.push((name, count.get(0)));
    }
    counts
}

/// deleting a conversation leaves no row in any table but the audit, which is append-only.
#[tokio::test]
async fn deleting_leaves_nothing_but_the_audit() {
    let scene = Scene::new().await;
    let prompt = waiting(&scene, 700).await;
    assert!(scene.store.resolve_prompt(&yes(&scene, prompt, 20)).await.unwrap());
    scene.store.flush(&[scene.delta(0, "Hi ")]).await.unwrap();
    let mut commit = scene.commit(1, 4);
    let image = NewImage { id: uuid(50), media_type: "image/png".into(), bytes: vec![1, 2] };
    commit.step = Step { images: vec![image], ..Step::default() };
    scene.store.commit(&commit).await.unwrap();

    let path = scene.dir.path().join("parlor.db");
    let mut database = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let before = rows(&mut database).await;
    let names: Vec<&str> = before.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "allowances", "decisions", "deltas", "events", "history", "images", "messages",
            "prompts", "tool_runs", "turns"
        ]
    );
    assert!(before.iter().all(|(_, count)| *count > 0), "all are filled: {before:?}");

    let id = scene.conversation;
    scene.store.delete_conversation(&tenant(), id).await.unwrap();
    assert!(matches!(scene.store.conversation(&tenant(), id).await, Err(StorageError::NotFound)));
    let left = rows(&mut database).await;
    let left: Vec<_> = left.iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(left, [&("decisions".to_owned(), 1)]);
    for change in ["DELETE FROM decisions", "UPDATE decisions SET edited = FALSE"] {
        let refused = sqlx::query(change).execute(&mut database).await.unwrap_err();
        assert!(refused.to_string().contains("decisions are append-only"), "{refused}");
    }
}
