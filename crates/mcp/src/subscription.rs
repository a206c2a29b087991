//! Changes of the tools in protocol version 2026-07-28 (M-3): a server reports them on a
//! subscription, a request that stays open.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::transport::Ending;

/// The delay before a subscription that ended is opened again.
const BETWEEN: Duration = Duration::from_secs(5);

/// Keeps a subscription open until the connection has ended.
pub(super) async fn follow(peer: Peer<RoleClient>, changed: Arc<Notify>, ending: Ending) {
    tokio::select! {
        () = ending.reached() => {}
        () = listen(&peer, &changed) => {}
    }
}

/// A server without subscriptions is listed every few minutes anyway.
async fn listen(peer: &Peer<RoleClient>, changed: &Notify) {
    let tells = peer.peer_info().and_then(|info| info.capabilities.tools.as_ref()?.list_changed);
    if tells != Some(true) {
        return;
    }
    loop {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match peer.listen(filter).await {
            Ok(mut subscription) => {
                while let Ok(Some(_)) = subscription.next().await {
                    changed.notify_one();
                }
            }
            // It does not support subscriptions.
            Err(ServiceError::McpError(_)) => return,
            Err(_) => {}
        }
        sleep(BETWEEN).await;
        // Something may have changed while there was no subscription.
        changed.notify_one();
    }
}
