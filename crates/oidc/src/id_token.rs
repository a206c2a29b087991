//! ID tokens (OpenID Connect Core, 3.1.3.7): taken apart, and what they must say.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;
use serde_json::Value;

use crate::claims::Claims;
use crate::error::OidcError;
use crate::json_web_keys::{Algorithm, JsonWebKeys, Verdict};
use crate::pending_login::is_same;

/// The longest ID token: people are in hundreds of groups, and not in thousands.
const LONGEST: usize = 64 << 10;
/// How far the clocks of both sides may differ, in seconds.
const LEEWAY: i64 = 60;

/// A token in its parts; nothing of it is believed yet.
pub(crate) struct IdToken<'t> {
    algorithm: Algorithm,
    key_id: Option<String>,
    /// What is signed.
    signed: &'t [u8],
    signature: Vec<u8>,
    claims: Claims,
}

/// Whom a token must be from, and for what.
pub(crate) struct Expected<'e> {
    pub(crate) issuer: &'e str,
    pub(crate) client_id: &'e str,
    pub(crate) nonce: &'e str,
    pub(crate) now: SystemTime,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood; none are.
    crit: Option<Value>,
}

impl<'t> IdToken<'t> {
    /// Takes a token apart.
    pub(crate) fn parse(text: &'t str) -> Result<Self, OidcError> {
        let wrong = |why| OidcError::Untrusted(why);
        if text.len() > LONGEST {
            return Err(wrong("its ID token is too long"));
        }
        let no_token = || wrong("its ID token is no signed token");
        let (signed, signature) = text.rsplit_once('.').ok_or_else(no_token)?;
        let (header, claims) = signed.split_once('.').ok_or_else(no_token)?;
        let decode = |part: &str| BASE64URL_NOPAD.decode(part.as_bytes()).map_err(|_| no_token());
        let header = serde_json::from_slice::<Header>(&decode(header)?).map_err(|_| no_token())?;
        if header.crit.is_some() {
            return Err(wrong("its ID token has extensions that are not understood (crit)"));
        }
        let algorithm = Algorithm::of(&header.alg)
            .ok_or_else(|| wrong("its ID token is not signed with an accepted algorithm (alg)"))?;
        Ok(Self {
            algorithm,
            key_id: header.kid,
            signed: signed.as_bytes(),
            signature: decode(signature)?,
            claims: serde_json::from_slice(&decode(claims)?).map_err(|_| no_token())?,
        })
    }

    /// Whether one of these keys signed it.
    pub(crate) fn verify(&self, keys: &JsonWebKeys) -> Verdict {
        keys.verify(self.algorithm, self.key_id.as_deref(), self.signed, &self.signature)
    }

    /// The claims of a token whose signature is valid, if it is from whom and for what it must be.
    pub(crate) fn claims(self, expected: &Expected<'_>) -> Result<Claims, OidcError> {
        let claims = self.claims;
        let wrong = |why| Err(OidcError::Untrusted(why));
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(expected.issuer) {
            return wrong("its ID token is from another issuer (iss)");
        }
        check_audience(&claims, expected.client_id)?;
        check_times(&claims, expected.now)?;
        if !text("nonce").is_some_and(|nonce| is_same(nonce, expected.nonce)) {
            return wrong("its ID token is for another login (nonce)");
        }
        Ok(claims)
    }
}

fn check_audience(claims: &Claims, client_id: &str) -> Result<(), OidcError> {
    let (is_for_us, is_for_others) = match claims.get("aud") {
        Some(Value::String(one)) => (one == client_id, false),
        Some(Value::Array(all)) => (all.iter().any(|one| one == client_id), all.len() > 1),
        _ => (false, false),
    };
    if !is_for_us {
        return Err(OidcError::Untrusted("its ID token is for another client (aud)"));
    }
    match claims.get("azp") {
        Some(party) if party == client_id => Ok(()),
        None if !is_for_others => Ok(()),
        _ => Err(OidcError::Untrusted("its ID token was made for another client (azp)")),
    }
}

fn check_times(claims: &Claims, now: SystemTime) -> Result<(), OidcError> {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let wrong = |why| Err(OidcError::Untrusted(why));
    let expires = seconds(claims, "exp")?;
    if expires.is_none_or(|at| at.saturating_add(LEEWAY) <= now) {
        return wrong("its ID token has expired (exp), or the clocks of both sides differ");
    }
    let latest = now.saturating_add(LEEWAY);
    if seconds(claims, "iat")?.is_none_or(|at| at > latest) {
        return wrong("its ID token is from the future (iat): the clocks of both sides differ");
    }
    if seconds(claims, "nbf")?.is_some_and(|at| at > latest) {
        return wrong("its ID token is not valid yet (nbf): the clocks of both sides differ");
    }
    Ok(())
}

/// A time in seconds since 1970; some providers write fractions.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a number that is too large becomes the largest"
)]
fn seconds(claims: &Claims, name: &str) -> Result<Option<i64>, OidcError> {
    match claims.get(name) {
        None => Ok(None),
        Some(Value::Number(number)) => {
            Ok(number.as_i64().or_else(|| number.as_f64().map(|at| at as i64)))
        }
        Some(_) => Err(OidcError::Untrusted("a time in its ID token is no number")),
    }
}
