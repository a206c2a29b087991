//! What a vendor says about an error, and what that means for us.
//!
//! A complaint comes as an HTTP status with a body, or as an event of a stream
//! that had begun well. Each wire format reads its own words, and says which
//! status their kind stands for: gateways in between keep the one and lose the
//! other. From there on all wire formats are alike.

use std::time::Duration;

use super::LlmError;

/// The most that is quoted of a vendor's words.
const LONGEST_QUOTE: usize = 500;

/// What a vendor says about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The HTTP status; 0 in the middle of a stream.
    pub(super) status: u16,
    /// Its kind, in the vendor's words.
    pub(super) kind: String,
    /// Words for developers.
    pub(super) message: String,
    /// How long to wait, if the vendor says so.
    pub(super) retry_after: Option<Duration>,
}

/// An answer that is no stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal<'a> {
    /// The HTTP status.
    pub(super) status: u16,
    /// The body, or the beginning of it.
    pub(super) body: &'a [u8],
    /// How long to wait, if the vendor says so.
    pub(super) retry_after: Option<Duration>,
}

impl Complaint {
    /// What has to be done, if the error is one of this HTTP status.
    pub(super) fn meaning(&self, status: u16, key_setting: &'static str) -> LlmError {
        let retry_after = self.retry_after;
        match status {
            401 => LlmError::WrongKey { setting: key_setting },
            402 => LlmError::NoCredit(self.quote()),
            403 => LlmError::NotPermitted(self.quote()),
            404 => LlmError::UnknownModel(self.quote()),
            413 => LlmError::ContextTooLong(self.quote()),
            429 => LlmError::RateLimited { retry_after },
            503 | 529 => LlmError::Overloaded { retry_after },
            408 | 409 | 500.. => LlmError::ServerFailed { status, retry_after },
            300..=399 => LlmError::Malformed(format!("it redirects (status {status})")),
            _ => LlmError::BadRequest(self.quote()),
        }
    }

    /// The vendor's words for the log, with the status.
    pub(super) fn quote(&self) -> String {
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
pub(super) fn retry_after(header: &str) -> Option<Duration> {
    header.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// Somebody else's words for the log: bounded, on one line.
pub(super) fn one_line(words: &str) -> String {
    words
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_QUOTE)
        .collect::<String>()
        .trim()
        .to_owned()
}
