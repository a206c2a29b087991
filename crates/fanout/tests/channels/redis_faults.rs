//! What a Redis server does to a node that depends on it: nothing that lasts.

use std::time::{Duration, Instant};

use parlor_fanout::{Fanout, Hint};

use crate::node::Node;
use crate::private_redis::PrivateRedis;

async fn two_nodes(server: &PrivateRedis) -> (Node, Node) {
    let url = server.url();
    let connect = || Fanout::over_redis(&url, "test");
    (Node::join(connect()).await, Node::join(connect()).await)
}

/// Both are heard, and hear each other.
async fn work(one: &mut Node, two: &mut Node) {
    one.is_heard(true).await;
    two.is_heard(true).await;
    one.fanout.hint(Hint::Nodes);
    assert_eq!(two.hint_of(one).await, Hint::Nodes);
    let begin = Instant::now();
    while !two.fanout.send_live(one.peer(), "text".to_owned()).await {
        assert!(begin.elapsed() < Duration::from_secs(10), "live text is sent again");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(one.fanout.health().problem, None);
}

/// E-3: a connection that the server ends is replaced, and everything is reread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_is_replaced() {
    let Some(server) = PrivateRedis::start() else { return };
    let (mut one, mut two) = two_nodes(&server).await;
    assert_eq!(server.run("CLIENT KILL TYPE pubsub"), ":2\r\n");
    two.missed().await;
    work(&mut one, &mut two).await;
    assert_eq!(server.run("CLIENT KILL TYPE normal"), ":2\r\n");
    work(&mut one, &mut two).await;
}

/// E-3: a server that hangs costs a second, is noticed, and is used again when it answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_is_noticed() {
    let Some(server) = PrivateRedis::start() else { return };
    let (mut one, mut two) = two_nodes(&server).await;
    server.pause();
    for longest in [1_500, 1_500] {
        let begin = Instant::now();
        assert!(!one.fanout.send_live(two.peer(), "text".to_owned()).await);
        assert!(begin.elapsed() < Duration::from_millis(longest), "{:?}", begin.elapsed());
    }
    let begin = Instant::now();
    one.is_heard(false).await;
    two.is_heard(false).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    one.fanout.hint(Hint::Nodes);
    two.has_problem("did not answer within a second").await;
    // The connections are given up at the same moment: a server that answers just then would
    // still be heard through them, and nothing would be missed.
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.resume();
    two.missed().await;
    work(&mut one, &mut two).await;
}

/// E-3: a server that was killed and comes back is used again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_killed_is_used_again() {
    let Some(mut server) = PrivateRedis::start() else { return };
    let (mut one, mut two) = two_nodes(&server).await;
    server.kill();
    one.is_heard(false).await;
    one.fanout.hint(Hint::Nodes);
    assert!(!one.fanout.send_live(two.peer(), "text".to_owned()).await);
    two.has_problem("check fanout.url").await;
    server.restart();
    two.missed().await;
    work(&mut one, &mut two).await;
}

/// E-3: nothing is stored, so nothing is lost when it is flushed; a server that refuses to
/// store anything still carries hints; one that refuses us is told, and used again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flushed_a_full_and_a_strict_server() {
    let Some(server) = PrivateRedis::start() else { return };
    let (mut one, mut two) = two_nodes(&server).await;
    server.run("FLUSHALL");
    work(&mut one, &mut two).await;
    assert_eq!(server.run("DBSIZE"), ":0\r\n");
    server.run("CONFIG SET maxmemory 1");
    work(&mut one, &mut two).await;
    server.run("CONFIG SET maxmemory 0");
    // Closes the connections that may no longer have their channels.
    server.run("ACL SETUSER default resetchannels");
    two.has_problem("the channels parlor:*").await;
    assert!(!two.fanout.send_live(one.peer(), "text".to_owned()).await);
    server.run("ACL SETUSER default allchannels");
    work(&mut one, &mut two).await;
}
