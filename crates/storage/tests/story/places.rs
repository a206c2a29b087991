//! Where somebody has a conversation in their list.

use parlor_protocol::{ConversationId, PersonId, Timestamp, TurnId, Visibility};
use parlor_storage::*;
use uuid::Uuid;

use crate::scene::{Scene, scope, tenant, uuid};

fn ids(page: &ConversationPage) -> Vec<u128> {
    page.conversations.iter().map(|one| one.id.as_uuid().as_u128()).collect()
}

fn list(list: ConversationList) -> ConversationFilter<'static> {
    ConversationFilter { list, ..Default::default() }
}

fn change(pinned: impl Into<Option<bool>>, archived: impl Into<Option<bool>>) -> PlaceChange {
    PlaceChange { pinned: pinned.into(), archived: archived.into() }
}

/// Conversations of somebody, the first the oldest.
async fn conversations(scene: &Scene, numbers: &[u128], person: Option<PersonId>) {
    for number in numbers {
        let mut begin = scene.begin(TurnId::new(uuid(number * 1_000)), true, None);
        begin.conversation = ConversationId::new(uuid(*number));
        begin.new.as_mut().unwrap().person = person;
        begin.now = Timestamp(i64::try_from(*number).unwrap());
        begin.message =
            Some(scene.says(begin.conversation, begin.turn, number * 1_000 + 1, "hello"));
        scene.store.begin_turn(&begin).await.unwrap();
    }
}

/// U-8: pinned ones come first on the first page and on no other; archived ones have a list of their
/// own; each page goes on where the one before ended.
#[tokio::test]
async fn pinned_ones_come_first_and_archived_ones_elsewhere() {
    let scene = Scene::new().await;
    let store = &scene.store;
    conversations(&scene, &[11, 12, 13, 14, 15], None).await;
    let id = |number| ConversationId::new(uuid(number));
    for (number, place) in [
        (11, change(true, None)),
        (13, change(true, None)),
        (14, change(None, true)),
        (12, change(true, true)),
    ] {
        let at = Timestamp(100 + i64::try_from(number).unwrap());
        store.place(&scope(), id(number), place, at).await.unwrap();
    }
    let first = store.conversations(&scope(), list(ConversationList::Current), None, 1).await;
    let first = first.unwrap();
    assert_eq!(ids(&first), [13, 11, 15]);
    assert_eq!(first.next_before, None);
    assert!(first.conversations[0].pinned && !first.conversations[2].pinned);
    let archived = list(ConversationList::Archived);
    let page = store.conversations(&scope(), archived, None, 1).await.unwrap();
    assert_eq!(ids(&page), [14]);
    let page = store.conversations(&scope(), archived, page.next_before.as_ref(), 1).await.unwrap();
    assert_eq!((ids(&page), page.conversations[0].archived), (vec![12], true));
    let page = store.conversations(&scope(), list(ConversationList::All), None, 10).await.unwrap();
    assert_eq!(ids(&page), [15, 14, 13, 12, 11]);

    store.place(&scope(), id(13), change(false, None), Timestamp(300)).await.unwrap();
    store.place(&scope(), id(12), change(None, false), Timestamp(300)).await.unwrap();
    store.place(&scope(), id(14), change(None, false), Timestamp(300)).await.unwrap();
    let current = list(ConversationList::Current);
    let page = store.conversations(&scope(), current, None, 2).await.unwrap();
    assert_eq!(ids(&page), [12, 11, 15, 14]);
    let page = store.conversations(&scope(), current, page.next_before.as_ref(), 2).await.unwrap();
    assert_eq!(ids(&page), [13], "no pinned one again");

    let other = Scope::of("other".parse().unwrap(), None);
    let placed = store.place(&other, id(11), change(true, None), Timestamp(1)).await;
    assert!(matches!(placed, Err(StorageError::NotFound)), "X-3");
}

/// Y-2: of a conversation that is shared everybody has their own place in their own list.
#[tokio::test]
async fn everybody_has_a_list_of_their_own() {
    let scene = Scene::new().await;
    let store = &scene.store;
    let [ana, ben] = [801, 802].map(|n| PersonId::new(uuid(n)));
    let [of_ana, of_ben] = [ana, ben].map(|person| Scope::of(tenant(), Some(person)));
    conversations(&scene, &[11], Some(ana)).await;
    let id = ConversationId::new(uuid(11));
    let placed = store.place(&of_ben, id, change(true, None), Timestamp(1)).await;
    assert!(matches!(placed, Err(StorageError::NotFound)), "it is private");
    let changes =
        ConversationChanges { visibility: Some(Visibility::Tenant), ..Default::default() };
    store.update_conversation(&of_ana, id, changes).await.unwrap();
    store.place(&of_ben, id, change(None, true), Timestamp(1)).await.unwrap();
    store.place(&of_ana, id, change(true, None), Timestamp(1)).await.unwrap();
    for (who, pinned, archived) in
        [(&of_ana, true, false), (&of_ben, false, true), (&scope(), false, false)]
    {
        let seen = store.conversation(who, id).await.unwrap();
        assert_eq!((seen.pinned, seen.archived), (pinned, archived));
    }
}

/// U-8: there is room for so many on top, and one that is pinned already needs no more.
#[tokio::test]
async fn the_top_has_an_end() {
    let scene = Scene::new().await;
    let most = u128::from(MOST_PINNED);
    let numbers: Vec<u128> = (2_000..=2_000 + most).collect();
    conversations(&scene, &numbers, None).await;
    for number in &numbers[..numbers.len() - 1] {
        let id = ConversationId::new(Uuid::from_u128(*number));
        scene.store.place(&scope(), id, change(true, None), Timestamp(1)).await.unwrap();
    }
    let [first, last] =
        [numbers[0], numbers[numbers.len() - 1]].map(|n| ConversationId::new(uuid(n)));
    scene.store.place(&scope(), first, change(true, None), Timestamp(2)).await.unwrap();
    let full = scene.store.place(&scope(), last, change(true, None), Timestamp(2)).await;
    assert!(matches!(full, Err(StorageError::TooManyPinned)), "{full:?}");
    scene.store.place(&scope(), first, change(false, None), Timestamp(2)).await.unwrap();
    scene.store.place(&scope(), last, change(true, None), Timestamp(2)).await.unwrap();
}
