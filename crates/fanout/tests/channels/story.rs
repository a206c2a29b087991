//! What holds on every channel.

use std::collections::HashSet;

use parlor_fanout::{AccessChange, Fanout, Hint, Received};
use parlor_protocol::EventId;

use crate::node::{Node, conversation};

/// Three nodes hear each other, and nobody hears itself.
pub(crate) async fn everybody_hears_everybody_else(connect: impl Fn() -> Fanout) {
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::join(connect()).await);
    }
    let [mut one, mut two, mut three]: [Node; 3] = nodes.try_into().ok().unwrap();
    let id = conversation();
    let hints = [
        Hint::Prompt(id),
        Hint::Stop(id),
        Hint::HandedOver(id),
        Hint::Deleted(id),
        Hint::Audience(id),
        Hint::Reads(id),
        Hint::Nodes,
        Hint::Log(id, EventId::delta(41, 380)),
    ];
    for hint in &hints {
        one.fanout.hint(hint.clone());
    }
    let token = AccessChange::Token("token-1".to_owned());
    one.fanout.hint(Hint::Access(token.clone()));
    for node in [&mut two, &mut three] {
        let mut heard = HashSet::new();
        for _ in &hints {
            heard.insert(node.hint_of(&one).await);
        }
        assert_eq!(heard, hints.iter().cloned().collect());
        assert_eq!(node.next_access().await, token);
    }
    two.fanout.hint(Hint::Nodes);
    for node in [&mut one, &mut three] {
        let expected = Received::Hint { from: two.peer(), hint: Hint::Nodes };
        assert_eq!(node.next().await, expected, "before it there is nothing of its own");
    }
}

/// A burst arrives as the newest event of each conversation, however many payloads it takes.
pub(crate) async fn a_burst_is_short(connect: impl Fn() -> Fanout) {
    let (one, mut two) = (Node::join(connect()).await, Node::join(connect()).await);
    let ids: Vec<_> = (0..500).map(|_| conversation()).collect();
    for seq in 1..=20 {
        for id in &ids {
            one.fanout.hint(Hint::Log(*id, EventId::durable(seq)));
        }
    }
    let (mut count, mut ended) = (0, HashSet::new());
    while ended.len() < ids.len() {
        count += 1;
        if let Hint::Log(id, event) = two.hint_of(&one).await
            && event == EventId::durable(20)
        {
            ended.insert(id);
        }
    }
    assert!(count < 5 * ids.len(), "{count} of 10,000 hints arrived one by one");
}

/// What was hinted before the end still arrives; then the node hears nothing.
pub(crate) async fn the_last_hints_are_sent(connect: impl Fn() -> Fanout) {
    let (mut one, mut two) = (Node::join(connect()).await, Node::join(connect()).await);
    one.fanout.hint(Hint::Nodes);
    one.fanout.close().await;
    one.fanout.close().await;
    assert_eq!(two.hint_of(&one).await, Hint::Nodes);
    one.ends().await;
    one.fanout.hint(Hint::Nodes);
    assert!(!one.fanout.send_live(two.peer(), "late".to_owned()).await);
}
