//! What both transports have in common.
//!
//! - When the connection ends, everything that waits for a response is notified at once.
//! - Notifications that are not needed are dropped early, and a server that floods the connection
//!   is throttled.

use std::sync::{Arc, OnceLock};

use parlor_process::Budget;
use rmcp::RoleClient;
use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// The largest message that is read; a result with several pictures fits.
pub(super) const LARGEST_MESSAGE: usize = 16 << 20;

const MESSAGES_PER_SECOND: usize = 5_000;

/// Signals that a connection has ended, with the reason if its transport knows it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    over: CancellationToken,
    why: Arc<OnceLock<String>>,
}

impl Ending {
    /// Marks the connection as ended. The first reason counts.
    pub(super) fn set(&self, why: Option<&str>) {
        if let Some(why) = why {
            let _first = self.why.set(why.to_owned());
        }
        self.over.cancel();
    }

    /// Completes when the connection has ended.
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

/// A transport that signals its end and limits the rate of messages.
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
            // Before receiving and not after, which is cancel-safe: no message is held while
            // waiting.
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
