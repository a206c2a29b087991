//! Keys of a provider, and tokens that they sign, right or wrong.

use data_encoding::BASE64URL_NOPAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA512,
    RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
};
use serde_json::{Value, json};

/// A key with its private half, and the algorithm that it signs with.
pub(crate) enum TestKey {
    Rsa(&'static str, Box<RsaKeyPair>),
    Ecdsa(&'static str, EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl TestKey {
    /// RSA keys take long to make, so there is one. It opens nothing.
    pub(crate) fn rsa(algorithm: &'static str) -> Self {
        let pair = RsaKeyPair::from_pkcs8(include_bytes!("rsa.pkcs8.der")).unwrap();
        Self::Rsa(algorithm, Box::new(pair))
    }

    pub(crate) fn p256() -> Self {
        Self::ecdsa("ES256", &ECDSA_P256_SHA256_FIXED_SIGNING)
    }

    pub(crate) fn p384() -> Self {
        Self::ecdsa("ES384", &ECDSA_P384_SHA384_FIXED_SIGNING)
    }

    pub(crate) fn ed25519() -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap())
    }

    fn ecdsa(name: &'static str, how: &'static EcdsaSigningAlgorithm) -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(how, &random).unwrap();
        Self::Ecdsa(name, EcdsaKeyPair::from_pkcs8(how, pkcs8.as_ref(), &random).unwrap())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(name, _) | Self::Ecdsa(name, _) => name,
            Self::Ed25519(_) => "EdDSA",
        }
    }

    /// The public half.
    pub(crate) fn jwk(&self, id: &str) -> Value {
        match self {
            Self::Rsa(_, pair) => {
                let PublicKeyComponents { n, e } =
                    PublicKeyComponents::<Vec<u8>>::from(pair.public());
                // As some providers write it.
                let n = [&[0], &n[..]].concat();
                json!({"kty": "RSA", "kid": id, "use": "sig", "n": encode(&n), "e": encode(&e)})
            }
            Self::Ecdsa(name, pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                let curve = if *name == "ES256" { "P-256" } else { "P-384" };
                json!({"kty": "EC", "kid": id, "crv": curve, "x": encode(x), "y": encode(y)})
            }
            Self::Ed25519(pair) => {
                let x = encode(pair.public_key().as_ref());
                json!({"kty": "OKP", "kid": id, "crv": "Ed25519", "x": x})
            }
        }
    }

    /// A token of this key.
    pub(crate) fn token(&self, id: &str, claims: &Value) -> String {
        self.token_with(&json!({"alg": self.algorithm(), "kid": id}), claims)
    }

    /// A token of this key, whatever its header says.
    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = unsigned(header, claims);
        let signature = match self {
            Self::Rsa(name, pair) => {
                let how: &dyn RsaEncoding = match *name {
                    "RS256" => &RSA_PKCS1_SHA256,
                    "RS512" => &RSA_PKCS1_SHA512,
                    _ => &RSA_PSS_SHA256,
                };
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(how, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
                signature
            }
            Self::Ecdsa(_, pair) => {
                pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec()
            }
            Self::Ed25519(pair) => pair.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", encode(&signature))
    }
}

/// The part of a token that is signed.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| encode(value.to_string().as_bytes());
    format!("{}.{}", part(header), part(claims))
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}
