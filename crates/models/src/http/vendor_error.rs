//! What a vendor says about an error, and what that means for us.
//!
//! An error comes as an HTTP status with a body, or as an event in the middle of a stream.
//! Each wire format reads its own shape, and maps the kind of the error to a status: gateways
//! in between keep the one and lose the other. From there on all wire formats are alike.

use std::time::Duration;

use parlor_agent::ModelError;

/// The most that is quoted of a vendor's words.
const LONGEST_QUOTE: usize = 500;

/// How vendors without a kind for it say that a request does not fit. Some add the
/// longest answer to it.
const TOO_LONG: [&str; 11] = [
    "context length", "context limit", "context size", "context window", "input is too long",
    "maximum context", "maximum model length", "maximum prompt length", "prompt is too long",
    "reduce the length of the messages", "token count",
];

/// How vendors say that they cannot read a picture or a PDF, and that they take none at all.
const ABOUT_PICTURES: [&str; 4] = ["image", "multimodal", "pdf", "document"];
/// The same where the status could mean something else: there may be a model, or a
/// part of a server, that is called after images.
const SURELY_ABOUT_PICTURES: [&str; 5] =
    ["image input", "support image", "load image", "process image", "decode image"];

/// What a vendor says about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VendorError {
    /// The HTTP status; 0 in the middle of a stream.
    pub(crate) status: u16,
    /// Its kind, in the vendor's words.
    pub(crate) kind: String,
    /// Words for developers.
    pub(crate) message: String,
    /// How long to wait, if the vendor says so.
    pub(crate) retry_after: Option<Duration>,
}

/// An answer that is no stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal<'a> {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body, or the beginning of it.
    pub(crate) body: &'a [u8],
    /// How long to wait, if the vendor says so.
    pub(crate) retry_after: Option<Duration>,
}

impl VendorError {
    /// What has to be done, if the error is one of this HTTP status.
    pub(crate) fn meaning(&self, status: u16, key_setting: &'static str) -> ModelError {
        let retry_after = self.retry_after;
        match status {
            400 | 415 | 422 if self.says(&ABOUT_PICTURES) => {
                ModelError::PictureRefused(self.quote())
            }
            404 | 500 if self.says(&SURELY_ABOUT_PICTURES) => {
                ModelError::PictureRefused(self.quote())
            }
            401 => ModelError::WrongKey { setting: key_setting },
            402 => ModelError::NoCredit(self.quote()),
            403 => ModelError::NotPermitted(self.quote()),
            404 => ModelError::UnknownModel(self.quote()),
            413 => ModelError::ContextTooLong(self.quote()),
            429 => ModelError::RateLimited { retry_after },
            503 | 529 => ModelError::Overloaded { retry_after },
            408 | 409 | 500.. => ModelError::ServerFailed { status, retry_after },
            300..=399 => ModelError::Malformed(format!("it redirects (status {status})")),
            _ => ModelError::BadRequest(self.quote()),
        }
    }

    /// Whether the words say that the request is too long for the model.
    pub(crate) fn is_about_length(&self) -> bool {
        self.says(&TOO_LONG)
    }

    /// Whether one of these, in lower case, is among the words.
    pub(crate) fn says(&self, some: &[&str]) -> bool {
        let words = self.message.to_lowercase();
        some.iter().any(|part| words.contains(part))
    }

    /// The vendor's words for the log, with the status.
    pub(crate) fn quote(&self) -> String {
        let words = one_line(&self.message);
        match (self.status, words.is_empty()) {
            (0, false) => words,
            (0, true) => format!("it said only {:?}", one_line(&self.kind)),
            (status, false) => format!("{words} (status {status})"),
            (status, true) => format!("status {status}"),
        }
    }
}

/// The seconds of a `retry-after` header. Dates are not used by vendors.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    header.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// Somebody else's words for the log: bounded, on one line.
pub(crate) fn one_line(words: &str) -> String {
    words
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_QUOTE)
        .collect::<String>()
        .trim()
        .to_owned()
}
