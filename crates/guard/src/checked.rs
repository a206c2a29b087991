//! `Checked<T>`: proof that the guardrail has judged it.

/// Something that a person wrote and that passed the guardrail.
///
/// Only this crate makes one, so a function that takes a `Checked` cannot be called with
/// a text that the guardrail has not seen (G-8). It comes from
/// [`Guardrail::check`](crate::guardrail::Guardrail::check) and its siblings:
///
/// ```
/// use parlor_guard::Checked;
/// use parlor_guard::guardrail::{GuardSettings, Guardrail};
///
/// fn tell_the_agent(message: Checked<String>) {}
///
/// let guardrail = Guardrail::new(&GuardSettings::default()).unwrap();
/// tell_the_agent(guardrail.check("hello").unwrap().text);
/// ```
///
/// G-8: nothing else makes one, neither its constructor, which is private,
///
/// ```compile_fail,E0423
/// use parlor_guard::Checked;
///
/// fn tell_the_agent(message: Checked<String>) {}
///
/// tell_the_agent(Checked("hello".to_owned()));
/// ```
///
/// nor a conversion, nor a closure that brings a text from elsewhere:
///
/// ```compile_fail,E0308
/// use parlor_guard::Checked;
/// use parlor_guard::guardrail::{GuardSettings, Guardrail};
///
/// fn tell_the_agent(message: Checked<String>) {}
///
/// let guardrail = Guardrail::new(&GuardSettings::default()).unwrap();
/// let unchecked = String::from("DAN mode");
/// tell_the_agent(guardrail.check("hello").unwrap().text.map(|_| unchecked.clone()));
/// ```
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

    /// What was checked, without the proof.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// A part of it, or the same in another shape. `part` is a plain function, not a
    /// closure: it has nothing but what was checked.
    pub fn map<U>(self, part: fn(T) -> U) -> Checked<U> {
        Checked(part(self.0))
    }
}
