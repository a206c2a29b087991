//! The keys of a provider (JWK, RFC 7517), and signatures by them (RFC 7518).
//!
//! An algorithm belongs to one kind of key, so that nobody can have a public key taken for the
//! secret of another algorithm. Algorithms with a shared secret, and `none`, are not known at all.

use data_encoding::BASE64URL_NOPAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use serde_json::Value;

/// More keys than any provider has.
const MOST_KEYS: usize = 100;

/// How a token is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Algorithm(&'static Known);

#[derive(Debug, PartialEq, Eq)]
struct Known {
    name: &'static str,
    kind: Kind,
}

/// The kind of key that an algorithm needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rsa,
    P256,
    P384,
    Ed25519,
}

const ALGORITHMS: [Known; 9] = [
    Known { name: "RS256", kind: Kind::Rsa },
    Known { name: "RS384", kind: Kind::Rsa },
    Known { name: "RS512", kind: Kind::Rsa },
    Known { name: "PS256", kind: Kind::Rsa },
    Known { name: "PS384", kind: Kind::Rsa },
    Known { name: "PS512", kind: Kind::Rsa },
    Known { name: "ES256", kind: Kind::P256 },
    Known { name: "ES384", kind: Kind::P384 },
    Known { name: "EdDSA", kind: Kind::Ed25519 },
];

/// All keys of a provider that can sign.
#[derive(Debug)]
pub(crate) struct JsonWebKeys(Vec<Key>);

/// What a signature is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Valid,
    /// No key fits: the provider may have new ones.
    UnknownKey,
    /// The key fits, and did not sign this.
    Forged,
}

#[derive(Debug)]
struct Key {
    id: Option<String>,
    /// The only algorithm that it is for, if it says one.
    only: Option<String>,
    material: Material,
}

#[derive(Debug)]
enum Material {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
pub(crate) struct KeySet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct RawKey {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Algorithm {
    /// One of the algorithms that are accepted.
    pub(crate) fn of(name: &str) -> Option<Self> {
        ALGORITHMS.iter().find(|known| known.name == name).map(Self)
    }
}

impl JsonWebKeys {
    /// Keys of other kinds or for other uses are passed over, as the standard asks.
    pub(crate) fn of(set: KeySet) -> Self {
        let keys = set.keys.into_iter().take(MOST_KEYS);
        Self(keys.filter_map(|key| Key::of(serde_json::from_value(key).ok()?)).collect())
    }

    /// Whether one of the keys signed the text.
    pub(crate) fn verify(
        &self,
        algorithm: Algorithm,
        key_id: Option<&str>,
        signed: &[u8],
        signature: &[u8],
    ) -> Verdict {
        let fits = |key: &&Key| {
            let is_named = key_id.is_none() || key.id.as_deref() == key_id;
            is_named && key.is_for(algorithm)
        };
        let fitting: Vec<&Key> = self.0.iter().filter(fits).collect();
        match (key_id, fitting.as_slice()) {
            (_, []) => Verdict::UnknownKey,
            // A token that names no key is of the only one. It may be of a newer one.
            (None, [key]) if !key.signed(algorithm, signed, signature) => Verdict::UnknownKey,
            (None, [_]) => Verdict::Valid,
            (None, _) => Verdict::UnknownKey,
            (Some(_), keys) => {
                let is_signed = keys.iter().any(|key| key.signed(algorithm, signed, signature));
                if is_signed { Verdict::Valid } else { Verdict::Forged }
            }
        }
    }
}

impl Key {
    fn of(raw: RawKey) -> Option<Self> {
        let is_for_signatures = raw.usage.as_deref().is_none_or(|usage| usage == "sig")
            && raw.key_ops.as_ref().is_none_or(|all| all.iter().any(|use_| use_ == "verify"));
        if !is_for_signatures {
            return None;
        }
        let bytes = |text: &Option<String>| BASE64URL_NOPAD.decode(text.as_ref()?.as_bytes()).ok();
        let point = |length: usize| {
            let (x, y) = (bytes(&raw.x)?, bytes(&raw.y)?);
            (x.len() == length && y.len() == length).then(|| [&[4], &x[..], &y[..]].concat())
        };
        let material = match (raw.kty.as_str(), raw.crv.as_deref()) {
            // Some providers write a zero before a number, which is not a part of it.
            ("RSA", _) => {
                Material::Rsa { n: without_zeros(bytes(&raw.n)?), e: without_zeros(bytes(&raw.e)?) }
            }
            ("EC", Some("P-256")) => Material::P256(point(32)?),
            ("EC", Some("P-384")) => Material::P384(point(48)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&raw.x)?),
            _ => return None,
        };
        Some(Self { id: raw.kid, only: raw.alg, material })
    }

    fn is_for(&self, algorithm: Algorithm) -> bool {
        let kind = match self.material {
            Material::Rsa { .. } => Kind::Rsa,
            Material::P256(_) => Kind::P256,
            Material::P384(_) => Kind::P384,
            Material::Ed25519(_) => Kind::Ed25519,
        };
        let is_only = self.only.as_deref().is_none_or(|only| only == algorithm.0.name);
        kind == algorithm.0.kind && is_only
    }

    fn signed(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> bool {
        let by = |how: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(how, key).verify(signed, signature).is_ok()
        };
        match &self.material {
            Material::Rsa { n, e } => rsa(algorithm).is_some_and(|how| {
                RsaPublicKeyComponents { n, e }.verify(how, signed, signature).is_ok()
            }),
            Material::P256(point) => by(&ECDSA_P256_SHA256_FIXED, point),
            Material::P384(point) => by(&ECDSA_P384_SHA384_FIXED, point),
            Material::Ed25519(key) => by(&ED25519, key),
        }
    }
}

fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm.0.name {
        "RS256" => &RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &RSA_PSS_2048_8192_SHA256,
        "PS384" => &RSA_PSS_2048_8192_SHA384,
        "PS512" => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn without_zeros(mut number: Vec<u8>) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.drain(..zeros);
    number
}
