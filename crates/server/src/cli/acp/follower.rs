//! Follows the events of one conversation from a position on, over any number of
//! connections.
//!
//! A connection that breaks, or that a stopping server ends, is opened again after the last
//! event that was read. A server that stays away for a minute is reported.

use std::sync::Arc;
use std::time::Duration;

use parlor_protocol::{ConversationId, EventBody, EventId};
use tokio::time::{Instant, sleep};

use super::client::{Client, ClientError};
use super::event_stream::EventStream;

const FIRST_DELAY: Duration = Duration::from_millis(250);
const LONGEST_DELAY: Duration = Duration::from_secs(8);
/// As many as take about a minute.
const ATTEMPTS: u32 = 11;

/// Reads a conversation.
#[derive(Debug)]
pub(super) struct Follower {
    client: Arc<Client>,
    conversation: ConversationId,
    /// The last event that was read.
    position: EventId,
    stream: Option<EventStream>,
    /// Attempts that failed one after the other.
    failed: u32,
    connected: Instant,
}

impl Follower {
    pub(super) fn new(
        client: Arc<Client>,
        conversation: ConversationId,
        position: EventId,
    ) -> Self {
        Self { client, conversation, position, stream: None, failed: 0, connected: Instant::now() }
    }

    /// The last event that was read.
    pub(super) fn position(&self) -> EventId {
        self.position
    }

    /// Closes the connection until more is wanted.
    pub(super) fn rest(&mut self) {
        self.stream = None;
    }

    /// The next event; waits until there is one. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<EventBody, ClientError> {
        loop {
            let Some(stream) = &mut self.stream else {
                self.connect().await?;
                continue;
            };
            match stream.next().await {
                Ok(Some(event)) => {
                    self.failed = 0;
                    self.position = event.id.unwrap_or(self.position);
                    return Ok(event.body);
                }
                Ok(None) => self.broken("the stream ended".to_owned())?,
                Err(why) => self.broken(why)?,
            }
        }
    }

    /// A conversation that is gone, or a key that is no longer valid, is an error at once.
    async fn connect(&mut self) -> Result<(), ClientError> {
        if self.failed > 0 {
            sleep((FIRST_DELAY * (1 << (self.failed - 1).min(5))).min(LONGEST_DELAY)).await;
        }
        match self.client.events(self.conversation, self.position).await {
            Ok(stream) => {
                self.stream = Some(stream);
                self.connected = Instant::now();
            }
            Err(ClientError::Unreachable { why, .. }) => self.broken(why)?,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn broken(&mut self, why: String) -> Result<(), ClientError> {
        let had_connection = self.stream.take().is_some();
        if had_connection && self.connected.elapsed() > LONGEST_DELAY {
            // Some proxies end a stream every few minutes.
            self.failed = 0;
        }
        self.failed += 1;
        if self.failed > ATTEMPTS {
            self.failed = 0;
            return Err(self.client.unreachable(why));
        }
        tracing::warn!(why, attempt = self.failed, "lost the connection to Parlor; retrying");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    /// A server that stays away is reported, with its address, after about a minute.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_stays_away_is_reported() {
        crate::start::install_tls();
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let url = format!("http://{nobody}");
        let client = Client::local(url.parse().unwrap(), &SecretString::from("key")).unwrap();
        let conversation = ConversationId::new(uuid::Uuid::nil());
        let mut follower = Follower::new(Arc::new(client), conversation, EventId::durable(7));
        let begun = Instant::now();
        let error = follower.next().await.unwrap_err().to_string();
        assert!(error.contains(&format!("does not answer at {url}")), "{error}");
        let waited = begun.elapsed().as_secs();
        assert!((30..300).contains(&waited), "{waited} s");
        assert_eq!(follower.position(), EventId::durable(7));
    }
}
