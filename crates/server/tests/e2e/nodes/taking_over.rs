//! A node is gone: killed, paused, or stopped. Its turns go on elsewhere, once.

use std::time::Duration;

use parlor_testkit::Script;
use rustix::process::{Signal, kill_process};
use serde_json::json;

use super::cluster::{
    Channel, Cluster, LEASE_SECONDS, answer, begin, names, open_prompt, read, reason,
};
use crate::seen::{Events, Seen};

/// E-2, P-9: a node is killed while a person is asked. Another one goes on: the prompt is still
/// open, and the call is made once.
#[tokio::test]
async fn a_prompt_outlives_its_node() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    cluster.model.push(Script::answer().text("I will.").tool_use("t1", "s_mark", &cluster.mark()));
    cluster.model.push(Script::answer().text("So it is."));
    let (conversation, _own) = begin(&a, "Mark it").await;
    let prompt = open_prompt(&b).await;
    a.kill();
    assert_eq!(answer(&b, &prompt, &json!({"response": "yes"})).await, 200);
    let seen = read(&b, &conversation).await;
    assert_eq!((reason(&seen), cluster.marks().len()), ("complete", 1));
    assert_eq!(cluster.model.requests().len(), 2, "the model is asked once for each answer");
}

/// E-2, FAULTS 1: a node is killed while text streams. A reader on another node keeps what was
/// stored, and the turn ends as interrupted.
#[tokio::test]
async fn a_streaming_turn_ends_with_its_node() {
    for channel in [Channel::Postgres, Channel::Redis] {
        let Some(cluster) = Cluster::new(channel).await else { return };
        let (a, b) = (cluster.node("a").await, cluster.node("b").await);
        let words = Script::answer().steady(1_000, Duration::from_millis(10), |n| format!("w{n} "));
        cluster.model.always(words);
        let (conversation, _own) = begin(&a, "Tell me").await;
        let mut seen = Seen::default();
        let mut events = Events::of(b.resume(&conversation, "0").await);
        while seen.texts.values().all(|text| text.len() < 100) {
            seen.take(events.next().await.unwrap());
        }
        a.kill();
        events.until_done(&mut seen).await;
        assert_eq!(reason(&seen), "interrupted", "{channel:?}");
        let stored = read(&b, &conversation).await;
        assert_eq!((names(&stored), &stored.texts), (names(&seen), &seen.texts), "{channel:?}");
    }
}

/// E-2: a paused node wakes up and believes that it owns its turn. What it writes is refused, and
/// its own readers see what the other node wrote.
#[tokio::test]
async fn a_paused_node_gives_way() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    let words = Script::answer().steady(2_000, Duration::from_millis(10), |n| format!("w{n} "));
    cluster.model.always(words);
    let (conversation, mut own) = begin(&a, "Tell me").await;
    let mut seen = Seen::default();
    while seen.texts.values().all(|text| text.len() < 100) {
        seen.take(own.next().await.unwrap());
    }
    kill_process(a.pid(), Signal::STOP).unwrap();
    let stored = read(&b, &conversation).await;
    assert_eq!(reason(&stored), "interrupted");
    kill_process(a.pid(), Signal::CONT).unwrap();
    own.until_done(&mut seen).await;
    assert_eq!(
        (names(&seen)[1..].to_vec(), &seen.texts),
        (names(&stored)[2..].to_vec(), &stored.texts)
    );
    // It has come back, and takes turns again.
    cluster.model.always(Script::answer().text("Here I am."));
    let body = json!({"message": "And now?", "conversation_id": conversation});
    let mut next = Seen::default();
    Events::of(a.send(&body).await).until_done(&mut next).await;
    assert_eq!(reason(&next), "complete");
}

/// E-2: what begins on a node that has just come back is its own, however long the turns that it lost
/// take to end and however many begin meanwhile.
#[tokio::test]
async fn a_node_that_comes_back_keeps_what_begins_there() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    let words = Script::answer().steady(150, Duration::from_millis(10), |n| format!("w{n} "));
    cluster.model.always(words);
    let (lost, _own) = begin(&a, "Tell me").await;
    kill_process(a.pid(), Signal::STOP).unwrap();
    assert_eq!(reason(&read(&b, &lost).await), "interrupted");
    kill_process(a.pid(), Signal::CONT).unwrap();
    // One always runs, so that it is never idle.
    let mut begun = Vec::new();
    for _ in 0..12 {
        begun.push(begin(&a, "Tell me more").await);
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let mut reasons = Vec::new();
    for (conversation, _own) in begun {
        reasons.push(reason(&read(&b, &conversation).await).to_owned());
    }
    // Within a beat it may not know yet.
    assert!(reasons[4..].iter().all(|reason| reason == "complete"), "{reasons:?}");
}

/// E-2, P-9: a node that stops in good order hands a turn that waits to the others at once.
#[tokio::test]
async fn a_node_that_stops_leaves_its_prompts_to_the_others() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    cluster.model.push(Script::answer().text("I will.").tool_use("t1", "s_mark", &cluster.mark()));
    cluster.model.push(Script::answer().text("So it is."));
    let (conversation, _own) = begin(&a, "Mark it").await;
    let prompt = open_prompt(&b).await;
    a.terminate();
    assert_eq!(a.ended().await, Some(0));
    assert_eq!(answer(&b, &prompt, &json!({"response": "yes"})).await, 200);
    assert_eq!(reason(&read(&b, &conversation).await), "complete");
    assert_eq!(cluster.marks().len(), 1);
}

/// E-2: a node that comes back takes up its own turns without waiting for its lease, and two that
/// look at the same moment do not both.
#[tokio::test]
async fn a_turn_is_taken_up_once_by_many() {
    let Some(cluster) = Cluster::new(Channel::Postgres).await else { return };
    let a = cluster.node("a").await;
    for n in 0..5 {
        let call = format!("t{n}");
        cluster.model.push(Script::answer().text("I will.").tool_use(
            &call,
            "s_mark",
            &cluster.mark(),
        ));
    }
    for _ in 0..5 {
        let _begun = begin(&a, "Mark it").await;
    }
    let all_open = async {
        loop {
            let list =
                a.get("/api/prompts?status=open").send().await.unwrap().text().await.unwrap();
            if list.matches("\"messageId\"").count() >= 5 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    all_open.await;
    a.kill();
    cluster.model.always(Script::answer().text("So it is."));
    let nodes = tokio::join!(cluster.node("a"), cluster.node("b"), cluster.node("c"));
    tokio::time::sleep(Duration::from_secs(LEASE_SECONDS)).await;
    for _ in 0..5 {
        let prompt = open_prompt(&nodes.1).await;
        assert_eq!(answer(&nodes.2, &prompt, &json!({"response": "yes"})).await, 200);
    }
    let all_run = async {
        while cluster.marks().len() < 5 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::test_app::PATIENCE, all_run).await.expect("a call is missing");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(cluster.marks().len(), 5);
    assert_eq!(cluster.model.requests().len(), 10, "the model is asked once for each answer");
}
