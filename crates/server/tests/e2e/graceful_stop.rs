//! The real binary is asked to stop while turns run or wait (FAULTS 3).

use std::time::Duration;

use parlor_testkit::{Gate, Script, ScriptedModel};
use serde_json::{Value, json};

use crate::mcp::faulty_program;
use crate::server_process::Server;
use crate::streams::Events;
use crate::test_app::{PATIENCE, json as body_of};

/// Longer than any test: a server that ends earlier did not wait for the deadline.
const DEADLINE: &str = "[server.limits]\nshutdown_deadline = \"1h\"\n";

/// Waits for an open prompt.
async fn open_prompt(server: &Server) -> Value {
    let asked = async {
        loop {
            let open = server.get("/api/prompts?status=open").send().await.unwrap();
            let mut open = body_of(open).await;
            if open["prompts"][0].is_object() {
                return open["prompts"][0]["prompt"].take();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.expect("nothing is asked")
}

/// P-9, FAULTS 3: a turn that waits for a person is suspended at once, in spite of a deadline of an
/// hour; after the next start the prompt is open, and an approval is carried out once.
#[tokio::test]
async fn an_open_approval_is_suspended_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let marks = dir.path().join("marks");
    let model = ScriptedModel::start().await.unwrap();
    let input = json!({"text": marks, "number": 1});
    model.push(Script::answer().text("I will.").tool_use("t1", "s_mark", &input));
    model.push(Script::answer().text("So it is."));
    let config = format!(
        "{DEADLINE}[tenants.home.projects.recipes]\nrecipe_vault = false\nprompt_timeout = \"0\"\n\
         [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\n",
        faulty_program()
    );
    let server = Server::start_with(dir.path(), &model, &config, &[]).await;
    drop(server.send(&json!({"message": "mark it"})).await);
    let prompt = open_prompt(&server).await;
    server.terminate();
    assert_eq!(server.ended().await, Some(0));

    let server = Server::start_with(dir.path(), &model, &config, &[]).await;
    let same = open_prompt(&server).await;
    assert_eq!(same["messageId"], prompt["messageId"]);
    assert!(!marks.exists(), "nobody has said yes");
    let path = format!("/api/prompts/{}/response", same["messageId"].as_str().unwrap());
    let answered = server.post(&path).json(&json!({"response": "yes"})).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    let conversation = same["conversation_id"].as_str().unwrap();
    let done = Events::of(server.resume(conversation, "0").await).find("done").await;
    assert_eq!(done.data["reason"], "complete");
    assert_eq!(std::fs::read_to_string(&marks).unwrap().lines().count(), 1);
}

/// FAULTS 3: a second signal ends the server at once. Acknowledged messages are there after the
/// next start.
#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    let gate = Gate::closed();
    model.push(Script::answer().text("before ").gate(&gate).text("after"));
    let server = Server::start_with(dir.path(), &model, DEADLINE, &[]).await;
    let mut events = Events::of(server.send(&json!({"message": "hello"})).await);
    let start = events.find("start").await;
    server.terminate();
    // It has handled the first signal when it no longer accepts connections.
    let closed = async {
        while server.get("/healthz").send().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, closed).await.expect("it goes on");
    server.terminate();
    assert_eq!(server.ended().await, Some(128 + 15));

    let server = Server::start(dir.path(), &model).await;
    let id = start.data["conversation_id"].as_str().unwrap();
    assert_eq!(server.conversation(id).await["messages"][0]["content"], "hello");
}
