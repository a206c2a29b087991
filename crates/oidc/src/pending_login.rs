//! A login between its two halves: what only the browser that began it may bring back.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};

use crate::error::OidcError;
use crate::settings::ProviderSettings;

/// How long a person may take at the provider.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// 256 bits: nobody guesses them.
const RANDOM_BYTES: usize = 32;

/// A login that was begun. Whoever has it and the code can finish it, so it is kept encrypted where
/// only one browser can bring it back. `Debug` prints nothing of it.
#[derive(Serialize, Deserialize)]
pub struct PendingLogin {
    provider: String,
    issuer: String,
    client_id: String,
    pub(crate) redirect_uri: String,
    pub(crate) state: String,
    pub(crate) nonce: String,
    /// The secret of PKCE, which shows that whoever exchanges the code began the login.
    pub(crate) verifier: String,
    expires_at: u64,
}

impl PendingLogin {
    pub(crate) fn new(settings: &ProviderSettings, now: SystemTime) -> Result<Self, OidcError> {
        Ok(Self {
            provider: settings.id.to_string(),
            issuer: settings.issuer.clone(),
            client_id: settings.client_id.clone(),
            redirect_uri: settings.redirect_uri.clone(),
            state: random()?,
            nonce: random()?,
            verifier: random()?,
            expires_at: seconds(now).saturating_add(PATIENCE.as_secs()),
        })
    }

    /// How long it can be finished after it was begun.
    pub const fn patience() -> Duration {
        PATIENCE
    }

    /// Whether it can still be finished, with this provider as it is configured now.
    pub(crate) fn is_for(&self, settings: &ProviderSettings, now: SystemTime) -> bool {
        self.provider == settings.id.as_str()
            && self.issuer == settings.issuer
            && self.client_id == settings.client_id
            && seconds(now) < self.expires_at
    }

    /// What the provider is told of the secret (PKCE, S256).
    pub(crate) fn challenge(&self) -> String {
        BASE64URL_NOPAD.encode(digest(&SHA256, self.verifier.as_bytes()).as_ref())
    }
}

/// Whether two secrets are the same. Hashes are compared, so that the time that it takes says
/// nothing of the secret.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let hash = |text: &str| digest(&SHA256, text.as_bytes());
    hash(a).as_ref() == hash(b).as_ref()
}

fn random() -> Result<String, OidcError> {
    let mut bytes = [0; RANDOM_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| OidcError::no_randomness())?;
    Ok(BASE64URL_NOPAD.encode(&bytes))
}

fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl fmt::Debug for PendingLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingLogin").field("provider", &self.provider).finish_non_exhaustive()
    }
}
