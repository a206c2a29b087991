//! One database story: a conversation from its first message through a crash, and the tables around
//! it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod blocked_inputs;
mod deletion;
mod flow;
mod mcp_logins;
mod nodes;
mod people;
mod person_logins;
mod places;
mod prompts;
mod push;
mod scene;
mod search;
mod share;

use parlor_protocol::{ConversationId, EventId, MessageId, Mode, Timestamp, TurnId};
use parlor_storage::*;
use scene::{ABANDONED, PAGE, Scene, boot, scope, tenant, uuid};

/// H-5, K-1: a turn from the first message to `done`, read back from any event id.
#[tokio::test]
async fn a_turn_is_numbered_and_read_back_from_any_event_id() {
    let scene = Scene::new().await;
    let begun = scene.store.begin_turn(&scene.begin(scene.turn, true, Some("m1"))).await.unwrap();
    assert_eq!((begun.epoch, begun.next_seq), (1, 3));
    assert_eq!(begun.events.iter().map(|e| e.id.seq).collect::<Vec<_>>(), [1, 2]);

    scene.store.flush(&[scene.delta(0, "Hi "), scene.delta(1, "there")]).await.unwrap();
    let view = scene.store.conversation_view(&scope(), scene.conversation).await.unwrap();
    assert!(view.conversation.running);
    assert_eq!(view.cursor, EventId::durable(2), "streaming text comes after the cursor");
    let inside = EventId::delta(3, 1);
    let [LogEntry::TextBlock { text, .. }] =
        &scene.store.log_after(scene.conversation, inside, PAGE).await.unwrap()[..]
    else {
        panic!("an id inside a text block gives the block")
    };
    assert_eq!(text.get(), "Hi there");

    scene.store.commit(&scene.commit(1, 4)).await.unwrap();
    assert_eq!(scene.seqs_after(EventId::durable(0)).await, [1, 2, 3, 4, 5]);
    assert_eq!(scene.seqs_after(EventId::durable(3)).await, [4, 5]);
    assert_eq!(scene.seqs_after(EventId::delta(3, 2)).await, [3, 4, 5]);
    let view = scene.store.conversation_view(&scope(), scene.conversation).await.unwrap();
    assert_eq!((view.messages.len(), view.cursor), (2, EventId::durable(5)));
    assert_eq!(scene.store.history(Path::line(scene.conversation)).await.unwrap().len(), 2);
    let (home, client_id) = (scope(), "m1".parse().unwrap());
    let turn = scene.store.turn_by_client_message(&home, "session-1", &client_id).await.unwrap();
    assert_eq!(turn.unwrap().status, TurnStatus::Complete);
    for named in [scene.answer, MessageId::new(uuid(3))] {
        let asked = scene.store.message_that_began(&home, scene.conversation, named).await.unwrap();
        assert_eq!(asked.get().content, "hello");
    }
    for (tenant, named) in [("home", 77), ("other", 3)] {
        let id = MessageId::new(uuid(named));
        let seen = Scope::of(tenant.parse().unwrap(), None);
        let asked = scene.store.message_that_began(&seen, scene.conversation, id).await;
        assert!(matches!(asked, Err(StorageError::NotFound)), "{tenant} {named}");
    }
}

/// H-1: one turn at a time; a client's message id is used once.
#[tokio::test]
async fn the_database_keeps_a_second_turn_out() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, Some("m1"))).await.unwrap();
    let second = scene.begin(TurnId::new(uuid(20)), false, Some("m2"));
    assert!(matches!(scene.store.begin_turn(&second).await, Err(StorageError::TurnRunning)));
    let mut commit = scene.commit(1, 3);
    commit.step.closes_block = None;
    scene.store.commit(&commit).await.unwrap();
    let begun = scene.store.begin_turn(&second).await.unwrap();
    assert_eq!(begun.events[0].id.seq, 5, "numbers are never used twice, and none is left out");
}

