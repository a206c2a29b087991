//! `[tenants.….webhooks.…]`: other systems that are told of prompts and of blocked inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parlor_http_client::PublicOnly;
use parlor_process::SettingValue;
use parlor_protocol::ProjectId;
use parlor_storage::WebhookEvent;
use url::Url;

use super::observed::WebhookContent;
use super::raw::RawWebhook;
use super::{AtPlace, ConfigError};

/// A webhook.
#[derive(Debug, Clone)]
pub struct WebhookConfig {
    /// Where it is.
    pub url: Url,
    /// What messages are signed with.
    pub secret: SettingValue,
    /// The project, or all of the tenant.
    pub project: Option<ProjectId>,
    /// What it is told of.
    pub events: Vec<WebhookEvent>,
    /// How much it is told.
    pub content: WebhookContent,
    /// Whether it may be on this machine or in a private network.
    pub allow_private_addresses: bool,
    /// How long it is tried to tell it something.
    pub keep: Duration,
}

/// What permits an address that is not public.
pub(crate) const REMEDY: &str = "allow_private_addresses = true permits it";
const KEEP: Duration = Duration::from_secs(3 * 86_400);
const LONGEST_NAME: usize = 64;

impl WebhookConfig {
    /// `place` is the section of the tenant's webhooks; `projects` are those of the tenant.
    pub(super) fn resolve_all(
        place: &str,
        raw: BTreeMap<String, RawWebhook>,
        projects: &BTreeSet<ProjectId>,
    ) -> Result<BTreeMap<String, Self>, ConfigError> {
        let mut webhooks = BTreeMap::new();
        for (name, raw) in raw {
            let place = format!("{place}.{name}");
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fits) {
                let why = "a name has 1 to 64 letters of a to z, digits, - and _";
                return Err(ConfigError::invalid(&place, why.to_owned()));
            }
            webhooks.insert(name, Self::resolve(&place, raw, projects)?);
        }
        Ok(webhooks)
    }

    fn resolve(
        place: &str,
        raw: RawWebhook,
        projects: &BTreeSet<ProjectId>,
    ) -> Result<Self, ConfigError> {
        let missing = || "it is missing".to_owned();
        let is_private = raw.allow_private_addresses.unwrap_or(false);
        let url = raw.url.ok_or_else(missing).and_then(|url| address(&url, is_private));
        let project = raw.project.map_or(Ok(None), |project| match projects.contains(&project) {
            true => Ok(Some(project)),
            false => Err(format!("there is no project '{project}' in this tenant")),
        });
        Ok(Self {
            url: url.at(&format!("{place}.url"))?,
            secret: raw.secret.ok_or_else(missing).at(&format!("{place}.secret"))?,
            project: project.at(&format!("{place}.project"))?,
            events: events(raw.events).at(&format!("{place}.events"))?,
            content: raw.content.unwrap_or_default(),
            allow_private_addresses: is_private,
            keep: raw.keep.map_or(KEEP, |span| span.0),
        })
    }

    /// The names of the events.
    pub(super) fn event_names(&self) -> impl Iterator<Item = &'static str> {
        self.events.iter().map(|event| event.as_str())
    }
}

fn address(text: &str, is_private: bool) -> Result<Url, String> {
    let url: Url = text.parse().map_err(|_| format!("'{text}' is not a URL"))?;
    let is_plain = url.scheme() == "http";
    if !matches!(url.scheme(), "https" | "http") || (is_plain && !is_private) {
        let why = "it must begin with https://; http:// needs allow_private_addresses = true, for a \
                   system on this machine or in a private network";
        return Err(why.to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in the address would be in the log; leave it out: every \
                    message is signed"
            .to_owned());
    }
    if !is_private {
        let public = PublicOnly::new().with_remedy(REMEDY);
        public.check(&url).map_err(|error| error.to_string())?;
    }
    Ok(url)
}

fn events(names: Option<Vec<String>>) -> Result<Vec<WebhookEvent>, String> {
    let Some(names) = names else { return Ok(WebhookEvent::ALL.to_vec()) };
    let known = || WebhookEvent::ALL.map(WebhookEvent::as_str).join(", ");
    let event = |name: &String| {
        WebhookEvent::from_name(name)
            .ok_or_else(|| format!("'{name}' is no event; there are {}", known()))
    };
    let events: BTreeSet<WebhookEvent> = names.iter().map(event).collect::<Result<_, _>>()?;
    if events.is_empty() {
        return Err(format!("it must be told of something: {}", known()));
    }
    Ok(events.into_iter().collect())
}
