//! A conversation whose agent is a program stays on the node that has its files, its home, as long
//! as that node runs.

use serde_json::{Value, json};

use super::cluster::{Channel, Cluster, reason};
use crate::programs::testkit_program;
use crate::seen::{Events, Seen};
use crate::server_process::Server;
use crate::test_app::PATIENCE;

/// A cluster with a project whose agent is a program.
async fn cluster() -> Option<Cluster> {
    let program = tokio::task::spawn_blocking(|| testkit_program("fake-agent")).await.unwrap();
    let desk = format!(
        "[tenants.home.projects.desk]\nrecipe_vault = false\n\
         [tenants.home.projects.desk.agent]\nkind = \"claude_code\"\n\
         [tenants.home.projects.desk.agent.claude_code]\ncommand = {program:?}\n\
         working_dir = {:?}\n",
        std::env::temp_dir()
    );
    Cluster::with(Channel::Postgres, &desk).await
}

async fn say(node: &Server, message: &str, conversation: Option<&str>) -> (String, Events) {
    let body = json!({"message": message, "project": "desk", "conversation_id": conversation});
    let mut events = Events::of(node.send(&body).await);
    let start = events.next().await.unwrap();
    (start.data["conversation_id"].as_str().unwrap().to_owned(), events)
}

/// The names of the nodes that take a turn, once one does.
async fn busy(node: &Server) -> Vec<String> {
    let look = async {
        loop {
            let status = node.get("/api/admin/status").send().await.unwrap().text().await.unwrap();
            let status: Value = serde_json::from_str(&status).unwrap();
            let nodes = status["nodes"]["nodes"].as_array().unwrap();
            let busy = nodes.iter().filter(|node| node["turns"] != 0 && node["alive"] == true);
            let busy: Vec<String> =
                busy.map(|node| node["name"].as_str().unwrap().to_owned()).collect();
            if !busy.is_empty() {
                return busy;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect("no node takes a turn")
}

/// E-2, B-1: a message that arrives elsewhere is handed to the home, whose process answers it; what
/// it says is read where it was asked. If the home is dead, another node takes its place.
#[tokio::test]
async fn a_program_is_asked_at_its_home() {
    let Some(cluster) = cluster().await else { return };
    let (a, b) = (cluster.node("a").await, cluster.node("b").await);
    let (conversation, mut first) = say(&a, "hello", None).await;
    let mut seen = Seen::default();
    first.until_done(&mut seen).await;
    assert_eq!(reason(&seen), "complete");

    let (_, mut second) = say(&b, "steady 200 10", Some(&conversation)).await;
    assert_eq!(busy(&b).await, ["a"], "the home takes the turn");
    let mut seen = Seen::default();
    second.until_done(&mut seen).await;
    assert_eq!(reason(&seen), "complete");
    assert!(seen.texts.values().any(|text| !text.is_empty()), "it is read where it was asked");

    a.kill();
    let dead = async {
        loop {
            let (_, mut events) = say(&b, "steady 100 10", Some(&conversation)).await;
            let taker = busy(&b).await;
            let mut seen = Seen::default();
            events.until_done(&mut seen).await;
            // Until its lease is over, the home is believed to run, and its turn is taken over.
            if taker == ["b"] && reason(&seen) == "complete" {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, dead).await.expect("no other node becomes the home");
    let messages = b.conversation(&conversation).await["messages"].as_array().unwrap().len();
    assert!(messages >= 6, "everything that was said is there: {messages}");
}
