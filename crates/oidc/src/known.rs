//! What is known of a provider: its addresses and its keys, fetched when they are first needed,
//! renewed now and then, and the keys also when a token names a new one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::discovery::Metadata;
use crate::error::OidcError;
use crate::json_web_keys::{JsonWebKeys, KeySet};
use crate::requests::Requests;
use crate::settings::ProviderSettings;

/// How long addresses and keys are used.
const FRESH_FOR: Duration = Duration::from_secs(60 * 60);
/// How often an unknown key makes us fetch the keys: tokens of strangers must not make requests.
const BETWEEN_KEYS: Duration = Duration::from_secs(60);
/// How long a provider that failed is not asked again: everybody can begin a login.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Addresses and keys, as they were at one time.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) metadata: Arc<Metadata>,
    pub(crate) keys: Arc<JsonWebKeys>,
}

/// What is known, shared by all logins. Whoever finds it old fetches it, and the others wait.
#[derive(Debug, Default)]
pub(crate) struct Knowledge(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    known: Option<(Known, Instant)>,
    keys_renewed: Option<Instant>,
    failed: Option<(OidcError, Instant)>,
}

impl Knowledge {
    /// Addresses and keys that are not old.
    pub(crate) async fn get(
        &self,
        requests: &Requests,
        settings: &ProviderSettings,
    ) -> Result<Known, OidcError> {
        let mut kept = self.0.lock().await;
        if let Some((known, since)) = &kept.known
            && since.elapsed() < FRESH_FOR
        {
            return Ok(known.clone());
        }
        if let Some((error, since)) = &kept.failed
            && since.elapsed() < AFTER_FAILURE
        {
            return Err(error.clone());
        }
        match fetch(requests, settings).await {
            Ok(known) => {
                kept.known = Some((known.clone(), Instant::now()));
                kept.failed = None;
                Ok(known)
            }
            Err(error) => {
                kept.failed = Some((error.clone(), Instant::now()));
                Err(error)
            }
        }
    }

    /// The keys after a token named one that is not among `old`. The same ones, if they were
    /// fetched just now.
    pub(crate) async fn newer_keys(
        &self,
        requests: &Requests,
        old: &Known,
    ) -> Result<Arc<JsonWebKeys>, OidcError> {
        let mut kept = self.0.lock().await;
        // Another login may have fetched them meanwhile.
        if let Some((known, _)) = &kept.known
            && !Arc::ptr_eq(&known.keys, &old.keys)
        {
            return Ok(Arc::clone(&known.keys));
        }
        if kept.keys_renewed.is_some_and(|at| at.elapsed() < BETWEEN_KEYS) {
            return Ok(Arc::clone(&old.keys));
        }
        kept.keys_renewed = Some(Instant::now());
        let keys = Arc::new(fetch_keys(requests, &old.metadata).await?);
        if let Some((known, _)) = &mut kept.known {
            known.keys = Arc::clone(&keys);
        }
        Ok(keys)
    }
}

async fn fetch(requests: &Requests, settings: &ProviderSettings) -> Result<Known, OidcError> {
    let metadata = Arc::new(Metadata::fetch(requests, settings).await?);
    let keys = Arc::new(fetch_keys(requests, &metadata).await?);
    Ok(Known { metadata, keys })
}

async fn fetch_keys(requests: &Requests, from: &Metadata) -> Result<JsonWebKeys, OidcError> {
    let set: KeySet = requests.json("jwks_uri", &from.keys, None).await?;
    Ok(JsonWebKeys::of(set))
}
