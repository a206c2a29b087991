//! Why a message was not taken, named by what to do next.

use std::time::Duration;

use ring::error::Unspecified;

/// A message was not taken by its push service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// The browser no longer has this subscription: delete it.
    #[error("the subscription is gone; delete it")]
    Gone,
    /// The message is over our limit, or over a lower one of the push service: send less.
    #[error("the message is too large for its push service; send less")]
    TooLarge,
    /// The push service takes nothing now: send it again after this time.
    #[error("the push service asks to wait {} s", .0.as_secs())]
    RetryAfter(Duration),
    /// The push service did not answer; it is unknown whether it took the message.
    #[error("{host} cannot be reached: {why}")]
    Unreachable {
        /// Whom the message was for.
        host: String,
        /// What went wrong with the connection.
        why: String,
    },
    /// The endpoint leads to an address that is not allowed, or is no longer https.
    #[error("{host} is not an allowed push service: it is not https, or its address is not public")]
    NotAllowed {
        /// Whom the message was for.
        host: String,
    },
    /// The push service refuses the message, and will refuse it again.
    #[error("{host} refuses the message with status {status}{}", quoted(.reason.as_deref()))]
    Refused {
        /// Whom the message was for.
        host: String,
        /// The HTTP status.
        status: u16,
        /// Why, in the words of the push service.
        reason: Option<String>,
    },
    /// The system gives no randomness, or a key cannot be used.
    #[error("the message cannot be encrypted or signed")]
    Crypto,
}

fn quoted(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": \"{reason}\"")).unwrap_or_default()
}

impl From<Unspecified> for PushError {
    fn from(_: Unspecified) -> Self {
        Self::Crypto
    }
}
