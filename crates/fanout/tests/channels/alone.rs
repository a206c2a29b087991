//! One node alone.

use parlor_fanout::{Fanout, Hint};

/// E-2: with SQLite there is one node: nothing is sent, nothing is missed.
#[tokio::test]
async fn one_node_alone_needs_no_channel() {
    let fanout = Fanout::alone();
    fanout.hint(Hint::Nodes);
    assert!(fanout.is_alone() && fanout.is_heard() && !fanout.carries_live_text());
    assert!(!fanout.send_live(fanout.peer(), "text".to_owned()).await);
    assert!(fanout.take_received().is_none() && fanout.take_access_changes().is_none());
    assert_eq!((fanout.health().kind, fanout.health().problem), ("none", None));
    fanout.close().await;
}
