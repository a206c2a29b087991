//! Several servers on one database: who runs, who takes a turn, and what a stale owner may still
//! write.

use parlor_protocol::NodeId;
use parlor_storage::*;

use crate::scene::{ABANDONED, PAGE, Scene, boot, uuid};

const LEASE: i64 = 60_000;

fn node(id: u128, run: u128) -> NewNode {
    let (id, boot) = (NodeId::new(uuid(id)), boot(run));
    NewNode { id, boot, name: "kitchen".into(), version: "1.0.0".into() }
}

/// E-2: a node that left, was declared dead or came back as another run beats no more.
#[tokio::test]
async fn a_boot_that_is_dead_stays_dead() {
    let store = Scene::new().await.store;
    let joined = store.join_node(&node(10, 1)).await.unwrap();
    let beat = store.beat(boot(1)).await.unwrap().unwrap();
    assert!(beat >= joined);
    assert_eq!(store.declare_dead(LEASE).await.unwrap(), 0, "its lease is not over");
    assert_eq!(store.declare_dead(-1_000).await.unwrap(), 1);
    assert_eq!(store.declare_dead(-1_000).await.unwrap(), 0, "once");
    assert_eq!(store.beat(boot(1)).await.unwrap(), None);

    store.join_node(&node(10, 2)).await.unwrap();
    assert_eq!(store.beat(boot(1)).await.unwrap(), None, "another run has its place");
    assert!(store.beat(boot(2)).await.unwrap().is_some());
    store.leave_node(boot(2)).await.unwrap();
    assert_eq!(store.beat(boot(2)).await.unwrap(), None);
    let nodes = store.nodes().await.unwrap();
    assert_eq!(nodes.iter().map(|node| node.is_dead).collect::<Vec<_>>(), [true]);
}

/// E-2: a turn is taken over from a node that does not run, once, however many try. Its old
/// owner writes nothing more: no step, and no text.
#[tokio::test]
async fn a_turn_is_taken_over_once_and_its_old_owner_is_refused() {
    let scene = Scene::new().await;
    let store = &scene.store;
    for run in [1, 2, 3] {
        store.join_node(&node(run, run)).await.unwrap();
    }
    store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    store.flush(&[scene.delta(0, "Hi ")]).await.unwrap();
    assert!(store.take_over(boot(2), ABANDONED).await.unwrap().is_empty(), "its owner runs");
    assert_eq!(store.owned_turns(boot(1)).await.unwrap(), [scene.conversation]);

    store.leave_node(boot(1)).await.unwrap();
    let (second, third) =
        tokio::join!(store.take_over(boot(2), ABANDONED), store.take_over(boot(3), ABANDONED));
    let mut taken = second.unwrap();
    taken.extend(third.unwrap());
    assert_eq!(taken.len(), 1);
    assert_eq!((taken[0].epoch, taken[0].block.as_ref().unwrap().raw.as_str()), (2, "Hi "));

    let refused = store.commit(&scene.commit(1, 4)).await;
    assert!(matches!(refused, Err(StorageError::TakenOver)), "{refused:?}");
    if store.is_shared() {
        store.flush(&[scene.delta(1, "there")]).await.unwrap();
        let after = scene.texts().await;
        assert_eq!(after, ["Hi "], "text of the old owner is left out");
    }
}

/// E-2: a piece whose end was unknown comes again, and longer.
#[tokio::test]
async fn a_piece_may_be_stored_again() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    for text in ["Hi ", "Hi there"] {
        scene.store.flush(&[scene.delta(0, text)]).await.unwrap();
    }
    assert_eq!(scene.texts().await, ["Hi there"]);
}

/// E-2: a step whose end was unknown is not written twice.
#[tokio::test]
async fn a_step_is_committed_once() {
    let scene = Scene::new().await;
    scene.store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let commit = scene.commit(1, 4);
    let first = scene.store.commit_again(&commit).await.unwrap();
    assert_eq!(scene.store.commit_again(&commit).await.unwrap(), first);
    assert_eq!(scene.store.history(scene.conversation).await.unwrap().len(), 2);
}

/// E-2, H-6: what one node stores for the turn of another is found by its owner.
#[tokio::test]
async fn a_stop_and_a_handed_over_turn_are_found_by_their_owner() {
    let scene = Scene::new().await;
    let store = &scene.store;
    let mut begin = scene.begin(scene.turn, true, None);
    begin.owner.handed_over = true;
    begin.owner.home = Some(NodeId::new(uuid(10)));
    store.begin_turn(&begin).await.unwrap();
    assert_eq!(store.wanted(boot(1)).await.unwrap(), [Wanted::Begin(scene.conversation)]);
    assert!(store.wanted(boot(2)).await.unwrap().is_empty());
    let claim = Claim::HandedOver(scene.conversation);
    assert!(store.take_over(boot(2), claim).await.unwrap().is_empty(), "not handed to it");
    let [taken] = &store.take_over(boot(1), claim).await.unwrap()[..] else {
        panic!("it was handed over")
    };
    assert!(taken.handed_over && !taken.is_stopped && taken.resumes == 0);
    assert_eq!(taken.home, Some(NodeId::new(uuid(10))));
    assert!(store.take_over(boot(1), claim).await.unwrap().is_empty(), "it has begun");

    assert!(store.wanted(boot(1)).await.unwrap().is_empty());
    assert!(store.request_stop(scene.conversation, parlor_protocol::Timestamp(20)).await.unwrap());
    assert_eq!(store.wanted(boot(1)).await.unwrap(), [Wanted::Stop(scene.conversation)]);
    let lost = Claim::Lost(scene.conversation);
    assert!(store.take_over(boot(1), lost).await.unwrap()[0].is_stopped);
}

/// E-2: readers of other nodes learn how far logs are; deleted ones are missing.
#[tokio::test]
async fn the_ends_of_logs_are_found_for_many_conversations() {
    let scene = Scene::new().await;
    let store = &scene.store;
    store.begin_turn(&scene.begin(scene.turn, true, None)).await.unwrap();
    let unknown = parlor_protocol::ConversationId::new(uuid(77));
    let ends = |ids: Vec<_>| async move {
        let ends = store.log_ends(&ids).await.unwrap().into_iter();
        let seen = |end: &LogEnd| end.visibility == parlor_protocol::Visibility::Tenant;
        ends.inspect(|end| assert!(seen(end))).map(|e| (e.conversation, e.end)).collect::<Vec<_>>()
    };
    let durable = parlor_protocol::EventId::durable(2);
    assert_eq!(ends(vec![scene.conversation, unknown]).await, [(scene.conversation, durable)]);
    store.flush(&[scene.delta(0, "Hé ")]).await.unwrap();
    let text = parlor_protocol::EventId::delta(3, 4);
    assert_eq!(
        ends(vec![scene.conversation; 250]).await.first(),
        Some(&(scene.conversation, text))
    );
    assert!(ends(Vec::new()).await.is_empty());
}

impl Scene {
    /// The texts of the blocks in the log.
    async fn texts(&self) -> Vec<String> {
        let start = parlor_protocol::EventId::durable(0);
        let entries = self.store.log_after(self.conversation, start, PAGE).await.unwrap();
        let text = |entry| match entry {
            LogEntry::TextBlock { text, .. } => Some(text.into_inner()),
            _ => None,
        };
        entries.into_iter().filter_map(text).collect()
    }
}
