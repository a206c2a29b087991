//! The reader of a WebSocket, which also sends what the hands of its client write.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::api::{Api, Refusal};
use super::{Client, RETRY, Stage, within};
use crate::event::{Event, Position, text};
use crate::seen::Seen;

/// How long a handshake may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// A server pings every second; one that does not is left.
const SILENCE: Duration = Duration::from_secs(5);

/// Reads until the conversation is over; frames of the outbox go out over whichever connection there
/// is.
pub(super) async fn read(client: Arc<Client>, mut outbox: mpsc::Receiver<Value>, mut rng: Rng) {
    let mut seen = Seen::new(&client.name, &client.conversation, 0);
    while client.stage() < Stage::Left {
        match open(&client, seen.last).await {
            Ok(socket) => {
                client.connected(&mut seen);
                let leave = Instant::now() + within(&mut rng, 300..8_000);
                use_socket(&client, socket, &mut outbox, &mut seen, leave).await;
                if client.stage() < Stage::Left {
                    client.record.reconnected();
                }
            }
            Err(_) => tokio::time::sleep(RETRY).await,
        }
        client.stay_away(&mut rng).await;
    }
    seen.stayed = client.stage() == Stage::Over;
    client.record.read(seen);
}

/// One connection, until it breaks, or until it is time to leave.
async fn use_socket(
    client: &Client,
    mut socket: WebSocketStream<TcpStream>,
    outbox: &mut mpsc::Receiver<Value>,
    seen: &mut Seen,
    leave: Instant,
) {
    while client.stage() > Stage::Busy || Instant::now() < leave {
        tokio::select! {
            frame = timeout(SILENCE, socket.next()) => {
                let Ok(Some(Ok(frame))) = frame else { return };
                if let Message::Text(frame) = frame {
                    take(client, seen, &frame);
                }
            }
            Some(frame) = outbox.recv() => {
                if socket.send(Message::text(frame.to_string())).await.is_err() {
                    return;
                }
            }
            () = client.left() => return,
            () = tokio::time::sleep_until(leave), if client.stage() == Stage::Busy => {}
        }
    }
}

fn take(client: &Client, seen: &mut Seen, frame: &str) {
    let frame: Value = serde_json::from_str(frame).unwrap_or_default();
    match Event::of_frame(&frame) {
        Some(event) => client.take(seen, &event),
        None if frame["type"] == "error" => take_refusal(client, &frame),
        None => {}
    }
}

/// A frame of ours was refused.
fn take_refusal(client: &Client, frame: &Value) {
    let refusal = client.api.judge(None, &text(frame, "code"), "a frame");
    let (message, prompt) = (text(frame, "client_message_id"), text(frame, "messageId"));
    client.knowledge.refuse(&message, refusal);
    client.knowledge.forget_prompt(&prompt);
}

async fn open(client: &Client, after: Position) -> Result<WebSocketStream<TcpStream>, Refusal> {
    let path = Api::socket(&client.conversation, after);
    match timeout(PATIENCE, handshake(&client.api, &path)).await {
        Ok(Ok(socket)) => Ok(socket),
        Ok(Err(Error::Http(response))) => {
            let body = response.body().as_deref().unwrap_or_default();
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            let code = body["error"]["code"].as_str().unwrap_or("of the proxy");
            Err(client.api.judge(Some(response.status().as_u16()), code, "a WebSocket"))
        }
        Ok(Err(_)) | Err(_) => {
            client.record.refused("no response");
            Err(Refusal::Again)
        }
    }
}

async fn handshake(api: &Api, path: &str) -> Result<WebSocketStream<TcpStream>, Error> {
    let mut request = format!("ws://{}{path}", api.address).into_client_request()?;
    for (name, value) in &api.credentials {
        request.headers_mut().insert(*name, value.parse()?);
    }
    let tcp = TcpStream::connect(&api.address).await?;
    Ok(client_async(request, tcp).await?.0)
}
