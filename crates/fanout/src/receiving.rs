//! The task that receives, and connects again whenever the channel is not heard.
//!
//! 1. Subscribe, and send a beat.
//! 2. When it comes back, the connection works. What was sent before is not known, so
//!    everything live has to be reread.
//! 3. Receive until the connection is lost, or until no beat came back for a while. A
//!    connection can be open and dead.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::channel::Channel;
use crate::health::Monitor;
use crate::incoming::Incoming;
use crate::outgoing::Outgoing;

const LONGEST_BACKOFF: Duration = Duration::from_secs(2);
/// A connection that lasted this long is not part of a series of failures.
const LASTED: Duration = Duration::from_secs(10);

/// Receives for ever.
pub(crate) async fn run(
    channel: Arc<Channel>,
    incoming: Arc<Incoming>,
    outgoing: Arc<Outgoing>,
    monitor: Arc<Monitor>,
) {
    let receives = async {
        let mut backoff = Backoff::up_to(LONGEST_BACKOFF);
        loop {
            let begin = Instant::now();
            receive(&channel, &incoming, &outgoing, &monitor).await;
            if begin.elapsed() > LASTED {
                backoff.reset();
            }
            tokio::time::sleep(backoff.next()).await;
        }
    };
    tokio::join!(receives, incoming.tell_slow_readers());
}

/// Receives with one connection.
async fn receive(
    channel: &Channel,
    incoming: &Arc<Incoming>,
    outgoing: &Outgoing,
    monitor: &Monitor,
) {
    // Before the first payload can arrive.
    incoming.reconnect();
    let mut subscription = match channel.subscribe(incoming).await {
        Ok(subscription) => subscription,
        Err(problem) => return monitor.lost(problem),
    };
    outgoing.beat();
    tokio::select! {
        problem = subscription.receive(incoming) => monitor.lost(problem),
        () = monitor.silence() => monitor.silent(&channel.meaning_of_silence()),
    }
}
