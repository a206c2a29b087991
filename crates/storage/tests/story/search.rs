//! Search in what was said, and in titles.

use std::time::Instant;

use parlor_database::{Batch, Connections, Database, Migrations};
use parlor_protocol::{ConversationId, MessageId, PersonId, Timestamp, TurnId, Visibility};
use parlor_storage::*;
use parlor_test_database::location;

use crate::scene::{Scene, scope, tenant, uuid};

/// A conversation in which somebody says something.
async fn said(scene: &Scene, number: u128, person: Option<PersonId>, title: &str, text: &str) {
    let mut begin = scene.begin(TurnId::new(uuid(number * 1_000)), true, None);
    begin.conversation = ConversationId::new(uuid(number));
    begin.tenant = tenant();
    let new = begin.new.as_mut().unwrap();
    (new.person, new.title) = (person, title.to_owned());
    begin.now = Timestamp(i64::try_from(number).unwrap());
    begin.message = Some(scene.says(begin.conversation, begin.turn, number * 1_000 + 1, text));
    scene.store.begin_turn(&begin).await.unwrap();
}

/// The messages that are found, by the number of their conversation.
async fn found(store: &Store, scope: &Scope, typed: &str) -> Vec<u128> {
    let page = store.search(scope, typed, None, 20).await.unwrap();
    page.messages.iter().map(|hit| hit.conversation_id.as_uuid().as_u128()).collect()
}

/// U-8: words with and without accents, phrases, the beginning of the last word, in both languages;
/// the newest first, with the places to mark; operators are words.
#[tokio::test]
async fn words_are_found_where_they_were_said() {
    let scene = Scene::new().await;
    let store = &scene.store;
    said(&scene, 11, None, "Sopa", "Quero uma sopa de **feijão** com pão.").await;
    said(&scene, 12, None, "Soup", "A cold soup, and bread. AND words: \"x\"*").await;
    said(&scene, 13, None, "Almoço", "Pão de queijo ou sopa?").await;
    let home = scope();
    for (typed, numbers) in [
        ("sopa", vec![13, 11]),
        ("SOPA pao", vec![13, 11]),
        ("pão fei", vec![11]),
        ("\"pao de queijo\"", vec![13]),
        ("\"queijo pao\"", vec![]),
        ("\"sopa de fei", vec![11]),
        ("so", vec![13, 12, 11]),
        ("s", vec![]),
        ("soup -bread", vec![12]),
        ("AND", vec![12]),
        ("cold AND words", vec![12]),
        ("words:x", vec![12]),
        ("NEAR(cold soup)", vec![]),
        ("' OR 1=1 --", vec![]),
        ("sopa\u{0}", vec![13, 11]),
        ("*:* & | ! <-> \\ ( ", vec![]),
        ("\"", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(found(store, &home, typed).await, numbers, "{typed:?}");
    }
    let long = "sopa ".repeat(2_000);
    assert_eq!(found(store, &home, &long).await, [13, 11]);
    assert_eq!(found(store, &home, &"x".repeat(10_000)).await, [0; 0]);

    let page = store.search(&home, "feijao", None, 20).await.unwrap();
    let excerpt = page.messages[0].excerpt.get();
    assert_eq!(excerpt.text, "Quero uma sopa de feijão com pão.");
    assert_eq!(excerpt.marks, [(18, 24)]);
    assert_eq!(page.messages[0].title.get(), "Sopa");
    let page = store.search(&home, "almoco", None, 20).await.unwrap();
    assert_eq!((page.titles.len(), page.messages.len()), (1, 0));
    assert_eq!(page.titles[0].title.get().marks, [(0, 6)]);
    let other = Scope::of("other".parse().unwrap(), None);
    assert_eq!(store.search(&other, "sopa", None, 20).await.unwrap(), SearchPage::default(), "X-3");
}

/// U-8: a page goes on where the one before ended, also among messages of one moment.
#[tokio::test]
async fn pages_leave_nothing_out() {
    let scene = Scene::new().await;
    for number in 30..37 {
        said(&scene, number, None, "t", "soup for everybody").await;
    }
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = scene.store.search(&scope(), "soup", before.as_ref(), 3).await.unwrap();
        let numbers = page.messages.iter().map(|hit| hit.conversation_id.as_uuid().as_u128());
        seen.push(numbers.collect::<Vec<_>>());
        before = page.next_before;
        if before.is_none() {
            break;
        }
    }
    // All of them were said at the same time: then the order is any, and stays.
    let mut all: Vec<u128> = seen.concat();
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 1]);
    all.sort_unstable();
    assert_eq!(all, (30..37).collect::<Vec<_>>());
    let before = "0.gone".parse().unwrap();
    let page = scene.store.search(&scope(), "soup", Some(&before), 3).await.unwrap();
    assert_eq!(page, SearchPage::default(), "a cursor of a message that is gone");
}