/// FAULTS 1: after a crash the turn is taken over, numbers continue above every number
/// that was shown, and the old owner cannot write any more.
#[tokio::test]
async fn a_boot_takes_over_what_ran() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    scene.store.flush(&[scene.delta(0, "Hi ")]).await.unwrap();

    let reopened = scene.reopen().await;
    let [taken] = &reopened.take_over(boot(2), ABANDONED).await.unwrap()[..] else {
        panic!("one turn ran")
    };
    assert_eq!((taken.epoch, taken.next_seq), (2, 4));
    let block = taken.block.as_ref().unwrap();
    assert_eq!((block.seq, block.raw.as_str(), block.clean.get().as_str()), (3, "Hi ", "Hi "));

    assert!(matches!(scene.store.commit(&scene.commit(1, 4)).await, Err(StorageError::TakenOver)));
    let mut commit = scene.commit(2, 4);
    let status = TurnStatus::Interrupted;
    commit.step.end = Some(TurnOutcome { status, tokens_used: None, cost_micros: None });
    reopened.commit(&commit).await.unwrap();
    assert!(
        reopened.take_over(boot(2), ABANDONED).await.unwrap().is_empty(),
        "nothing runs any more"
    );
}

/// B-1: turns, tokens and costs are counted by project and hour, for their tenant.
#[tokio::test]
async fn activity_is_counted() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let mut commit = scene.commit(1, 4);
    commit.step.closes_block = None;
    scene.store.commit(&commit).await.unwrap();
    let [hour] = &scene.store.activity(&tenant(), Timestamp(0)).await.unwrap()[..] else {
        panic!("one hour of one project")
    };
    assert_eq!((hour.hour, hour.turns, hour.tokens, hour.cost_micros), (Timestamp(0), 1, 7, 1_500));
    assert!(scene.store.activity(&tenant(), Timestamp(i64::MAX)).await.unwrap().is_empty());
    let other = "other".parse().unwrap();
    assert!(scene.store.activity(&other, Timestamp(0)).await.unwrap().is_empty(), "X-3");
}

/// nothing of another tenant can be found, changed or deleted.
#[tokio::test]
async fn tenants_are_apart() {
    let scene = Scene::new().await;
    let mut begin = scene.begin(scene.turn, true, None);
    let picture = StoredFile::picture(uuid(50), "image/png", vec![1, 2]);
    begin.files = vec![picture];
    scene.store.begin_turn(&begin).await.unwrap();
    let other = Scope::of("other".parse().unwrap(), None);
    let id = scene.conversation;
    assert!(matches!(scene.store.conversation(&other, id).await, Err(StorageError::NotFound)));
    assert!(matches!(scene.store.conversation_view(&other, id).await, Err(StorageError::NotFound)));
    assert!(matches!(scene.store.file(&other, uuid(50)).await, Err(StorageError::NotFound)));
    assert!(matches!(
        scene.store.delete_conversation(&other, id).await,
        Err(StorageError::NotFound)
    ));
    let renamed = scene.store.update_conversation(&other, id, Default::default()).await;
    assert!(matches!(renamed, Err(StorageError::NotFound)));

    assert_eq!(scene.store.file(&scope(), uuid(50)).await.unwrap().bytes, [1, 2]);
    let mine = scene.store.conversation(&scope(), id).await.unwrap();
    assert_eq!(mine.title.get(), "hello");
}

