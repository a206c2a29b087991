//! `Served<T>`: proof that it was cleaned before it was stored.

use serde::Serialize;

/// Something that was written from a `Clean` and read back. Only this crate
/// makes one; handlers and dialects take nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Served<T>(T);

impl<T> Served<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// What may be shown.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What may be shown, given away.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Streamed text is shown before it is stored; it is clean all the same.
impl From<parlor_guard::Clean<String>> for Served<String> {
    fn from(clean: parlor_guard::Clean<String>) -> Self {
        Self(clean.into_inner())
    }
}
