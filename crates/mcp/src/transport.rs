//! What stands between a server and the protocol, whichever way it is reached.
//!
//! - When nothing more comes, everybody who waits is told at once.
//! - Notifications that nobody here needs are dropped before they cost anything,
//!   and a server that sends without end is slowed down.

use std::sync::{Arc, OnceLock};

use parlor_process::Budget;
use rmcp::RoleClient;
use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// The largest message that is read. A result with a few pictures fits.
pub(super) const LARGEST_MESSAGE: usize = 16 << 20;

const MESSAGES_PER_SECOND: usize = 5_000;

/// Says when a connection is over, and why, if its transport knows.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    over: CancellationToken,
    why: Arc<OnceLock<String>>,
}

impl Ending {
    /// The connection is over. The first reason counts.
    pub(super) fn set(&self, why: Option<&str>) {
        if let Some(why) = why {
            let _first = self.why.set(why.to_owned());
        }
        self.over.cancel();
    }

    /// Ready when it is over.
    pub(super) async fn reached(&self) {
        self.over.cancelled().await;
    }

    pub(super) fn is_reached(&self) -> bool {
        self.over.is_cancelled()
    }

    pub(super) fn why(&self) -> Option<&str> {
        self.why.get().map(String::as_str)
    }
}

/// A transport that is watched.
pub(super) struct Watched<T> {
    inner: T,
    ending: Ending,
    budget: Budget,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, ending: Ending) -> Self {
        Self { inner, ending, budget: Budget::new(MESSAGES_PER_SECOND) }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            // Before and not after: who is dropped while waiting loses nothing.
            self.budget.take(1).await;
            let message = self.inner.receive().await;
            match message {
                Some(message) if !is_needed(&message) => {}
                Some(message) => return Some(message),
                None => {
                    self.ending.set(None);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.ending.set(None);
        self.inner.close().await
    }
}

fn is_needed(message: &ServerJsonRpcMessage) -> bool {
    match message {
        ServerJsonRpcMessage::Notification(notification) => matches!(
            notification.notification,
            ServerNotification::ToolListChangedNotification(_)
                | ServerNotification::ProgressNotification(_)
                | ServerNotification::SubscriptionsAcknowledgedNotification(_)
                | ServerNotification::CancelledNotification(_)
        ),
        _ => true,
    }
}
