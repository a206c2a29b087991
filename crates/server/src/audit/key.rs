//! The key that signs entries (Ed25519), made from the secret of this server; and what checks them.

use std::fmt;
use std::io;
use std::str::FromStr;

use data_encoding::HEXLOWER as HEX;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::secret_key::ServerSecret;

const PURPOSE: &[u8] = b"parlor audit key\0";

/// Signs. `Debug` does not print it.
pub(crate) struct AuditKey(Ed25519KeyPair);

/// The public half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PublicKey([u8; 32]);

impl AuditKey {
    /// The key of a server.
    pub(crate) fn of_server(secret: &ServerSecret) -> io::Result<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&secret.key(PURPOSE));
        pair.map(Self).map_err(io::Error::other)
    }

    pub(crate) fn public(&self) -> PublicKey {
        let mut key = [0; 32];
        // An Ed25519 key has 32 bytes.
        key.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(key)
    }

    /// The signature of a hash, in hex.
    pub(crate) fn sign(&self, hash: &[u8; 32]) -> String {
        HEX.encode(self.0.sign(hash).as_ref())
    }
}

impl PublicKey {
    /// Whether a signature is that of this key.
    pub(crate) fn has_signed(&self, hash: &[u8; 32], signature: &str) -> bool {
        let Ok(signature) = HEX.decode(signature.as_bytes()) else { return false };
        UnparsedPublicKey::new(&ED25519, self.0).verify(hash, &signature).is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = HEX.decode(text.as_bytes()).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Self).ok_or_else(|| {
            "a key is 64 hexadecimal digits, as `parlor audit key` prints them".to_owned()
        })
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEX.encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}
