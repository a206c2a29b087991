//! Encryption of what is stored and must not be read in the database: AES-256-GCM under a key that
//! is not in it.

use std::fmt;
use std::io;
use std::path::Path;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret as _, SecretString};

use crate::secret_key::ServerSecret;

/// The first byte of what is sealed: how it was.
const VERSION: u8 = 1;
/// A part of the key's hash, so that another key is told from damage.
const ID_BYTES: usize = 8;
const HEADER: usize = 1 + ID_BYTES + NONCE_LEN;

/// Seals and opens. `Debug` does not print the key.
pub struct SealingKey {
    key: LessSafeKey,
    id: [u8; ID_BYTES],
}

/// Why something could not be sealed or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It was sealed with another key.
    #[error(
        "it was encrypted with another key: set PARLOR_SECRET_KEY to the same value on each node, \
         or log in again"
    )]
    OtherKey,
    /// It was changed, or belongs elsewhere.
    #[error("it is damaged: log in again")]
    Damaged,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    NoRandomness,
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").finish_non_exhaustive()
    }
}

impl SealingKey {
    /// The key of a server: from its environment, or from the file in its data directory.
    pub fn of_server(secret: Option<&SecretString>, data_dir: &Path) -> io::Result<Self> {
        Self::new(&ServerSecret::of_server(secret, data_dir)?)
    }

    fn new(secret: &ServerSecret) -> io::Result<Self> {
        let key = secret.key(b"parlor sealing key\0");
        let key = UnboundKey::new(&AES_256_GCM, &key).map_err(io::Error::other)?;
        let hash = secret.key(b"parlor sealing key id\0");
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash[..ID_BYTES]);
        Ok(Self { key: LessSafeKey::new(key), id })
    }

    /// Seals a text. It can be opened only as what it is about.
    pub fn seal(&self, about: &str, text: &SecretString) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let mut sealed = text.expose_secret().as_bytes().to_vec();
        let (aad, once) = (Aad::from(about.as_bytes()), Nonce::assume_unique_for_key(nonce));
        let done = self.key.seal_in_place_append_tag(once, aad, &mut sealed);
        done.map_err(|_| SealError::Damaged)?;
        let mut all = Vec::with_capacity(HEADER + sealed.len());
        all.push(VERSION);
        all.extend_from_slice(&self.id);
        all.extend_from_slice(&nonce);
        all.append(&mut sealed);
        Ok(all)
    }

    /// Opens what was sealed about the same.
    pub fn open(&self, about: &str, sealed: &[u8]) -> Result<SecretString, SealError> {
        let (header, body) = sealed.split_at_checked(HEADER).ok_or(SealError::Damaged)?;
        let (id, nonce) = header[1..].split_at(ID_BYTES);
        if header[0] != VERSION || id != self.id {
            return Err(SealError::OtherKey);
        }
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError::Damaged)?;
        let mut body = body.to_vec();
        let opened = self.key.open_in_place(nonce, Aad::from(about.as_bytes()), &mut body);
        let opened = opened.map_err(|_| SealError::Damaged)?;
        let text = std::str::from_utf8(opened).map_err(|_| SealError::Damaged)?;
        Ok(SecretString::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-5: what is stored opens with the same key, as what it is about, and only whole.
    #[test]
    fn what_is_sealed_opens_with_its_key_alone() {
        let key = SealingKey::new(&ServerSecret::new(b"one")).unwrap();
        let text = SecretString::from("a token");
        let sealed = key.seal("home/mail", &text).unwrap();
        assert!(!sealed.windows(5).any(|part| part == b"token"));
        assert_ne!(sealed, key.seal("home/mail", &text).unwrap());
        assert_eq!(key.open("home/mail", &sealed).unwrap().expose_secret(), "a token");
        let error = |opened: Result<SecretString, SealError>| opened.unwrap_err();
        assert_eq!(error(key.open("other/mail", &sealed)), SealError::Damaged);
        let other = SealingKey::new(&ServerSecret::new(b"two")).unwrap();
        assert_eq!(error(other.open("home/mail", &sealed)), SealError::OtherKey);
        for at in HEADER..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(error(key.open("home/mail", &changed)), SealError::Damaged);
        }
        for length in 0..HEADER {
            assert_eq!(error(key.open("home/mail", &sealed[..length])), SealError::Damaged);
        }
    }
}
