//! The reader of an event stream.

use std::sync::Arc;

use fastrand::Rng;
use tokio::time::Instant;

use super::stream::EventStream;
use super::{Client, RETRY, Stage, within};
use crate::seen::Seen;

/// Reads until the conversation is over.
pub(super) async fn read(client: Arc<Client>, mut rng: Rng) {
    let from = begin(&client, &mut rng).await;
    let mut seen = Seen::new(&client.name, &client.conversation, from);
    while client.stage() < Stage::Left {
        match client.api.events(&client.conversation, seen.last).await {
            Ok(mut stream) => {
                client.connected(&mut seen);
                let leave = Instant::now() + within(&mut rng, 300..8_000);
                read_stream(&client, &mut stream, &mut seen, leave).await;
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
async fn read_stream(client: &Client, stream: &mut EventStream, seen: &mut Seen, leave: Instant) {
    while client.stage() > Stage::Busy || Instant::now() < leave {
        tokio::select! {
            event = stream.next() => {
                let Some(event) = event else { return };
                client.take(seen, &event);
            }
            () = client.left() => return,
            () = tokio::time::sleep_until(leave), if client.stage() == Stage::Busy => {}
        }
    }
}

/// Where the reader begins: before everything, or after the page that it loaded.
async fn begin(client: &Client, rng: &mut Rng) -> u64 {
    if rng.bool() {
        return 0;
    }
    let page = client.api.get(&format!("/api/conversations/{}", client.conversation)).await;
    let cursor = page.ok().and_then(|page| page["cursor"].as_str()?.parse().ok());
    cursor.unwrap_or(0)
}
