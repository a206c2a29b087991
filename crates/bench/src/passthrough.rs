//! What the server is compared with: takes a request, asks the upstream, and
//! copies the bytes of the answer. No less can be done and still be a proxy.

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

#[derive(Clone)]
struct Upstream {
    url: String,
    client: reqwest::Client,
}

pub(crate) async fn serve(upstream: &str) -> anyhow::Result<()> {
    let upstream =
        Upstream { url: format!("{upstream}/v1/messages"), client: reqwest::Client::new() };
    let app = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/api/chat", post(copy))
        .with_state(upstream);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr().context("the address")?);
    axum::serve(listener, app).await?;
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
    serde_json::json!({
        "model": "scripted", "max_tokens": 100, "stream": true,
        "messages": [{"role": "user", "content": message}],
    })
    .to_string()
}
