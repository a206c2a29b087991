//! The limits of a recipe, and of the number of recipes. The schemas of the tools
//! have the same numbers.

/// The longest title, in characters.
pub(crate) const TITLE: usize = 200;
/// The longest description.
pub(crate) const DESCRIPTION: usize = 1_000;
/// The most ingredients, and the most steps.
pub(crate) const LIST: usize = 100;
/// The longest name of an ingredient.
pub(crate) const NAME: usize = 200;
/// The longest quantity as text, and the longest unit.
pub(crate) const MEASURE: usize = 50;
/// The longest notes on an ingredient.
pub(crate) const NOTES: usize = 500;
/// The longest instruction.
pub(crate) const INSTRUCTION: usize = 2_000;
/// The longest time: limoncello takes forty days.
pub(crate) const MINUTES: u32 = 90 * 24 * 60;
/// The largest feast.
pub(crate) const SERVINGS: u32 = 1_000;
/// The largest quantity in numbers.
pub(crate) const QUANTITY: u32 = 1_000_000;
/// The most recipes of a tenant: a list of them is read as a whole.
pub(crate) const RECIPES: i64 = 1_000;
/// The largest body of a request. A recipe at all of these limits fits, in UTF-8.
pub(crate) const BODY: usize = 2 << 20;
