//! What was found, and what to do about it.

use std::fmt::{self, Display};

use parlor_guard::sanitizer::Sanitizer;
use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// As it should be.
    Good,
    /// It works, but somebody should know.
    Warning,
    /// Something does not work.
    Wrong,
}

/// Something that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Finding {
    /// What was looked at: `database`, `model of home/recipes`.
    pub(super) about: String,
    pub(super) state: State,
    pub(super) what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_do: Option<String>,
}

impl Finding {
    pub(super) fn good(about: impl Display, what: impl Display) -> Self {
        Self::new(about, State::Good, what, None)
    }

    pub(super) fn warning(about: impl Display, what: impl Display, to_do: impl Display) -> Self {
        Self::new(about, State::Warning, what, Some(to_do.to_string()))
    }

    pub(super) fn wrong(about: impl Display, what: impl Display, to_do: impl Display) -> Self {
        Self::new(about, State::Wrong, what, Some(to_do.to_string()))
    }

    fn new(about: impl Display, state: State, what: impl Display, to_do: Option<String>) -> Self {
        Self { about: about.to_string(), state, what: what.to_string(), to_do }
    }

    /// Without keys in what others say.
    pub(super) fn masked(self, masks: &Sanitizer) -> Self {
        let mask = |text: String| masks.sanitize_cow(&text).into_owned();
        Self { what: mask(self.what), to_do: self.to_do.map(mask), ..self }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Good => "good   ",
            State::Warning => "warning",
            State::Wrong => "WRONG  ",
        };
        writeln!(f, "{state}  {}: {}", self.about, self.what)?;
        match &self.to_do {
            Some(to_do) => writeln!(f, "         -> {to_do}"),
            None => Ok(()),
        }
    }
}
