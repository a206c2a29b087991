//! What helps against an error: the next step for whoever reads it.

/// What helps against an error. Clients say it in the reader's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The same again.
    TryAgain,
    /// Somebody has to mend the settings, the key or the account.
    Administrator,
    /// A conversation that is shorter.
    NewConversation,
    /// Other words.
    Rephrase,
    /// Another picture, or none.
    AnotherPicture,
}

impl Remedy {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TryAgain => "try_again",
            Self::Administrator => "administrator",
            Self::NewConversation => "new_conversation",
            Self::Rephrase => "rephrase",
            Self::AnotherPicture => "another_picture",
        }
    }
}