/// Y-2: what somebody has to themselves nobody else finds, until it is shared; then nobody else's list
/// is changed by it.
#[tokio::test]
async fn nobody_finds_what_is_private() {
    let scene = Scene::new().await;
    let [ana, ben] = [801, 802].map(|n| PersonId::new(uuid(n)));
    let [of_ana, of_ben] = [ana, ben].map(|person| Scope::of(tenant(), Some(person)));
    said(&scene, 11, Some(ana), "Secret gift", "a present for Ben").await;
    let store = &scene.store;
    assert_eq!(found(store, &of_ana, "present").await, [11]);
    for who in [&of_ben, &scope()] {
        assert_eq!(store.search(who, "present", None, 5).await.unwrap(), SearchPage::default());
        assert_eq!(store.search(who, "gift", None, 5).await.unwrap(), SearchPage::default());
    }
    let id = ConversationId::new(uuid(11));
    let changes =
        ConversationChanges { visibility: Some(Visibility::Tenant), ..Default::default() };
    store.update_conversation(&of_ana, id, changes).await.unwrap();
    assert_eq!(found(store, &of_ben, "present").await, [11]);
    let changes = ConversationChanges { title: Some("Birthday"), ..Default::default() };
    store.update_conversation(&of_ana, id, changes).await.unwrap();
    assert!(store.search(&of_ana, "gift", None, 5).await.unwrap().titles.is_empty());
    assert_eq!(store.search(&of_ana, "birth", None, 5).await.unwrap().titles.len(), 1);
}

/// U-7, U-8: of a message that was edited the version of the current path is found.
#[tokio::test]
async fn the_current_version_is_found() {
    let scene = Scene::new().await;
    let store = &scene.store;
    said(&scene, 11, None, "t", "a cold soup").await;
    let id = ConversationId::new(uuid(11));
    let mut done = scene.commit(1, 3);
    (done.conversation, done.turn) = (id, TurnId::new(uuid(11_000)));
    done.step = Step { end: done.step.end, ..Step::default() };
    store.commit(&done).await.unwrap();
    let mut edit = scene.begin(TurnId::new(uuid(11_500)), false, None);
    edit.conversation = id;
    edit.follows = Follows::InPlaceOf(TurnId::new(uuid(11_000)));
    edit.message = Some(scene.says(id, edit.turn, 11_501, "a warm soup"));
    store.begin_turn(&edit).await.unwrap();
    let hits = store.search(&scope(), "soup", None, 5).await.unwrap().messages;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].message_id, MessageId::new(uuid(11_501)));
    let event = |turn_id| {
        let body = parlor_protocol::EventBody::BranchChosen { conversation_id: id, turn_id };
        parlor_guard::Clean::new(&parlor_guard::sanitizer::Sanitizer::default(), body)
    };
    let mut done = scene.commit(1, 5);
    (done.conversation, done.turn) = (id, edit.turn);
    done.step = Step { end: done.step.end, ..Step::default() };
    store.commit(&done).await.unwrap();
    let first = TurnId::new(uuid(11_000));
    store.choose_branch(&tenant(), id, first, event, Timestamp(90)).await.unwrap();
    assert_eq!(found(store, &scope(), "cold").await, [11]);
    assert_eq!(found(store, &scope(), "warm").await, [0; 0]);
}

