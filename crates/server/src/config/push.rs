//! `[push]`: notifications to browsers that are closed.

use std::time::Duration;

use parlor_web_push::{AllowedServices, Contact};
use serde::{Deserialize, Serialize};

use super::public_url::PublicUrl;
use super::units::Span;
use super::{AtPlace, ConfigError};

/// What a server says of itself that has no address on the internet.
const NOBODY: &str = "mailto:parlor@localhost";
const DEFAULT_DELAY: Duration = Duration::from_secs(5);
const DEFAULT_LONG_TURN: Duration = Duration::from_secs(60);

/// Notifications to browsers that are closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConfig {
    /// Whether browsers can subscribe, and are told anything.
    pub enabled: bool,
    /// What a notification says.
    pub content: PushContent,
    /// Whom the operators of a push service can write to.
    pub contact: Contact,
    /// How long something waits before it is told: whoever looks at the page answers meanwhile.
    pub delay: Duration,
    /// The end of a turn that took less is not told.
    pub long_turn: Duration,
    /// Where push services may be.
    pub services: AllowedServices,
}

/// What a notification says, on a screen that others may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushContent {
    /// What is asked, and what a call would change.
    Full,
    /// The title of the conversation.
    Title,
    /// That something waits.
    #[default]
    None,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawPush {
    pub(super) enabled: Option<bool>,
    pub(super) content: Option<PushContent>,
    pub(super) contact: Option<String>,
    pub(super) delay: Option<Span>,
    pub(super) long_turn: Option<Span>,
    pub(super) local_services: Option<bool>,
}

impl PushConfig {
    pub(super) fn resolve(
        raw: RawPush,
        public_url: Option<&PublicUrl>,
    ) -> Result<Self, ConfigError> {
        let own = || public_url.filter(|url| url.is_https()).map(|url| url.as_str().to_owned());
        let contact = raw.contact.or_else(own).unwrap_or_else(|| NOBODY.to_owned());
        let contact = Contact::parse(&contact).map_err(|error| error.to_string());
        let local = raw.local_services.unwrap_or(false);
        Ok(Self {
            enabled: raw.enabled.unwrap_or(true),
            content: raw.content.unwrap_or_default(),
            contact: contact.at("push.contact")?,
            delay: raw.delay.map_or(DEFAULT_DELAY, |span| span.0),
            long_turn: raw.long_turn.map_or(DEFAULT_LONG_TURN, |span| span.0),
            services: match local {
                true => AllowedServices::PublicOrLoopback,
                false => AllowedServices::Public,
            },
        })
    }
}
