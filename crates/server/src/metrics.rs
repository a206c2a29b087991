//! What the server counts by itself, and the token that opens its metrics. What happens in the chat
//! is counted there ([`parlor_chat::ProjectMetrics`]).

use std::sync::Arc;

use axum::http::StatusCode;
use parlor_metrics::{Counter, Gauge};
use ring::hmac;
use ring::rand::SystemRandom;
use secrecy::{ExposeSecret, SecretString};

use crate::auth::NoRandomness;

/// Counted since the start of the server.
#[derive(Debug, Default)]
pub struct ServerMetrics {
    /// Connections that are open.
    pub(crate) connections: Arc<Gauge>,
    /// Connections that were refused, because there were too many.
    pub(crate) refused_connections: Counter,
    /// Streams of events to browsers and programs.
    pub(crate) event_streams: Arc<Gauge>,
    /// WebSockets.
    pub(crate) websockets: Arc<Gauge>,
    /// Responses to external clients that are under way.
    pub(crate) external_streams: Arc<Gauge>,
    /// Requests by the first digit of their status, from 1 on.
    requests: [Counter; 5],
}

impl ServerMetrics {
    /// Counts a request that was answered.
    pub(crate) fn answered(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(counted) = self.requests.get(class) {
            counted.add(1);
        }
    }

    /// How many requests had each class of status.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
        classes.into_iter().zip(self.requests.iter().map(Counter::get))
    }
}

/// The token of a monitoring system. Compared in constant time: under a key that nobody knows, two
/// texts of which one is almost right look as different as any other two.
#[derive(Debug)]
pub struct MetricsToken {
    key: hmac::Key,
    tag: hmac::Tag,
}

impl MetricsToken {
    /// Of the configured token.
    pub fn new(token: &SecretString) -> Result<Self, NoRandomness> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        let key = key.map_err(|_| NoRandomness)?;
        let tag = hmac::sign(&key, token.expose_secret().as_bytes());
        Ok(Self { key, tag })
    }

    /// Whether this is the token.
    pub(crate) fn is(&self, given: &str) -> bool {
        hmac::verify(&self.key, given.as_bytes(), self.tag.as_ref()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-3: only the whole token is the token.
    #[test]
    fn a_token_is_compared_whole() {
        let token = MetricsToken::new(&SecretString::from("0123456789abcdef")).unwrap();
        assert!(token.is("0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }
}
