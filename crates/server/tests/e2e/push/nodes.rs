//! Two nodes on one database.

use std::collections::BTreeMap;

use parlor_testkit::Script;
use serde_json::{Value, json};

use super::kills::as_browser;
use super::{AT_ONCE, Device, QUESTION, arrived, eventually, topic};
use crate::nodes::cluster::{Channel, Cluster};
use crate::seen::Events;
use crate::server_process::Server;

const SECRET: (&str, &str) = ("PARLOR_SECRET_KEY", "one key for all nodes of this installation");

async fn asked(node: &Server, message: &str) -> String {
    let mut events = Events::of(node.send(&json!({"message": message})).await);
    loop {
        let event = events.next().await.expect("a prompt opens");
        if event.name == "userPrompt" {
            return topic(event.data["messageId"].as_str().unwrap());
        }
    }
}

async fn key(node: &Server, cookie: &str) -> Value {
    let response = as_browser(node.get("/api/push"), cookie).send().await.unwrap();
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// U-11, E-2: nodes have one key pair, and one of them sends each message, wherever it was written.
#[tokio::test]
async fn one_of_two_nodes_sends_each_message() {
    let Some(cluster) = Cluster::with(Channel::Postgres, AT_ONCE).await else { return };
    cluster.model.always(Script::answer().text(QUESTION));
    let nodes = [cluster.node_with("a", &[SECRET]).await, cluster.node_with("b", &[SECRET]).await];
    let cookie = nodes[0].log_in("a-family-password").await;
    let (on_a, on_b) = (key(&nodes[0], &cookie).await, key(&nodes[1], &cookie).await);
    assert!(on_a["key"].is_string());
    assert_eq!(on_a["key"], on_b["key"]);
    let put = as_browser(nodes[1].put("/api/push/subscription"), &cookie);
    let device = Device::subscribe(put).await;
    let mut wanted = BTreeMap::new();
    for round in 0..8 {
        wanted.insert(asked(&nodes[round % 2], &format!("round {round}")).await, 1);
    }
    let mut got = BTreeMap::<String, usize>::new();
    for message in arrived(&device.service, wanted.len()).await {
        *got.entry(message.headers["topic"].to_str().unwrap().to_owned()).or_default() += 1;
    }
    eventually("messages are left", async || {
        let status = nodes[0].get("/api/admin/status").send().await.unwrap().text().await.unwrap();
        let status: Value = serde_json::from_str(&status).unwrap();
        (status["push"]["unsent"] == 0).then_some(())
    })
    .await;
    assert!(device.service.take().is_empty(), "nothing is sent twice");
    assert_eq!(got, wanted);

    // A node with another key says what is wrong, and the others go on.
    let other = cluster.node_with("c", &[]).await;
    let state = key(&other, &cookie).await;
    assert_eq!(state["available"], false, "{state}");
    let status = other.get("/api/admin/status").send().await.unwrap().text().await.unwrap();
    assert!(status.contains("PARLOR_SECRET_KEY"), "{status}");
}
