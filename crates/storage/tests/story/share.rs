//! Links to share: what they show, and when they are in force.

use parlor_protocol::{EventId, LinkAudience, ShareLinkId, Timestamp};
use parlor_storage::*;

use crate::scene::{Scene, scope, tenant, uuid};

pub(crate) fn link(scene: &Scene, number: u128) -> NewShareLink {
    NewShareLink {
        id: ShareLinkId::new(uuid(number)),
        conversation: scene.conversation,
        person: None,
        name: "script".into(),
        audience: LinkAudience::Anyone,
        follows: false,
        results: false,
        created_at: Timestamp(10),
        expires_at: None,
    }
}

async fn in_force(store: &Store, hash: &str, now: i64) -> bool {
    store.share_link(hash, Timestamp(now)).await.unwrap().is_some()
}

async fn shown(store: &Store, hash: &str) -> (Vec<String>, EventId) {
    let link = store.share_link(hash, Timestamp(11)).await.unwrap().unwrap();
    let view = store.shared_view(&link).await.unwrap();
    let texts = view.messages.iter().map(|message| message.get().content.clone()).collect();
    (texts, view.cursor)
}

/// Y-2: a link shows what is stored when it is made, also while an answer streams; one that follows shows
/// what comes too. Neither names the conversation.
#[tokio::test]
async fn a_link_shows_what_was_there() {
    let scene = Scene::new().await;
    let store = &scene.store;
    store.begin_turn(&scene.begin(scene.turn, true, Some("m1"))).await.unwrap();
    store.flush(&[scene.delta(0, "Hi ")]).await.unwrap();
    store.add_share_link(&scope(), "then", &link(&scene, 50)).await.unwrap();
    let follows = NewShareLink { follows: true, ..link(&scene, 51) };
    store.add_share_link(&scope(), "live", &follows).await.unwrap();
    store.commit(&scene.commit(1, 4)).await.unwrap();
    let then = shown(store, "then").await;
    assert_eq!(then, (vec!["hello".to_owned()], EventId::durable(2)));
    let (texts, cursor) = shown(store, "live").await;
    assert_eq!((texts.len(), cursor), (2, EventId::durable(5)));
    let found = store.share_link("then", Timestamp(11)).await.unwrap().unwrap();
    let view = serde_json::to_string(&store.shared_view(&found).await.unwrap()).unwrap();
    assert!(!view.contains(&scene.conversation.to_string()), "{view}");
}

/// Y-2: a link is in force until it expires, is taken back, or its maker is shut out; the hash alone finds
/// it, and what another tenant or somebody else sees decides who lists it and takes it back.
#[tokio::test]
async fn a_link_is_in_force_until_it_ends() {
    let scene = Scene::new().await;
    let store = &scene.store;
    store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let other = Scope::of("other".parse().unwrap(), None);
    let unseen = store.add_share_link(&other, "unseen", &link(&scene, 49)).await;
    assert!(matches!(unseen, Err(StorageError::NotFound)));
    let person = crate::people::joined(store, 60, "Ana").await;
    let short = NewShareLink { expires_at: Some(Timestamp(20)), ..link(&scene, 50) };
    let hers = NewShareLink { person: Some(person), name: "Ana".into(), ..link(&scene, 51) };
    for (hash, new) in [("short", &short), ("hers", &hers), ("long", &link(&scene, 52))] {
        store.add_share_link(&scope(), hash, new).await.unwrap();
    }
    assert!(in_force(store, "short", 19).await && !in_force(store, "short", 20).await);
    assert!(!in_force(store, "unknown", 11).await);
    for at in [12, 15] {
        store.share_link_opened(hers.id, Timestamp(at)).await.unwrap();
    }
    let listed = store.share_links(&scope(), scene.conversation, Timestamp(20)).await.unwrap();
    let facts: Vec<_> = listed.iter().map(|link| (&*link.made_by, link.opened)).collect();
    assert_eq!(facts, [("script", 0), ("Ana", 2)], "the newest first, and none that expired");
    assert_eq!(listed[1].last_opened_at, Some(Timestamp(15)));
    let elsewhere = store.share_links(&other, scene.conversation, Timestamp(11)).await.unwrap();
    assert!(elsewhere.is_empty());

    store.people().set_disabled(&tenant(), person, true, Timestamp(30)).await.unwrap();
    assert!(!in_force(store, "hers", 31).await, "she is shut out");
    store.people().set_disabled(&tenant(), person, false, Timestamp(31)).await.unwrap();
    assert!(in_force(store, "hers", 31).await);
    let (id, of) = (link(&scene, 52).id, scene.conversation);
    let foreign = store.delete_share_link(&other, of, id).await;
    assert!(matches!(foreign, Err(StorageError::NotFound)));
    store.delete_share_link(&scope(), of, id).await.unwrap();
    assert!(!in_force(store, "long", 11).await);
    store.delete_conversation(&scope(), of).await.unwrap();
    assert!(!in_force(store, "hers", 31).await);
}
