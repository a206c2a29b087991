//! The channel over Redis or Valkey. Nothing is stored there.
//!
//! - [`url`]: the address.
//! - [`server`]: opens connections; what its errors mean.
//! - [`RedisChannel`]: one connection that publishes, for hints and live text of all tasks,
//!   and one that receives ([`RedisSubscription`]). Each is replaced after any failure.
//!
//! Two channels for a peer: `parlor:<installation>:hints`, which all have, and
//! `parlor:<installation>:live:<peer>`, for live text to that peer alone.

mod server;
mod url;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redis::aio::{MultiplexedConnection, SendError};
use redis::{Msg, PushInfo};
use tokio::task::AbortHandle;

use self::server::{Driver, Server};
pub use self::url::{InvalidRedisUrl, RedisUrl};
use crate::incoming::Incoming;
use crate::payload::encode_live;
use crate::peer::Peer;

/// The longest live text. A full queue of them is 64 MB.
const LONGEST_LIVE: usize = 64 * 1024;

/// Sends to all peers, or to one.
pub(crate) struct RedisChannel {
    server: Server,
    me: Peer,
    prefix: String,
    publisher: Mutex<Option<Arc<Publisher>>>,
}

/// The connection that publishes. It closes when this is dropped.
struct Publisher {
    connection: MultiplexedConnection,
    driver: AbortHandle,
}

/// The connection that receives. It closes when this is dropped.
pub(crate) struct RedisSubscription {
    /// Without it the driver would end.
    _connection: MultiplexedConnection,
    driver: Driver,
    /// What it means that the driver ends.
    lost: String,
}

impl RedisChannel {
    pub(crate) fn new(url: RedisUrl, installation: &str, me: Peer) -> Self {
        let prefix = format!("parlor:{installation}");
        Self { server: Server::new(url), me, prefix, publisher: Mutex::default() }
    }

    /// Sends a payload of hints to everybody; in an error, what to do.
    pub(crate) async fn publish(&self, payload: &str) -> Result<(), String> {
        let publisher = match self.publisher() {
            Some(publisher) => publisher,
            None => self.connect_publisher().await?,
        };
        self.send(&publisher, &self.hints(), payload).await.map(drop)
    }

    /// Sends live text to one peer; whether it got there. An error means that there is no
    /// connection.
    pub(crate) async fn send_live(&self, to: Peer, text: &str) -> Result<bool, String> {
        if text.len() > LONGEST_LIVE {
            return Ok(false);
        }
        // Only hints connect: their task waits between attempts.
        let publisher = self.publisher().ok_or_else(|| self.server.at("not connected"))?;
        let payload = encode_live(self.me, text);
        let receivers = self.send(&publisher, &self.live(to), &payload).await?;
        Ok(receivers > 0)
    }

    /// Closes the connection that publishes.
    pub(crate) fn close(&self) {
        self.slot().take();
    }

    /// Connects and subscribes; in an error, what to do.
    pub(crate) async fn subscribe(
        &self,
        incoming: &Arc<Incoming>,
    ) -> Result<RedisSubscription, String> {
        let channels = [self.hints(), self.live(self.me)];
        let deliver = {
            let (incoming, [hints, live]) = (Arc::clone(incoming), channels.clone());
            move |push: PushInfo| {
                deliver(push, &hints, &live, &incoming);
                Ok::<(), SendError>(())
            }
        };
        let config = Server::config().set_push_sender(deliver);
        let (mut connection, mut driver) = self.server.connect(&config).await?;
        let subscribed = tokio::select! {
            answer = connection.subscribe(&channels) => answer,
            () = &mut driver => return Err(self.server.closed()),
        };
        subscribed.map_err(|error| self.server.explain(&error))?;
        let lost = self.server.at("the connection was lost");
        Ok(RedisSubscription { _connection: connection, driver, lost })
    }

    /// Why a subscription hears nothing although payloads are sent.
    pub(crate) fn meaning_of_silence(&self) -> String {
        self.server.at("SUBSCRIBE is accepted, but nothing that is published arrives; check that \
                        fanout.url names one server, and no proxy")
    }

    async fn connect_publisher(&self) -> Result<Arc<Publisher>, String> {
        let (connection, driver) = self.server.connect(&Server::config()).await?;
        let driver = tokio::spawn(driver).abort_handle();
        let publisher = Arc::new(Publisher { connection, driver });
        *self.slot() = Some(Arc::clone(&publisher));
        Ok(publisher)
    }

    /// Publishes, and returns how many receive it.
    async fn send(
        &self,
        publisher: &Arc<Publisher>,
        channel: &str,
        payload: &str,
    ) -> Result<u64, String> {
        let mut connection = publisher.connection.clone();
        let mut publish = redis::cmd("PUBLISH");
        let sent = publish.arg(channel).arg(payload).query_async(&mut connection).await;
        sent.map_err(|error| {
            // Somebody else may have replaced it already.
            self.slot().take_if(|current| Arc::ptr_eq(current, publisher));
            self.server.explain(&error)
        })
    }

    fn publisher(&self) -> Option<Arc<Publisher>> {
        self.slot().clone()
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Publisher>>> {
        self.publisher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hints(&self) -> String {
        format!("{}:hints", self.prefix)
    }

    fn live(&self, of: Peer) -> String {
        format!("{}:live:{of}", self.prefix)
    }
}

impl fmt::Debug for RedisChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisChannel").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl RedisSubscription {
    /// Receives until the connection is lost; returns why.
    pub(crate) async fn receive(&mut self) -> String {
        (&mut self.driver).await;
        self.lost.clone()
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Takes what the server sends. It is called for each message while the connection is read,
/// so no queue can grow before ours.
fn deliver(push: PushInfo, hints: &str, live: &str, incoming: &Incoming) {
    let Some(message) = Msg::from_push_info(push) else { return };
    let Ok(payload) = std::str::from_utf8(message.get_payload_bytes()) else { return };
    match message.get_channel_name() {
        channel if channel == hints => incoming.hints(payload),
        channel if channel == live => incoming.live(payload),
        _ => {}
    }
}
