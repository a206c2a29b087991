//! The task that sends what waits.
//!
//! 1. Wait for a hint, or for the next beat.
//! 2. Gather what comes with it for a moment.
//! 3. Send everything, in as many payloads as it takes. What could not be sent waits again.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::channel::Channel;
use crate::health::Monitor;
use crate::outgoing::Outgoing;
use crate::payload::encode;
use crate::peer::Peer;

/// How long a hint waits for others. Commits that notify wait for each other in the whole
/// database, so there are at most 200 a second of each node; nobody sees 5 ms.
const GATHER: Duration = Duration::from_millis(5);
/// A payload is sent at least this often.
const BEAT: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// Sends until [`Outgoing::close`] is called and everything is sent.
pub(crate) async fn run(
    me: Peer,
    channel: Arc<Channel>,
    outgoing: Arc<Outgoing>,
    monitor: Arc<Monitor>,
) {
    let mut backoff = Backoff::up_to(LONGEST_BACKOFF);
    let mut beat = Instant::now();
    loop {
        tokio::select! {
            () = outgoing.wanted() => tokio::time::sleep(GATHER).await,
            () = tokio::time::sleep_until(beat) => {}
        }
        let closing = outgoing.is_closing();
        match send(me, &channel, &outgoing).await {
            Ok(()) => {
                monitor.sent();
                backoff.reset();
                beat = Instant::now() + BEAT;
                if closing {
                    return;
                }
            }
            Err(problem) => {
                monitor.not_sent(problem);
                tokio::time::sleep(backoff.next()).await;
                beat = Instant::now();
            }
        }
    }
}

/// Sends what waits, at least a beat.
async fn send(me: Peer, channel: &Channel, outgoing: &Outgoing) -> Result<(), String> {
    let mut lines = outgoing.take();
    loop {
        let (payload, count) = encode(me, &lines);
        if let Err(problem) = channel.publish(&payload).await {
            outgoing.put_back(lines);
            return Err(problem);
        }
        lines.drain(..count);
        if lines.is_empty() {
            return Ok(());
        }
    }
}
