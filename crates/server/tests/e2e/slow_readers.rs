//! Clients that request a large answer and do not read it: their cost, and their effect on others.

use std::fs;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server_process::{KEY, Server};
use crate::sockets::streamed;
use crate::streams::{Event, Events, text};
use crate::test_app::{PATIENCE, TestApp, json as body_of};

const LARGE: usize = 3 << 20;
const READERS: usize = 40;

/// A large answer in many pieces; every line is different.
fn large_answer() -> (Script, String) {
    let line = |n: usize| format!("{n:>7} says \"é\" and more, and more, and more of the same.\n");
    let mut script = Script::answer();
    let mut whole = String::new();
    let mut n = 0;
    while whole.len() < LARGE {
        let piece: String = (n..n + 100).map(line).collect();
        n += 100;
        script = script.text(&piece);
        whole.push_str(&piece);
    }
    (script, whole)
}

/// FAULTS 8: a client that does not read costs the memory of one piece, not of the answer; others
/// are served meanwhile, and a slow client can resume.
#[tokio::test]
async fn readers_that_do_not_read_cost_little() {
    let dir = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    let (script, whole) = large_answer();
    model.push(script);
    let limits = "[server.limits]\nanswer = \"64MB\"";
    let server = Server::start_with(dir.path(), &model, limits, &[]).await;
    let mut sent = Events::of(server.send(&json!({"message": "tell me everything"})).await);
    let start = sent.find("start").await;
    let conversation = start.data["conversation_id"].as_str().unwrap().to_owned();
    assert_eq!(text(&sent.rest().await), whole);

    let before = resident(&server);
    let mut stalled = Vec::new();
    for _ in 0..READERS {
        stalled.push(stall(&server, &conversation).await);
    }
    for reader in &stalled {
        // The server has begun to write to it.
        timeout(PATIENCE, reader.readable()).await.unwrap().unwrap();
    }
    let mut other = Events::of(server.resume(&conversation, "0").await);
    let all = until_done(&mut other).await;
    assert_eq!(text(&all), whole, "another reader is served meanwhile");
    let message = all.iter().rfind(|event| event.name == "message").unwrap();
    assert_eq!(message.data["content"], whole);
    let chunks = all.iter().filter(|event| event.name == "chunk");
    let largest = chunks.map(|event| event.data.to_string().len()).max().unwrap();
    assert!(largest < 256 << 10, "pieces are small: {largest}");

    // With a copy of the answer each would cost more than 6 MB.
    let grown = resident(&server).saturating_sub(before);
    assert!(grown < 100 << 20, "{READERS} readers cost {grown} bytes");

    let mut slow = Events::of(server.resume(&conversation, "0").await);
    let mut seen = Vec::new();
    while text(&seen).len() < LARGE / 4 {
        seen.push(slow.next().await.unwrap());
    }
    drop(slow);
    let last = seen.last().unwrap().id.clone();
    let mut resumed = Events::of(server.resume(&conversation, &last).await);
    seen.extend(until_done(&mut resumed).await);
    assert_eq!(text(&seen), whole, "nothing is missing, and nothing came twice");
    drop(stalled);
}

/// FAULTS 8, W-3: over a WebSocket a large message is sent in parts, and arrives complete.
#[tokio::test]
async fn a_large_message_comes_over_a_websocket() {
    let app = TestApp::with("answer = \"64MB\"").await;
    let (script, whole) = large_answer();
    app.model.push(script);
    let mut sent = Events::of(app.send(&json!({"message": "tell me everything"})).await);
    let conversation =
        sent.find("start").await.data["conversation_id"].as_str().unwrap().to_owned();
    sent.rest().await;
    let view = app.admin("GET", &format!("/api/conversations/{conversation}")).send().await;
    assert_eq!(body_of(view.unwrap()).await["messages"][1]["content"], whole);

    let mut socket =
        crate::sockets::Socket::open(&app, &format!("?conversation_id={conversation}&after=0"))
            .await;
    // Other responses wait until the large message is complete.
    socket.send_raw(tokio_tungstenite::tungstenite::Message::text("nonsense")).await;
    let frames = socket.turn().await;
    assert_eq!(streamed(&frames), whole);
    let message = frames.iter().rfind(|frame| frame["role"] == "assistant").unwrap();
    assert_eq!(message["content"], whole);
}

async fn until_done(events: &mut Events) -> Vec<Event> {
    let mut all = Vec::new();
    loop {
        all.push(events.next().await.unwrap());
        if all.last().unwrap().name == "done" {
            return all;
        }
    }
}

/// A client that requests everything and reads nothing.
async fn stall(server: &Server, conversation: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!(
        "GET /api/conversations/{conversation}/events HTTP/1.1\r\nHost: {}\r\nX-API-Key: {KEY}\r\n\r\n",
        server.address()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// The server's resident memory, in bytes.
fn resident(server: &Server) -> u64 {
    let pid = server.pid().as_raw_nonzero();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
