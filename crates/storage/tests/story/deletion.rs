//! Deleting a conversation.

use parlor_database::{Connections, Database, Migrations, query};
use parlor_storage::*;
use parlor_test_database::{is_postgres, location};

use crate::prompts::{waiting, yes};
use crate::scene::{Scene, scope, uuid};

/// The number of rows in each table that belongs to conversations.
async fn rows(database: &Database) -> Vec<(String, i64)> {
    let tables = if is_postgres() {
        "SELECT table_name::text AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND column_name = 'conversation_id'
         ORDER BY table_name::text COLLATE \"C\""
    } else {
        "SELECT t.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         ON c.name = 'conversation_id' WHERE t.type = 'table' ORDER BY t.name"
    };
    let mut counts = Vec::new();
    for table in query(tables).fetch_all(database).await.unwrap() {
        let name: String = table.try_get("name").unwrap();
        let count = query(format!("SELECT COUNT(*) AS count FROM {name}"));
        let count = count.fetch_one(database).await.unwrap();
        counts.push((name, count.try_get("count").unwrap()));
    }
    counts
}

/// The same database without its schema, for statements that no part of the server has.
async fn database(scene: &Scene) -> Database {
    let location = location(&scene.dir.path().join("parlor.db")).await;
    let connections = Connections { sqlite_readers: 1, postgres: 1 };
    Database::open(&location, &Migrations::none(), connections).await.unwrap()
}

/// deleting a conversation leaves no row in any table but the audit, which is append-only.
#[tokio::test]
async fn deleting_leaves_nothing_but_the_audit() {
    let scene = Scene::new().await;
    let prompt = waiting(&scene, 700).await;
    assert!(scene.store.resolve_prompt(&yes(&scene, prompt, 20)).await.unwrap());
    scene.store.flush(&[scene.delta(0, "Hi ")]).await.unwrap();
    let mut commit = scene.commit(1, 4);
    let image = StoredFile::picture(uuid(50), "image/png", vec![1, 2]);
    commit.step = Step { images: vec![image], ..Step::default() };
    scene.store.commit(&commit).await.unwrap();

    scene.store.add_share_link(&scope(), "hash", &crate::share::link(&scene, 60)).await.unwrap();

    let database = database(&scene).await;
    let before = rows(&database).await;
    let names: Vec<&str> = before.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "allowances", "decisions", "deltas", "events", "external_conversations", "history",
            "images", "messages", "prompts", "share_links", "tool_runs", "turns"
        ]
    );
    assert!(before.iter().all(|(_, count)| *count > 0), "all are filled: {before:?}");

    let id = scene.conversation;
    scene.store.delete_conversation(&scope(), id).await.unwrap();
    assert!(matches!(scene.store.conversation(&scope(), id).await, Err(StorageError::NotFound)));
    let left = rows(&database).await;
    let left: Vec<_> = left.iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(left, [&("decisions".to_owned(), 1)]);
    for change in ["DELETE FROM decisions", "UPDATE decisions SET edited = FALSE"] {
        let mut transaction = database.begin().await.unwrap();
        let refused = query(change).execute(&mut *transaction).await.unwrap_err();
        assert!(refused.to_string().contains("decisions are append-only"), "{refused}");
    }
}
