//! The name that people see of what nobody named.

/// `recipes` is shown as `Recipes`.
pub(super) fn capitalised(id: &str) -> String {
    let mut letters = id.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
