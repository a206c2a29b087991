//! Hints and live text over a Redis server that others use too.

use std::time::{Duration, Instant};

use parlor_fanout::{Fanout, Hint, Received, RedisUrl};
use uuid::Uuid;

use crate::node::Node;
use crate::story;

fn url() -> Option<RedisUrl> {
    Some(parlor_testkit::redis::url()?.parse().unwrap())
}

/// All tests share the server, so each is an installation of its own.
fn connect(url: &RedisUrl) -> impl Fn() -> Fanout {
    let installation = Uuid::now_v7().to_string();
    move || Fanout::over_redis(url, &installation)
}

/// E-2: three nodes hear each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_hears_everybody_else() {
    let Some(url) = url() else { return };
    story::everybody_hears_everybody_else(connect(&url)).await;
}

/// E-2: a burst of hints is a few messages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_is_short() {
    let Some(url) = url() else { return };
    story::a_burst_is_short(connect(&url)).await;
}

/// E-2: a node that ends says its last hints.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_hints_are_sent() {
    let Some(url) = url() else { return };
    story::the_last_hints_are_sent(connect(&url)).await;
}

/// E-3: live text goes to one peer, in order; if that is not there, the sender knows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_text_goes_to_one_peer() {
    let Some(url) = url() else { return };
    let connect = connect(&url);
    let one = Node::join(connect()).await;
    let (mut two, mut three) = (Node::join(connect()).await, Node::join(connect()).await);
    assert!(one.fanout.carries_live_text());
    let texts: Vec<String> = (0..100).map(|number| format!("{number}\n\"é\"\n")).collect();
    for text in &texts {
        assert!(one.fanout.send_live(two.peer(), text.clone()).await);
    }
    for payload in texts {
        assert_eq!(two.next().await, Received::Live { from: one.peer(), payload });
    }
    assert!(!one.fanout.send_live(Fanout::alone().peer(), "text".to_owned()).await);
    assert!(!one.fanout.send_live(two.peer(), "x".repeat(64 * 1024 + 1)).await);
    one.fanout.hint(Hint::Nodes);
    assert_eq!(three.hint_of(&one).await, Hint::Nodes, "before it there is no live text");
}

/// E-3: installations on one server do not hear each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn installations_are_apart() {
    let Some(url) = url() else { return };
    let other = Node::join(connect(&url)()).await;
    let connect = connect(&url);
    let (one, mut two) = (Node::join(connect()).await, Node::join(connect()).await);
    other.fanout.hint(Hint::Nodes);
    assert!(!other.fanout.send_live(two.peer(), "text".to_owned()).await);
    tokio::time::sleep(Duration::from_millis(100)).await;
    one.fanout.hint(Hint::Nodes);
    assert_eq!(two.hint_of(&one).await, Hint::Nodes);
}

/// E-3: a wrong password is told, and not shown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_told() {
    let Some(server) = parlor_testkit::redis::url() else { return };
    let right: RedisUrl = server.parse().unwrap();
    let password = right.secrets().first().cloned().expect("the server has a password");
    let wrong: RedisUrl = server.replace(&password, "wrong-secret").parse().unwrap();
    let node = Node::new(connect(&wrong)());
    let problem = node.has_problem("check user and password in fanout.url").await;
    assert!(problem.contains(&wrong.to_string()), "{problem}");
    assert!(!problem.contains("wrong-secret") && !problem.contains(&password), "{problem}");
    assert!(!node.fanout.is_heard());
}

/// E-3: a server that is not there, that never answers, or that speaks no TLS is told, and
/// costs nobody more than a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unusable_server_is_told() {
    let Some(server) = parlor_testkit::redis::url() else { return };
    let never_answers = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("redis://:secret@{}", never_answers.local_addr().unwrap());
    for (url, words) in [
        ("redis://:secret@127.0.0.1:1", "check fanout.url"),
        (silent.as_str(), "did not answer within a second"),
        (server.replace("redis://", "rediss://").as_str(), "one without TLS is redis://"),
    ] {
        let node = Node::new(connect(&url.parse().unwrap())());
        let problem = node.has_problem(words).await;
        assert!(!problem.contains("secret"), "{problem}");
        let begin = Instant::now();
        assert!(!node.fanout.send_live(node.peer(), "text".to_owned()).await);
        node.fanout.hint(Hint::Nodes);
        assert!(begin.elapsed() < Duration::from_millis(1_500), "{:?}", begin.elapsed());
        node.fanout.close().await;
        assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    }
}
