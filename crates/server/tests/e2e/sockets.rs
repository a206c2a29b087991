//! A WebSocket client for tests, with another implementation of the protocol than the server's.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::test_app::{ADMIN_KEY, PATIENCE, TestApp};

/// The project of the tests.
pub(crate) const HOME: &str = "/ws/chat/home/recipes";

pub(crate) struct Socket {
    pub(crate) stream: WebSocketStream<TcpStream>,
    /// The close code of the server.
    pub(crate) closed: Option<u16>,
}

impl Socket {
    /// Opens one with the admin's key.
    pub(crate) async fn open(app: &TestApp, query: &str) -> Self {
        Self::with(app, &format!("{HOME}{query}"), &[("x-api-key", ADMIN_KEY)]).await.unwrap()
    }

    /// Opens one with exactly these headers; else returns the status and code of the refusal.
    pub(crate) async fn with(
        app: &TestApp,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, (u16, String)> {
        Self::at(app.address, path, headers).await
    }

    /// The same, for any address.
    pub(crate) async fn at(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, (u16, String)> {
        let tcp = TcpStream::connect(address).await.unwrap();
        Self::over(tcp, path, headers).await
    }

    pub(crate) async fn over(
        tcp: TcpStream,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, (u16, String)> {
        let address = tcp.peer_addr().unwrap();
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match timeout(PATIENCE, client_async(request, tcp)).await.expect("the handshake hangs") {
            Ok((stream, _)) => Ok(Self { stream, closed: None }),
            Err(Error::Http(response)) => {
                let body = response.body().clone().unwrap_or_default();
                let body: Value = serde_json::from_slice(&body).unwrap_or_default();
                let code = body["error"]["code"].as_str().unwrap_or_default().to_owned();
                Err((response.status().as_u16(), code))
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) async fn send(&mut self, frame: &Value) {
        self.send_raw(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn send_raw(&mut self, message: Message) {
        timeout(PATIENCE, self.stream.send(message)).await.expect("nobody reads").unwrap();
    }

    /// The next frame; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let message = timeout(PATIENCE, self.stream.next()).await.expect("nothing comes")?;
            match message {
                Ok(Message::Text(text)) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    assert!(frame["id"].is_string(), "every frame has an id: {frame}");
                    assert!(frame.get("conversation_id").is_some(), "and a conversation: {frame}");
                    return Some(frame);
                }
                Ok(Message::Close(close)) => self.closed = close.map(|close| close.code.into()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("{other:?}"),
                // The connection ended without a close frame.
                Err(_) => return None,
            }
        }
    }

    /// The next frame of a type, skipping others.
    pub(crate) async fn find(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next().await.unwrap_or_else(|| panic!("no {kind} came"));
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    /// All frames until a turn is done.
    pub(crate) async fn turn(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        while frames.last().is_none_or(|frame: &Value| frame["type"] != "done") {
            frames.push(self.next().await.expect("no done came"));
        }
        frames
    }

    /// Sends a message, and returns the frames of its turn.
    pub(crate) async fn say(&mut self, words: &str) -> Vec<Value> {
        self.send(&serde_json::json!({"message": words})).await;
        self.turn().await
    }

    /// The code of the error frame that comes next, and the frame.
    pub(crate) async fn refusal(&mut self) -> (String, Value) {
        let frame = self.next().await.expect("no refusal came");
        assert_eq!(frame["type"], "error", "{frame}");
        assert_eq!(frame["message"], frame["content"]);
        (frame["code"].as_str().unwrap().to_owned(), frame)
    }

    /// Reads to the end, and returns the close code.
    pub(crate) async fn end(&mut self) -> Option<u16> {
        while self.next().await.is_some() {}
        self.closed
    }
}

/// The types of frames.
pub(crate) fn types(frames: &[Value]) -> Vec<&str> {
    frames.iter().map(|frame| frame["type"].as_str().unwrap()).collect()
}

/// The streamed text.
pub(crate) fn streamed(frames: &[Value]) -> String {
    frames.iter().filter_map(|frame| frame["token"].as_str()).collect()
}
