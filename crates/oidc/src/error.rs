//! Why somebody is not signed in, named by what to do next, or why a setting cannot be right. No
//! error holds a token, a code or a secret.

/// Somebody is not signed in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OidcError {
    /// The login took too long, was used before, or was begun by another browser: begin again.
    #[error("this login has lapsed, was used before, or was begun in another browser")]
    BeginAgain,
    /// The person or the provider said no: offer the choice again.
    #[error("the provider did not sign anybody in")]
    Declined,
    /// The provider knows the person, but `claims` in the settings do not admit them: tell them to
    /// ask the administrator.
    #[error("the settings of the provider do not admit this person")]
    NotAdmitted,
    /// The provider does not answer, or says that it cannot now: try later.
    #[error("the provider cannot be used now: {0}")]
    TryLater(String),
    /// Nobody can sign in until the administrator changes a setting here or at the provider.
    #[error("{0}")]
    Misconfigured(String),
    /// The provider's answer is not to be believed: log it, and sign nobody in.
    #[error("the provider's answer is refused: {0}")]
    Untrusted(&'static str),
}

/// A setting that cannot be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {why}")]
pub struct SettingsError {
    /// Its key.
    pub setting: &'static str,
    /// What is wrong, and what would be right.
    pub why: String,
}

impl OidcError {
    /// Nothing secure can be done without random numbers.
    pub(crate) fn no_randomness() -> Self {
        Self::TryLater("the system gives no random numbers".to_owned())
    }
}
