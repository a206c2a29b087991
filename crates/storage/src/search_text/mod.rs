//! Words of texts, as the index of words has them and as a search asks for them (U-8).
//!
//! 1. [`words`]: a text falls into words, which are folded: lower case, no accents. Both sides of a
//!    search are folded by the same function, and neither engine of the database does it by itself.
//! 2. [`wanted`]: what a person typed is words and phrases in quotes; the last word may be the
//!    beginning of one. Nothing in it is syntax, so nothing is an error.
//! 3. [`excerpt`]: the part of a text where words were found, with the places to mark.

pub(crate) mod excerpt;
pub(crate) mod wanted;
pub(crate) mod words;