/// U-8: what was there before the index comes into it step by step, and again after a copy.
#[tokio::test]
async fn what_was_there_before_is_indexed() {
    let scene = Scene::new().await;
    for number in 11..15 {
        said(&scene, number, None, "Lunch", "soup").await;
    }
    let database = database(&scene).await;
    let mut batch = Batch::default();
    batch.add("DELETE FROM search_entries");
    database.run(batch).await.unwrap();
    let store = &scene.store;
    assert_eq!(store.search(&scope(), "soup", None, 9).await.unwrap(), SearchPage::default());
    let mut below = None;
    while let IndexStep::Below(id) = store.index_more(below.as_deref()).await.unwrap() {
        below = Some(id);
    }
    assert_eq!(found(store, &scope(), "soup").await.len(), 4);
    assert_eq!(store.search(&scope(), "lunch", None, 9).await.unwrap().titles.len(), 4);
    store.set_indexed_before(Timestamp(1_795_000_000_000)).await.unwrap();
    assert_eq!(store.index_more(None).await.unwrap(), IndexStep::Done, "all of it is older");
}

async fn database(scene: &Scene) -> Database {
    let location = location(&scene.dir.path().join("parlor.db")).await;
    let connections = Connections { sqlite_readers: 1, postgres: 1 };
    Database::open(&location, &Migrations::none(), connections).await.unwrap()
}

/// Conversations of two people, one of whom has a fiftieth of them, with a hundred messages each.
async fn fill(database: &Database, conversations: u128, people: [PersonId; 2]) {
    let words = ["soup", "bread", "cold", "warm", "garden", "lunch", "feijão", "queijo", "rice"];
    for number in 0..conversations {
        let (mut batch, id) = (Batch::default(), uuid(number << 32).to_string());
        let person = if number.is_multiple_of(50) { people[0] } else { people[1] };
        let at = i64::try_from(number).unwrap() * 1_000;
        batch
            .add(
                "INSERT INTO conversations (id, tenant, project, title, mode, epoch, next_seq,
                 next_position, created_at, updated_at, person, visibility)
                 VALUES ($1, 'home', 'recipes', $2, 'act', 1, 1, 1, $3, $3, $4, 'private')",
            )
            .bind(&id)
            .bind(words[usize::try_from(number % 9).unwrap()])
            .bind(at)
            .bind(person.to_string());
        let into = "INSERT INTO messages (id, conversation_id, turn_id, seq, role, message_type,
             content, metadata, created_at)";
        batch.insert(into, 0..100_u128, |batch, each| {
            let pick = |by: u128| words[usize::try_from((number * 100 + each) * by % 9).unwrap()];
            let rare = if (number, each) == (500, 50) { "marmalade" } else { "" };
            let rest = "some more words that are in every message of this test ".repeat(4);
            let text = format!("the {} of {each} with {} and {rare} {rest}", pick(7), pick(5));
            batch.bind(uuid((number << 32) + each + 1).to_string()).bind(&id).bind(&id);
            batch.bind(i64::try_from(each).unwrap()).bind("user").bind("text").bind(text);
            batch.bind("{}").bind(at + i64::try_from(each).unwrap());
        });
        database.run(batch).await.unwrap();
    }
}

/// U-8: the cost of a page does not grow with what is stored. Run by hand, for the figures:
/// `cargo test -p parlor-storage --test story -- --ignored --nocapture hundred_thousand`.
#[tokio::test]
#[ignore = "it takes a minute, and is about time"]
async fn a_hundred_thousand_messages() {
    for conversations in [100, 1_000] {
        let scene = Scene::new().await;
        let store = &scene.store;
        let people = [801, 802].map(|n| PersonId::new(uuid(n)));
        fill(&database(&scene).await, conversations, people).await;
        let (begun, mut below) = (Instant::now(), None);
        while let IndexStep::Below(id) = store.index_more(below.as_deref()).await.unwrap() {
            below = Some(id);
        }
        println!("{conversations}00 messages, indexed in {:?}", begun.elapsed());
        for (who, person) in [("a fiftieth", people[0]), ("the rest", people[1])] {
            let scope = Scope::of(tenant(), Some(person));
            for typed in
                ["the", "th", "soup", "soup warm", "\"some more words\"", "marmalade", "nowhere"]
            {
                let mut times = Vec::new();
                for _ in 0..20 {
                    let begun = Instant::now();
                    store.search(&scope, typed, None, 20).await.unwrap();
                    times.push(begun.elapsed());
                }
                times.sort_unstable();
                println!("  {who}, {typed:?}: {:?}, at most {:?}", times[10], times[19]);
            }
        }
    }
}
