//! The real binary, killed during turns: acknowledged data is still there, ids are never reused,
//! and no turn runs forever (FAULTS 1).

use std::time::Duration;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::json;

use crate::seen::{Events, Seen};
use crate::server_process::Server;

/// FAULTS 1: ten kills, each after a different event.
#[tokio::test]
async fn kills_in_the_middle_of_a_turn_lose_nothing_that_was_acknowledged() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.always(Script::answer().steady(40, Duration::from_millis(15), |n| format!("word{n} ")));
    let mut conversation: Option<String> = None;
    let mut seen = Seen::default();
    for round in 0..10_usize {
        let server = Server::start(data.path(), &model).await;
        let said = format!("message {round}");
        let body = json!({"message": said, "conversation_id": conversation});
        let mut events = Events::of(server.send(&body).await);
        for _ in 0..(2 + round * 4) {
            let Some(event) = events.next().await else { break };
            if let Some(id) = event.data["conversation_id"].as_str() {
                conversation = Some(id.to_owned());
            }
            seen.take(event);
        }
        server.kill();

        let server = Server::start(data.path(), &model).await;
        let id = conversation.clone().unwrap();
        let after = seen.last.unwrap().to_string();
        if seen.durable.values().next_back().is_none_or(|event| event.name != "done") {
            let mut rest = Events::of(server.resume(&id, &after).await);
            rest.until_done(&mut seen).await;
        }
        let view = server.conversation(&id).await;
        assert_eq!(view["running"], false, "no turn runs for ever");
        let messages = view["messages"].as_array().unwrap();
        let kept = messages.iter().filter(|m| m["role"] == "user" && m["content"] == said.as_str());
        assert_eq!(kept.count(), 1, "{said} was acknowledged");
        server.kill();
    }
    // What the client assembled is what is stored.
    let server = Server::start(data.path(), &model).await;
    let id = conversation.unwrap();
    let mut stored = Seen::default();
    let mut events = Events::of(server.resume(&id, "0").await);
    let last = *seen.durable.keys().next_back().unwrap();
    while stored.durable.keys().next_back() != Some(&last) {
        stored.take(events.next().await.unwrap());
    }
    assert_eq!(seen.durable, stored.durable);
}
