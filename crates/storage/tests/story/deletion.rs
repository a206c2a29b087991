//! Deleting a conversation.

use parlor_database::{Batch, Connections, Database, Migrations, query};
use parlor_protocol::{ConversationId, PersonId, Timestamp, TurnId};
use parlor_storage::*;
use parlor_test_database::{is_postgres, location};

use crate::prompts::{waiting, yes};
use crate::scene::{ABANDONED, Scene, boot, scope, tenant, uuid};

/// The number of rows in each table that belongs to conversations.
async fn rows(database: &Database) -> Vec<(String, i64)> {
    let tables = if is_postgres() {
        "SELECT c.table_name::text AS name FROM information_schema.columns c
         JOIN information_schema.tables t ON t.table_schema = c.table_schema
         AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
         WHERE c.table_schema = 'public' AND c.column_name = 'conversation_id'
         ORDER BY c.table_name::text COLLATE \"C\""
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

/// What browsers and other systems are still to be told of a conversation.
async fn queue(database: &Database, conversation: ConversationId) {
    let mut batch = Batch::default();
    batch
        .add(
            "INSERT INTO push_messages (session, subject, kind, conversation_id, at, due_at)
             VALUES ('session', 'prompt', 'prompt', $1, 1, 1)",
        )
        .bind(conversation.to_string());
    batch
        .add(
            "INSERT INTO webhook_messages
             (tenant, webhook, subject, event, project, conversation_id, at, due_at)
             VALUES ('home', 'hook', 'prompt', 'opened', 'recipes', $1, 1, 1)",
        )
        .bind(conversation.to_string());
    database.run(batch).await.unwrap();
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
    let pinned = PlaceChange { pinned: Some(true), archived: None };
    scene.store.place(&scope(), scene.conversation, pinned, Timestamp(20)).await.unwrap();

    scene.store.add_share_link(&scope(), "hash", &crate::share::link(&scene, 60)).await.unwrap();

    let database = database(&scene).await;
    queue(&database, scene.conversation).await;
    let before = rows(&database).await;
    let names: Vec<&str> = before.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "allowances", "decisions", "deltas", "events", "external_conversations", "history",
            "images", "list_places", "messages", "prompts", "push_messages", "search_entries",
            "share_links", "tool_runs", "turns", "webhook_messages"
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

/// U-8: a conversation that was hidden is in no list and cannot be read, answered or gone on with;
/// undone, it is there again. Its turn may still end, for the server sees it.
#[tokio::test]
async fn a_hidden_conversation_is_gone_until_it_is_restored() {
    let scene = Scene::new().await;
    let (store, id) = (&scene.store, scene.conversation);
    let prompt = waiting(&scene, 700).await;
    let other = Scope::of("other".parse().unwrap(), None);
    assert!(matches!(
        store.hide_conversation(&other, id, Timestamp(50)).await,
        Err(StorageError::NotFound)
    ));
    store.hide_conversation(&scope(), id, Timestamp(50)).await.unwrap();
    let again = store.hide_conversation(&scope(), id, Timestamp(51)).await;
    assert!(matches!(again, Err(StorageError::NotFound)), "it is gone already");
    assert!(matches!(store.conversation(&scope(), id).await, Err(StorageError::NotFound)));
    let admin = scope().reading_all();
    assert!(matches!(store.conversation(&admin, id).await, Err(StorageError::NotFound)));
    assert!(matches!(store.prompt(&scope(), prompt).await, Err(StorageError::NotFound)));
    assert!(store.prompts(&scope(), None, None, 10).await.unwrap().prompts.is_empty());
    assert!(store.waiting_prompts(&admin, None, 10).await.unwrap().prompts.is_empty());
    assert!(store.log_ends(&[id]).await.unwrap().is_empty(), "its readers end on all nodes");
    let next = scene.begin(TurnId::new(uuid(80)), false, None);
    assert!(matches!(store.begin_turn(&next).await, Err(StorageError::NotFound)));
    for list in [ConversationList::Current, ConversationList::Archived, ConversationList::All] {
        let filter = ConversationFilter { list, ..Default::default() };
        let page = store.conversations(&scope(), filter, None, 10).await.unwrap();
        assert!(page.conversations.is_empty(), "{list:?}");
    }
    assert!(store.search(&scope(), "hello", None, 10).await.unwrap().messages.is_empty());

    // Whoever has its turn ends it, also after a crash.
    let [Wanted::Stop(stopped)] = store.wanted(boot(1)).await.unwrap()[..] else {
        panic!("its turn has to stop")
    };
    assert_eq!(stopped, id);
    let [taken] = &store.take_over(boot(2), ABANDONED).await.unwrap()[..] else {
        panic!("its turn is taken over")
    };
    assert!(taken.is_stopped);
    let server = Scope::of_server(tenant());
    assert!(store.prompt(&server, prompt).await.is_ok());

    let hidden = ConversationFilter { list: ConversationList::Deleted, ..Default::default() };
    let page = store.conversations(&scope(), hidden, None, 10).await.unwrap();
    assert_eq!(page.conversations[0].deleted_at, Some(Timestamp(50)));
    let page = store.conversations(&other, hidden, None, 10).await.unwrap();
    assert!(page.conversations.is_empty(), "X-3");
    let restored = store.restore_conversation(&other, id).await;
    assert!(matches!(restored, Err(StorageError::NotFound)), "X-3");
    store.restore_conversation(&scope(), id).await.unwrap();
    assert_eq!(store.conversation(&scope(), id).await.unwrap().deleted_at, None);
    assert_eq!(store.search(&scope(), "hello", None, 10).await.unwrap().messages.len(), 1);
    let again = store.restore_conversation(&scope(), id).await;
    assert!(matches!(again, Err(StorageError::NotFound)), "it was not deleted");
}

/// U-8, Y-2: what a person deleted is in their list alone, and only they undo it; what is old enough is
/// found for deletion, and can be deleted for good before.
#[tokio::test]
async fn what_a_person_deleted_is_theirs_to_restore() {
    let scene = Scene::new().await;
    let (store, id) = (&scene.store, scene.conversation);
    let [ana, ben] = [801, 802].map(|n| PersonId::new(uuid(n)));
    let [of_ana, of_ben] = [ana, ben].map(|person| Scope::of(tenant(), Some(person)));
    let mut begin = scene.begin(scene.turn, true, Some("m1"));
    begin.new.as_mut().unwrap().person = Some(ana);
    store.begin_turn(&begin).await.unwrap();
    store.hide_conversation(&of_ana, id, Timestamp(50)).await.unwrap();

    let hidden = ConversationFilter { list: ConversationList::Deleted, ..Default::default() };
    for (who, seen) in [(&of_ana, 1), (&of_ben, 0), (&scope(), 0)] {
        let page = store.conversations(who, hidden, None, 10).await.unwrap();
        assert_eq!(page.conversations.len(), seen);
        if seen == 0 {
            let restored = store.restore_conversation(who, id).await;
            assert!(matches!(restored, Err(StorageError::NotFound)));
            let deleted = store.delete_conversation(who, id).await;
            assert!(matches!(deleted, Err(StorageError::NotFound)));
        }
    }
    // The same message, sent once more, is a conversation of its own.
    let client_id = "m1".parse().unwrap();
    let turn = store.turn_by_client_message(&of_ana, "session-1", &client_id).await.unwrap();
    assert_eq!(turn, None);

    assert!(store.hidden_before(Timestamp(50), 10).await.unwrap().is_empty());
    assert_eq!(store.hidden_before(Timestamp(51), 10).await.unwrap(), [(tenant(), id)]);
    let deleted = store.delete_hidden(&tenant(), id, Timestamp(50)).await;
    assert!(matches!(deleted, Err(StorageError::NotFound)), "it is not old enough");
    store.delete_conversation(&of_ana, id).await.unwrap();
    assert!(store.hidden_before(Timestamp(51), 10).await.unwrap().is_empty());
}
