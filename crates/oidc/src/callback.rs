//! What the provider sends the browser back with.

use secrecy::SecretString;
use url::form_urlencoded;

use crate::error::OidcError;
use crate::pending_login::is_same;

/// The longest query. A code has some hundred characters.
const LONGEST: usize = 8 << 10;

/// Whom the callback must be from.
pub(crate) struct Sender<'s> {
    pub(crate) issuer: &'s str,
    /// Whether the provider always names itself.
    pub(crate) names_itself: bool,
    pub(crate) state: &'s str,
}

/// The parts that matter.
#[derive(Default)]
struct Callback {
    code: Option<String>,
    state: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

/// The code of a callback that belongs to the login, and is from the provider that it went to.
pub(crate) fn code(query: &str, sender: &Sender<'_>) -> Result<SecretString, OidcError> {
    let callback = Callback::parse(query)?;
    // Before anything else: a page of somebody else could have sent the browser here.
    if !callback.state.is_some_and(|state| is_same(&state, sender.state)) {
        return Err(OidcError::BeginAgain);
    }
    match callback.issuer {
        Some(issuer) if issuer != sender.issuer => {
            return Err(OidcError::Untrusted("another provider sent the browser back (iss)"));
        }
        None if sender.names_itself => {
            return Err(OidcError::Untrusted("it does not say who sent the browser back (iss)"));
        }
        _ => {}
    }
    match (callback.error, callback.code) {
        (Some(error), _) => Err(refusal(&error)),
        (None, Some(code)) if !code.is_empty() => Ok(code.into()),
        (None, _) => Err(OidcError::Untrusted("it sent the browser back without a code")),
    }
}

impl Callback {
    fn parse(query: &str) -> Result<Self, OidcError> {
        if query.len() > LONGEST {
            return Err(OidcError::BeginAgain);
        }
        let mut callback = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let part = match &*name {
                "code" => &mut callback.code,
                "state" => &mut callback.state,
                "iss" => &mut callback.issuer,
                "error" => &mut callback.error,
                _ => continue,
            };
            // Which of two would be meant is unknown.
            if part.replace(value.into_owned()).is_some() {
                return Err(OidcError::BeginAgain);
            }
        }
        Ok(callback)
    }
}

/// What an error of the provider means (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6).
fn refusal(error: &str) -> OidcError {
    match error {
        "access_denied"
        | "login_required"
        | "consent_required"
        | "interaction_required"
        | "account_selection_required" => OidcError::Declined,
        "temporarily_unavailable" | "server_error" => {
            OidcError::TryLater(format!("it says {error}"))
        }
        other => OidcError::Misconfigured(format!("the provider refuses with {}", word(other))),
    }
}

/// An error code, which is a word; anything else might repeat a secret.
pub(crate) fn word(code: &str) -> &str {
    let is_word =
        (1..=60).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if is_word { code } else { "an unknown error" }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    const ISSUER: &str = "https://login.example.org";

    fn of(query: &str, names_itself: bool) -> Result<String, OidcError> {
        let sender = Sender { issuer: ISSUER, names_itself, state: "s1" };
        code(query, &sender).map(|code| code.expose_secret().to_owned())
    }

    /// Y-1: a code is taken only with the state of the login, and from its provider.
    #[test]
    fn a_code_belongs_to_its_login() {
        let named = "code=c1&state=s1&iss=https%3A%2F%2Flogin.example.org";
        for good in [named, "state=s1&code=c1&session_state=x"] {
            assert_eq!(of(good, false), Ok("c1".to_owned()), "{good}");
        }
        assert_eq!(of(named, true), Ok("c1".to_owned()));
        for other in [
            "", "code=c1", "code=c1&state=", "code=c1&state=s2", "code=c1&state=s1&state=s1",
            "code=c1&code=c2&state=s1", "error=access_denied", "error=access_denied&state=s2",
        ] {
            assert_eq!(of(other, false), Err(OidcError::BeginAgain), "{other}");
        }
        for untrusted in ["code=c1&state=s1&iss=https://evil.example", "state=s1", "code=&state=s1"]
        {
            let outcome = of(untrusted, false);
            assert!(matches!(outcome, Err(OidcError::Untrusted(_))), "{untrusted}");
        }
        assert!(matches!(of("code=c1&state=s1", true), Err(OidcError::Untrusted(_))));
        let long = format!("code={}&state=s1", "c".repeat(LONGEST));
        assert_eq!(of(&long, false), Err(OidcError::BeginAgain));
    }

    /// Y-1: an error says what to do next, and repeats words alone.
    #[test]
    fn an_error_is_named_by_what_to_do() {
        let error = |code: &str| of(&format!("error={code}&state=s1&code=c1"), false).unwrap_err();
        assert_eq!(error("access_denied"), OidcError::Declined);
        assert!(matches!(error("server_error"), OidcError::TryLater(_)));
        let said = error("invalid_scope").to_string();
        assert_eq!(said, "the provider refuses with invalid_scope");
        let said = error("eyJhbGciOi<script>").to_string();
        assert_eq!(said, "the provider refuses with an unknown error");
    }
}
