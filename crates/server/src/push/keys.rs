//! The key pair of this installation: in the database, encrypted with the key that is not there.
//!
//! It is made on the first start. Several nodes share it, and so they need the same
//! `PARLOR_SECRET_KEY`. A server that is alone and has lost its key makes a new pair, which ends all
//! subscriptions: nobody could read them any more either.

use data_encoding::BASE64;
use parlor_protocol::Timestamp;
use parlor_storage::{StorageError, Store};
use parlor_web_push::VapidKeys;
use secrecy::{ExposeSecret as _, SecretString};

use super::Unusable;
use crate::mcp_logins::{SealError, SealingKey};

/// What it was encrypted about.
const ABOUT: &str = "push keys";

/// Reads the stored key pair, or makes one.
pub(super) async fn read_or_make(
    store: &Store,
    key: &SealingKey,
    now: Timestamp,
) -> Result<Result<VapidKeys, Unusable>, StorageError> {
    if let Some(sealed) = store.push().keys().await? {
        match opened(key, &sealed) {
            Err(Unusable::Key(why)) if !store.is_shared() => {
                tracing::warn!(%why, "a new key pair is made: devices have to turn notifications on again");
                store.push().forget_keys().await?;
            }
            opened => return Ok(opened),
        }
    }
    let made = match made(key) {
        Ok(sealed) => sealed,
        Err(why) => return Ok(Err(why)),
    };
    store.push().add_keys(&made, now).await?;
    // Another node may have been first.
    let stored = store.push().keys().await?.unwrap_or(made);
    Ok(opened(key, &stored))
}

fn made(key: &SealingKey) -> Result<Vec<u8>, Unusable> {
    let keys = VapidKeys::generate().map_err(|error| Unusable::Other(error.to_string()))?;
    let text = SecretString::from(BASE64.encode(keys.pkcs8().expose_secret()));
    Ok(key.seal(ABOUT, &text)?)
}

fn opened(key: &SealingKey, sealed: &[u8]) -> Result<VapidKeys, Unusable> {
    let text = key.open(ABOUT, sealed)?;
    let pkcs8 = BASE64.decode(text.expose_secret().as_bytes()).map_err(|_| SealError::Damaged)?;
    Ok(VapidKeys::from_pkcs8(pkcs8.into()).map_err(|_| SealError::Damaged)?)
}
