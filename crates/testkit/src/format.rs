//! The wire formats, and which one a request is in: its path says it.

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The Anthropic Messages API.
    Messages,
    /// OpenAI chat completions.
    ChatCompletions,
    /// The OpenAI Responses API.
    Responses,
    /// The Gemini API.
    Gemini,
}

impl Format {
    /// The format of a path. What is not known is taken for the Messages API: tests put
    /// it below paths of their own.
    pub(crate) fn of(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/chat/completions") {
            Self::ChatCompletions
        } else if path.ends_with("/responses") {
            Self::Responses
        } else if path.ends_with(":generateContent") || path.ends_with(STREAMED_BY_PATH) {
            Self::Gemini
        } else {
            Self::Messages
        }
    }
}

/// The end of a path that asks for a stream; the other formats say it in the body.
pub(crate) const STREAMED_BY_PATH: &str = ":streamGenerateContent";
