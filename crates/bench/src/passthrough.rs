//! The baseline: accepts a request, sends it to the upstream, and copies the bytes of the response.
//! A proxy cannot do less.

use std::process::Stdio;

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio_tungstenite::tungstenite::Message;

#[derive(Clone)]
struct Upstream {
    url: String,
    client: reqwest::Client,
}

/// Copies the stream of a model.
pub(crate) async fn serve(upstream: &str) -> anyhow::Result<()> {
    let upstream =
        Upstream { url: format!("{upstream}/v1/messages"), client: reqwest::Client::new() };
    let app = Router::new().route("/api/chat", post(copy)).with_state(upstream);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr().context("the address")?);
    // Small pieces are sent at once, as in any server that streams.
    let listener = listener.tap_io(|stream| {
        let _best_effort = stream.set_nodelay(true);
    });
    axum::serve(listener, app).await?;
    Ok(())
}

/// Copies the output of an agent CLI: a process for each WebSocket, a frame for each line.
pub(crate) async fn serve_agent(program: String) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr().context("the address")?);
    loop {
        let (tcp, _) = listener.accept().await?;
        tcp.set_nodelay(true)?;
        let program = program.clone();
        tokio::spawn(async move {
            if let Err(error) = copy_lines(tcp, &program).await {
                eprintln!("the pass-through: {error}");
            }
        });
    }
}

async fn copy_lines(tcp: TcpStream, program: &str) -> anyhow::Result<()> {
    let mut socket = tokio_tungstenite::accept_async(tcp).await?;
    let said = socket.next().await.context("nothing was said")??;
    let said: Value = serde_json::from_str(said.to_text()?)?;
    let mut agent = Command::new(program);
    agent.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut agent = agent.spawn()?;
    let (stdin, stdout) = (agent.stdin.as_mut(), agent.stdout.take());
    let message = json!({"type": "user", "message": {"role": "user", "content": said["message"]}});
    stdin.context("no input")?.write_all(format!("{message}\n").as_bytes()).await?;
    let mut lines = BufReader::new(stdout.context("no output")?).lines();
    while let Some(line) = lines.next_line().await? {
        // The client disconnects once it has everything.
        if socket.send(Message::text(line)).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn copy(State(upstream): State<Upstream>, body: String) -> Response {
    let asked = upstream.client.post(&upstream.url).body(request(&body)).send().await;
    match asked {
        Ok(answer) => {
            let body = Body::from_stream(answer.bytes_stream());
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        }
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

fn request(message: &str) -> String {
    json!({
        "model": "scripted", "max_tokens": 100, "stream": true,
        "messages": [{"role": "user", "content": message}],
    })
    .to_string()
}
