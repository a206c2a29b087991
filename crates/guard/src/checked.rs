//! `Checked<T>`: proof that the guardrail saw it.

/// Something that came from outside and passed the guardrail. Only this crate
/// makes one, so a function that takes a `Checked` cannot be called around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// What was checked.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What was checked, given away.
    pub fn into_inner(self) -> T {
        self.0
    }
}
