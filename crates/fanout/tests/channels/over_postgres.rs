//! Hints over `NOTIFY`.

use parlor_database::{Connections, Database, Location, Migrations, ServerUrl, query};
use parlor_fanout::{Fanout, Hint};
use parlor_test_database::new_postgres;

use crate::node::Node;
use crate::story;

const CONNECTIONS: Connections = Connections { sqlite_readers: 1, postgres: 2 };

async fn open() -> Option<Database> {
    let location = new_postgres().await?;
    let migrations = Migrations::new("none", [], []);
    Some(Database::open(&location, &migrations, CONNECTIONS).await.unwrap())
}

fn connect(database: &Database) -> impl Fn() -> Fanout {
    || Fanout::over_postgres(database.clone(), None)
}

/// E-2: three nodes hear each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_hears_everybody_else() {
    let Some(database) = open().await else { return };
    story::everybody_hears_everybody_else(connect(&database)).await;
}

/// E-2: a burst of hints is a few notifications.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_is_short() {
    let Some(database) = open().await else { return };
    story::a_burst_is_short(connect(&database)).await;
}

/// E-2: a node that ends says its last hints.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_hints_are_sent() {
    let Some(database) = open().await else { return };
    story::the_last_hints_are_sent(connect(&database)).await;
}

/// E-2: a connection that ends is replaced; everything is reread, and hints arrive again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_is_replaced() {
    let Some(database) = open().await else { return };
    let connect = connect(&database);
    let (one, mut two) = (Node::join(connect()).await, Node::join(connect()).await);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE 'LISTEN %' AND datname = current_database()";
    assert_eq!(query(end).fetch_all(&database).await.unwrap().len(), 2);
    two.missed().await;
    one.is_heard(true).await;
    two.is_heard(true).await;
    one.fanout.hint(Hint::Nodes);
    assert_eq!(two.hint_of(&one).await, Hint::Nodes);
    assert_eq!(two.fanout.health().problem, None);
    assert!(!two.fanout.carries_live_text());
    assert!(!two.fanout.send_live(one.peer(), "text".to_owned()).await);
}

/// E-2: while a server cannot be listened to, hints of others are not heard, and the
/// administrator reads why; hints are still sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_address_is_told() {
    let Some(database) = open().await else { return };
    let url = "postgres://parlor:wrong-secret@127.0.0.1:1/chat".parse();
    let Ok(Location::Server(direct)) = url else { panic!("it is a server") };
    let deaf = Node::new(Fanout::over_postgres(database.clone(), Some(direct)));
    let problem = deaf.has_problem("check storage.direct_url").await;
    assert!(problem.contains("127.0.0.1:1") && !problem.contains("wrong-secret"), "{problem}");
    assert!(!deaf.fanout.is_heard());
    let mut two = Node::join(connect(&database)()).await;
    deaf.fanout.hint(Hint::Nodes);
    assert_eq!(two.hint_of(&deaf).await, Hint::Nodes);
}

/// E-2: who listens at another place than hints are sent to (as behind a pooler in
/// transaction mode) is told what that means.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_explained() {
    let (Some(database), Some(other)) = (open().await, new_postgres().await) else { return };
    let Location::Server(other): Location = other else { panic!("it is a server") };
    let other: Option<ServerUrl> = Some(other);
    let node = Node::new(Fanout::over_postgres(database, other));
    let problem = node.has_problem("PgBouncer").await;
    assert!(problem.contains("storage.direct_url must name the server itself"), "{problem}");
    assert!(!node.fanout.is_heard());
}
