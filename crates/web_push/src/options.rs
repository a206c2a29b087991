//! How a push service treats a message (RFC 8030, section 5).

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use ring::digest::{SHA256, digest};

/// Four weeks: what Google's push service documents as its longest.
const LONGEST_TTL: Duration = Duration::from_secs(28 * 24 * 60 * 60);
/// A topic has at most 32 characters of base64url: those of 24 bytes.
const TOPIC_BYTES: usize = 24;

/// How a message is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushOptions {
    /// How long the push service keeps it for a browser that is away; at most four weeks.
    pub ttl: Duration,
    /// Whether a phone is woken for it.
    pub urgency: Urgency,
    /// Which earlier message it replaces, if that was not delivered yet.
    pub topic: Option<Topic>,
}

/// What a message is worth of a phone's battery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urgency {
    /// On power and Wi-Fi.
    VeryLow,
    /// On power or Wi-Fi.
    Low,
    /// On neither.
    #[default]
    Normal,
    /// Also on low battery.
    High,
}

/// The name of what a message is about, as a push service may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic(String);

impl Topic {
    /// The topic of something, for example of a prompt's id. It is a hash: always valid, and it
    /// says nothing to the push service.
    pub fn of(name: &str) -> Self {
        let hash = digest(&SHA256, name.as_bytes());
        Self(BASE64URL_NOPAD.encode(&hash.as_ref()[..TOPIC_BYTES]))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Urgency {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::VeryLow => "very-low",
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

impl PushOptions {
    /// A message of ordinary urgency that is worth so much time.
    pub fn new(ttl: Duration) -> Self {
        Self { ttl, urgency: Urgency::Normal, topic: None }
    }

    pub(crate) fn ttl_seconds(&self) -> u64 {
        self.ttl.min(LONGEST_TTL).as_secs()
    }
}
