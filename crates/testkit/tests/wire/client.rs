//! The smallest HTTP client that can read the server: one request, one chunked answer.

use parlor_testkit::ScriptedModel;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    /// The data of its events, which must be JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub(crate) async fn post(model: &ScriptedModel, path: &str, body: &Value) -> Answer {
    request(model, "POST", path, &body.to_string()).await
}

pub(crate) async fn get(model: &ScriptedModel, path: &str) -> Answer {
    request(model, "GET", path, "").await
}

async fn request(model: &ScriptedModel, method: &str, path: &str, body: &str) -> Answer {
    let address = model.base_url();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).await.unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).await.unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n0\r\n\r\n") {
        let some = stream.read_buf(&mut read).await.unwrap();
        assert_ne!(some, 0, "it ended early: {}", String::from_utf8_lossy(&read));
    }
    let text = String::from_utf8(read).unwrap();
    let (head, chunks) = text.split_once("\r\n\r\n").unwrap();
    Answer { status: head.split(' ').nth(1).unwrap().parse().unwrap(), body: joined(chunks) }
}

/// The pieces of a chunked body.
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return body;
        }
        body.push_str(&rest[..length]);
        chunks = &rest[length + 2..];
    }
}
