//! Sending a message: the same one, under the same id, until it is acknowledged or cannot be taken.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::api::{Api, Refusal};
use super::stream::EventStream;
use super::{Client, RETRY};
use crate::cluster::PROJECT;
use crate::event::{Body, Event};
use crate::evidence::Acknowledged;
use crate::plan::Plan;
use crate::seen::Seen;

/// How long a socket may take to show a message that it took.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// A message on its way.
pub(super) struct Outgoing {
    tag: String,
    text: String,
    body: Value,
}

impl Outgoing {
    /// The next message of a room, in a conversation or in a new one.
    pub(super) fn new(api: &Api, tag: String, conversation: Option<&str>, rng: &mut Rng) -> Self {
        let text = Plan::draw(tag.clone(), rng).to_string();
        api.record.says(&tag, &text);
        let mut body = json!({"message": text, "client_message_id": tag, "project": PROJECT});
        if let Some(id) = conversation {
            body["conversation_id"] = json!(id);
        }
        Self { tag, text, body }
    }

    /// Posts it until it is acknowledged; then the rest of the stream is there to read. `None` if it
    /// cannot be taken now.
    pub(super) async fn post(&self, api: &Api) -> Option<(Acknowledged, EventStream, Event)> {
        loop {
            match self.post_once(api).await {
                Ok(taken) => return Some(taken),
                Err(Refusal::Again) => tokio::time::sleep(RETRY).await,
                Err(Refusal::NotNow | Refusal::Wrong) => return None,
            }
        }
    }

    async fn post_once(&self, api: &Api) -> Result<(Acknowledged, EventStream, Event), Refusal> {
        let mut stream = api.chat(&self.body).await?;
        let first = stream.next().await.ok_or(Refusal::Again)?;
        let Body::Start { conversation, turn, message } = first.body.clone() else {
            return Err(Refusal::Again);
        };
        let acknowledged = Acknowledged { conversation, turn, message };
        api.record.acknowledged(&self.tag, acknowledged.clone());
        Ok((acknowledged, stream, first))
    }

    /// Sends it over the client's socket until the client hears it there.
    async fn say(&self, client: &Client, outbox: &mpsc::Sender<Value>) {
        // The reader ends with the conversation.
        while outbox.send(self.body.clone()).await.is_ok() {
            let until = Instant::now() + PATIENCE;
            while Instant::now() < until {
                match client.knowledge.fate(&self.tag, &self.text) {
                    Some(Ok(heard)) => return client.record.acknowledged(&self.tag, heard),
                    Some(Err(Refusal::NotNow | Refusal::Wrong)) => return,
                    Some(Err(Refusal::Again)) => break,
                    None => tokio::time::sleep(POLL).await,
                }
            }
        }
    }
}

/// Sends the next message of the client's room.
pub(super) async fn send(
    client: &Arc<Client>,
    outbox: Option<&mpsc::Sender<Value>>,
    rng: &mut Rng,
) {
    let number = client.next_message.fetch_add(1, Ordering::Relaxed);
    let tag = format!("m{}-{number}", client.room);
    let message = Outgoing::new(&client.api, tag, Some(&client.conversation), rng);
    if let Some(outbox) = outbox {
        return message.say(client, outbox).await;
    }
    let Some((_, stream, start)) = message.post(&client.api).await else { return };
    match rng.u32(0..4) {
        // The response is lost, as far as the server knows, and the message comes once more.
        0 => {
            drop(stream);
            let _same = message.post(&client.api).await;
        }
        1 => {
            let reader = format!("{} post", client.name);
            tokio::spawn(read_turn(Arc::clone(client), reader, stream, start));
        }
        _ => {}
    }
}

/// Reads the stream of a message to its end.
async fn read_turn(client: Arc<Client>, reader: String, mut stream: EventStream, start: Event) {
    let before = start.at.map_or(0, |at| at.seq.saturating_sub(1));
    let mut seen = Seen::new(&reader, &client.conversation, before);
    seen.take(&start, false);
    while let Some(event) = stream.next().await {
        seen.take(&event, client.calm.period().is_some());
    }
    client.record.read(seen);
}