/// Lists page without gaps or repeats, and search takes a person's text literally.
#[tokio::test]
async fn lists_page_and_search() {
    let scene = Scene::new().await;
    for n in 0..7_u128 {
        let mut begin = scene.begin(TurnId::new(uuid(1_000 + 10 * n)), true, None);
        begin.conversation = ConversationId::new(uuid(100 + n));
        begin.new.as_mut().unwrap().title = format!("Soup {n} 100%");
        begin.now = Timestamp(5);
        scene.store.begin_turn(&begin).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let soup = ConversationFilter { text: Some("soup"), ..Default::default() };
        let page = scene.store.conversations(&scope(), soup, before.as_ref(), 3).await.unwrap();
        seen.extend(page.conversations.iter().map(|c| c.id));
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    let newest_first: Vec<_> = (0..7).rev().map(|n| ConversationId::new(uuid(100 + n))).collect();
    assert_eq!(seen, newest_first, "all have one millisecond, so their ids decide");
    for (query, found) in [("3 100%", 1), ("%", 7), ("_", 0), ("!", 0), ("sOuP 6", 1)] {
        let filter = ConversationFilter { text: Some(query), ..Default::default() };
        let page = scene.store.conversations(&scope(), filter, None, 50).await.unwrap();
        assert_eq!(page.conversations.len(), found, "{query}");
    }
}

/// B-5: a conversation can begin without a message. It is listed from its first one on, by
/// project and folder; one that stays unused is removed when another begins.
#[tokio::test]
async fn a_conversation_can_begin_without_a_message() {
    let scene = Scene::new().await;
    let (store, tenant) = (&scene.store, tenant());
    let new = |folder: &str| NewConversation {
        project: "recipes".parse().unwrap(),
        title: String::new(),
        mode: Mode::Plan,
        folder: Some(folder.into()),
        person: None,
    };
    let create = async |id: u128, folder: &str, now: i64| {
        let id = ConversationId::new(uuid(id));
        store.create_conversation(&tenant, id, &new(folder), Timestamp(now)).await.unwrap();
    };
    let listed = async |project: Option<&str>, folder: Option<&str>| {
        let project = project.map(|project| project.parse().unwrap());
        let filter = ConversationFilter { project: project.as_ref(), folder, ..Default::default() };
        let page = store.conversations(&scope(), filter, None, 50).await.unwrap();
        page.conversations.into_iter().map(|found| found.id).collect::<Vec<_>>()
    };
    create(900, "/work/a", 1).await;
    assert_eq!(
        store.conversation_view(&scope(), ConversationId::new(uuid(900))).await.unwrap().cursor,
        EventId::durable(0)
    );
    create(901, "/work/b", 2).await;
    assert!(listed(None, None).await.is_empty());
    let mut begin = scene.begin(TurnId::new(uuid(1_000)), false, None);
    begin.conversation = ConversationId::new(uuid(901));
    begin.title = Some("Soup".into());
    let begun = store.begin_turn(&begin).await.unwrap();
    assert_eq!((begun.epoch, begun.events[0].id), (1, EventId::durable(1)));
    let found = store.conversation(&scope(), begin.conversation).await.unwrap();
    assert_eq!((found.title.get().as_str(), found.mode), ("Soup", Mode::Plan));
    let used = vec![begin.conversation];
    assert_eq!(listed(None, None).await, used);
    assert_eq!(listed(Some("recipes"), Some("/work/b")).await, used);
    assert!(listed(Some("sauces"), None).await.is_empty());
    assert!(listed(None, Some("/work/a")).await.is_empty());
    create(902, "/work/c", 3 + 30 * 86_400_000).await;
    let gone = store.conversation(&scope(), ConversationId::new(uuid(900))).await;
    assert!(matches!(gone, Err(StorageError::NotFound)), "{gone:?}");
    assert_eq!(listed(None, None).await, used, "one with a message stays");
}

/// tokens and passwords; a new password ends the sessions of the old one.
#[tokio::test]
async fn credentials_are_stored_and_revoked() {
    let scene = Scene::new().await;
    let access = scene.store.access();
    let token = NewToken {
        id: "t1".into(),
        hash: "abc".into(),
        kind: TokenKind::Session,
        tenant: tenant(),
        role: AccessRole::User,
        name: "browser".into(),
        person: None,
        device: None,
        created_at: Timestamp(1),
        expires_at: Some(Timestamp(100)),
    };
    access.add_token(&token).await.unwrap();
    access.touch_token("t1", Timestamp(2), Some(Timestamp(200))).await.unwrap();
    let read = access.token_by_hash("abc").await.unwrap().unwrap();
    assert_eq!((read.last_used_at, read.expires_at), (Timestamp(2), Some(Timestamp(200))));
    access.set_password(&tenant(), AccessRole::User, "argon", Timestamp(3)).await.unwrap();
    assert!(access.token_by_hash("abc").await.unwrap().unwrap().revoked_at.is_some());
    let hash = access.password_hash(&tenant(), AccessRole::User).await.unwrap();
    assert_eq!(hash.as_deref(), Some("argon"));
    assert_eq!(access.password_hash(&tenant(), AccessRole::Admin).await.unwrap(), None);
    let again = access.revoke_token(&tenant(), "t1", Timestamp(4)).await;
    assert!(matches!(again, Err(StorageError::NotFound)));
}

/// E-2: many tokens are read at once; an unknown hash has none.
#[tokio::test]
async fn tokens_are_read_in_batches() {
    let scene = Scene::new().await;
    let access = scene.store.access();
    let hash = |n: usize| format!("hash-{n}");
    for n in 0..60 {
        let token = NewToken {
            id: n.to_string(),
            hash: hash(n),
            kind: TokenKind::Key,
            tenant: tenant(),
            role: AccessRole::User,
            name: "script".into(),
            person: None,
            device: None,
            created_at: Timestamp(1),
            expires_at: None,
        };
        access.add_token(&token).await.unwrap();
    }
    for asked in [0, 1, 4, 5, 50, 51, 501] {
        let hashes: Vec<String> = (0..asked).map(hash).collect();
        let found = access.tokens_by_hash(&hashes).await.unwrap();
        assert_eq!(found.len(), asked.min(60), "{asked}");
        assert!(found.iter().all(|(hash, token)| *hash == format!("hash-{}", token.id)));
    }
}

/// E-2, FAULTS 29: running turns are counted by tenant and project, on whatever node.
#[tokio::test]
async fn running_turns_are_counted() {
    let scene = Scene::new().await;
    for (n, project) in [(0_u128, "recipes"), (1, "recipes"), (2, "sauces")] {
        let mut begin = scene.begin(TurnId::new(uuid(1_000 + 10 * n)), true, None);
        begin.conversation = ConversationId::new(uuid(100 + n));
        begin.new.as_mut().unwrap().project = project.parse().unwrap();
        scene.store.begin_turn(&begin).await.unwrap();
    }
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let running = async |tenant: &str, project: &str| {
        let (tenant, project) = (tenant.parse().unwrap(), project.parse().unwrap());
        let running = scene.store.running_turns(&tenant, &project).await.unwrap();
        (running.of_tenant, running.of_project)
    };
    assert_eq!(running("home", "recipes").await, (4, 3));
    assert_eq!(running("home", "sauces").await, (4, 1));
    assert_eq!(running("home", "soups").await, (4, 0));
    assert_eq!(running("other", "recipes").await, (0, 0));
    let mut commit = scene.commit(1, 4);
    commit.step.closes_block = None;
    scene.store.commit(&commit).await.unwrap();
    assert_eq!(running("home", "recipes").await, (3, 2), "one has ended");
}

/// FAULTS 6: a file that is not a database, and a missing folder, are reported.
#[tokio::test]
async fn an_unusable_database_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("not-a-database.db");
    std::fs::write(
        &path,
        "this is a letter, not a database, and it is long enough to tell".repeat(50),
    )
    .unwrap();
    let error = Store::open(&path).await.unwrap_err().to_string();
    assert!(error.contains("not-a-database.db"), "{error}");
    let missing = Store::open(&dir.path().join("no/such/dir/parlor.db")).await.unwrap_err();
    assert!(matches!(missing, StorageError::Open(_)), "{missing}");
    assert!(missing.to_string().contains("no/such/dir/parlor.db"), "{missing}");
}

