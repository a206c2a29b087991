//! What a provider of OpenID Connect sends: a callback, keys, an ID token and its claims.

use parlor_oidc::{ClaimRules, RequiredClaim, fuzz};

/// A key whose private half nobody has, in every kind that is known.
const KEYS: &[u8] = br#"{"keys": [
    {"kty": "EC", "kid": "1", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
     "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty": "OKP", "kid": "2", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
    {"kty": "RSA", "kid": "3", "e": "AQAB", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}
]}"#;

/// The first line is a token, the second the claims, the third a query, the rest keys. Nobody signs
/// without the key, comes in without the claim, or finishes a login without its state.
pub fn run(data: &[u8]) {
    let mut lines = data.splitn(4, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (token, claims, query, keys) = (line(), line(), line(), line());
    let (token, query) = (String::from_utf8_lossy(token), String::from_utf8_lossy(query));
    assert!(!fuzz::is_signed(&token, KEYS), "{token}");
    let _whatever = fuzz::is_signed(&token, keys);
    let state = "a state that is in no seed";
    assert!(!fuzz::belongs(&query, state), "{query}");
    let require = RequiredClaim {
        claim: "realm.groups".to_owned(),
        values: vec!["family that is in no seed".to_owned()],
    };
    let strict = ClaimRules { require: Some(require), ..ClaimRules::default() };
    assert_eq!(fuzz::identity(&strict, claims), None);
    let open = ClaimRules { everyone: true, ..ClaimRules::default() };
    if let Some(identity) = fuzz::identity(&open, claims) {
        assert!(!identity.subject.is_empty() && identity.subject.len() <= 255);
        for text in [&identity.name, &identity.email, &identity.login].into_iter().flatten() {
            assert!(!text.is_empty() && !text.contains(char::is_control), "{text:?}");
        }
    }
}
