//! The readers of one turn: on the node that owns it, and on another one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio_util::task::AbortOnDropHandle;

use crate::load::{Seen, now, open};
use crate::target::{Target, conversation_in};

/// A reader has joined this long after its stream has begun. What comes before is counted apart.
const JOINING: Duration = Duration::from_secs(1);
/// How long a reader elsewhere may take after the owner's reader has everything.
const PATIENCE: Duration = Duration::from_secs(30);

/// What was seen of one turn.
pub(super) struct TurnSeen {
    /// Until the first piece came.
    pub(super) first: Duration,
    /// The latency of each piece at the owner's reader.
    pub(super) latencies: Vec<Duration>,
    /// How much later a reader elsewhere had the same piece.
    pub(super) behind: Vec<Duration>,
    /// The same, while that reader joined.
    pub(super) joining: Vec<Duration>,
}

/// Sends a message to one node and reads the turn there, and on another node if there is one. Each
/// must get every piece once and in order.
pub(super) async fn read(
    owner: Arc<Target>,
    elsewhere: Option<Arc<Target>>,
    pieces: u64,
) -> anyhow::Result<TurnSeen> {
    let mut seen = Seen::new(pieces);
    let mut response = open(owner.chat()).await?;
    let mut follower = None;
    while let Some(chunk) = response.chunk().await? {
        let text = String::from_utf8_lossy(&chunk);
        if let (None, Some(node), Some(conversation)) =
            (&follower, &elsewhere, conversation_in(&text))
        {
            let follow = follow(Arc::clone(node), conversation.to_owned(), pieces);
            follower = Some(AbortOnDropHandle::new(tokio::spawn(follow)));
        }
        seen.take(&text)?;
    }
    let seen = seen.end()?;
    let (mut behind, mut joining) = (Vec::new(), Vec::new());
    if let Some(follower) = follower {
        let (begun, there) = tokio::time::timeout(PATIENCE, follower)
            .await
            .context("a reader elsewhere did not get everything")???;
        for (piece, sent) in seen.sent.iter().enumerate() {
            let later = there.latencies[piece].saturating_sub(seen.latencies[piece]);
            match *sent {
                sent if sent < begun => {}
                sent if sent < begun + JOINING => joining.push(later),
                _ => behind.push(later),
            }
        }
    }
    Ok(TurnSeen { first: seen.first, latencies: seen.latencies, behind, joining })
}

/// Reads a conversation until all pieces are there; returns when the stream began, too.
async fn follow(
    node: Arc<Target>,
    conversation: String,
    pieces: u64,
) -> anyhow::Result<(Duration, Seen)> {
    let mut seen = Seen::new(pieces);
    let mut response = open(node.events(&conversation)).await?;
    let begun = now();
    while !seen.is_whole() {
        let Some(chunk) = response.chunk().await? else { bail!("the stream elsewhere ended") };
        seen.take(&String::from_utf8_lossy(&chunk))?;
    }
    Ok((begun, seen))
}