/// FAULTS 8: a page is limited in bytes; a larger entry comes without its content, and is read
/// separately.
#[tokio::test]
async fn a_page_is_bounded_in_bytes() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, Some("m1"))).await.unwrap();
    scene.store.flush(&[scene.delta(0, "Hi "), scene.delta(1, "there")]).await.unwrap();
    let page = async |after, bytes| {
        let page = PageSize { entries: 100, bytes };
        scene.store.log_after(scene.conversation, after, page).await.unwrap()
    };
    let (block, started) = (EventId::durable(2), EventId::durable(0));
    let large = page(block, 7).await;
    let [LogEntry::LargeTextBlock { seq: 3, length: 8, kind: BlockKind::Text, .. }] = large[..]
    else {
        panic!("{large:?}")
    };
    assert!(matches!(page(block, 8).await[..], [LogEntry::TextBlock { .. }]));

    scene.store.commit(&scene.commit(1, 4)).await.unwrap();
    let all = page(started, 1 << 20).await;
    assert_eq!(all.len(), 5);
    let mut read = Vec::new();
    let mut after = started;
    while let Some(next) = page(after, 1).await.first() {
        after = EventId::durable(next.seq());
        read.extend(scene.store.log_entry(scene.conversation, next.seq()).await.unwrap());
        assert!(matches!(next, LogEntry::LargeEvent { .. } | LogEntry::LargeTextBlock { .. }));
    }
    assert_eq!(read, all, "read one by one it is the same");
    let message = page(EventId::durable(3), 1).await;
    let [LogEntry::LargeEvent { seq: 4, message: Some((id, ..)) }] = &message[..] else {
        panic!("{message:?}")
    };
    assert_eq!(*id, scene.answer);
    assert_eq!(scene.store.log_entry(scene.conversation, 99).await.unwrap(), None);
}
