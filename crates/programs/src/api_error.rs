//! Maps what a program says about its model's API to Parlor's own errors: its texts name the
//! program, its vendor and settings.

use parlor_agent::ModelError;

/// The error behind a status of HTTP, 0 if it is not known. `kind` is the vendor's word for it,
/// `words` its message: some errors differ in nothing else. `key` is the setting of the API key,
/// for the log.
pub(crate) fn api_error(status: u64, kind: &str, words: &str, key: &'static str) -> ModelError {
    let (said, lower) = (words.to_owned(), words.to_lowercase());
    let retry_after = None;
    match status {
        400 if lower.contains("credit") => ModelError::NoCredit(said),
        402 => ModelError::NoCredit(said),
        400 | 413 if lower.contains("too long") || lower.contains("too large") => {
            ModelError::ContextTooLong(said)
        }
        401 => ModelError::WrongKey { setting: key },
        403 => ModelError::NotPermitted(said),
        404 => ModelError::UnknownModel(said),
        429 => ModelError::RateLimited { retry_after },
        529 => ModelError::Overloaded { retry_after },
        500..=599 => {
            ModelError::ServerFailed { status: u16::try_from(status).unwrap_or(500), retry_after }
        }
        0 if kind.contains("connection") => ModelError::Interrupted(said),
        0 if kind.contains("overloaded") => ModelError::Overloaded { retry_after },
        0 if lower.contains("too long") => ModelError::ContextTooLong(said),
        0 if lower.contains("credit") => ModelError::NoCredit(said),
        0 => ModelError::Unreachable(said),
        _ => ModelError::BadRequest(said),
    }
}
