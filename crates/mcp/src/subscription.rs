//! Changes of the tools in the newer era (M-3): a server tells them to whoever
//! listens, on a request that stays open.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::transport::Ending;

/// The pause before a subscription that ended is opened again.
const BETWEEN: Duration = Duration::from_secs(5);

/// Listens until the connection is over.
pub(super) async fn follow(peer: Peer<RoleClient>, changed: Arc<Notify>, ending: Ending) {
    tokio::select! {
        () = ending.reached() => {}
        () = listen(&peer, &changed) => {}
    }
}

/// A server that cannot tell of changes is asked for its list now and then anyway.
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
            // It says that it does not know of subscriptions.
            Err(ServiceError::McpError(_)) => return,
            Err(_) => {}
        }
        sleep(BETWEEN).await;
        // Something may have changed while nobody listened.
        changed.notify_one();
    }
}
