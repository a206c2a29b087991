//! Parsers of this crate, reachable for the fuzz targets in `crates/fuzz-targets`.
//! Nothing else uses it.

use crate::callback::{self, Sender};
use crate::claims::{ClaimRules, Claims, Identity};
use crate::id_token::IdToken;
use crate::json_web_keys::{JsonWebKeys, KeySet, Verdict};

/// Whether one of these keys, in JSON, signed a token.
pub fn is_signed(token: &str, keys: &[u8]) -> bool {
    let Ok(keys) = serde_json::from_slice::<KeySet>(keys).map(JsonWebKeys::of) else {
        return false;
    };
    IdToken::parse(token).is_ok_and(|token| token.verify(&keys) == Verdict::Valid)
}

/// Whether a callback with this query belongs to the login with this state.
pub fn belongs(query: &str, state: &str) -> bool {
    let sender = Sender { issuer: "https://login.example.org", names_itself: false, state };
    callback::code(query, &sender).is_ok()
}

/// The person that claims in JSON describe.
pub fn identity(rules: &ClaimRules, claims: &[u8]) -> Option<Identity> {
    rules.identity(&serde_json::from_slice::<Claims>(claims).ok()?).ok()
}
