//! Copies all rows from one database into another, of either engine, and proves it.
//!
//! 1. Both databases must have this version's schema; the target is created and migrated if
//!    there is none yet.
//! 2. A marker in the target says from where it is being filled. Without one the target must
//!    be empty. While it is there, no server opens the target.
//! 3. Each table is read in pages by key, from one snapshot of the source, and written with
//!    one commit for each page. Rows that are there already are skipped by their key: a copy
//!    that was interrupted goes on.
//! 4. Each table of the target is read back. Number and hash of its rows must be those of
//!    the source ([`Digest`]); then the marker is removed.
//!
//! [`Component`] says which tables there are. It knows no table itself.

mod component;
mod copy;
mod digest;
mod error;
mod pages;
mod table;
mod target;

pub use component::{Component, Rule};
pub use copy::{Part, TableCopy, copy};
pub use digest::Digest;
pub use error::CopyError;
pub use table::Table;
pub use target::open_target;
