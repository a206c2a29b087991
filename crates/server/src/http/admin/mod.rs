//! What only administrators read and do, beside [`super::people`] and [`super::status`] (Y-4, X-4).
//!
//! Everything is about the tenant of the administrator. Numbers, names and times are theirs; what
//! people said and were asked is left out unless the tenant's configuration lets administrators
//! read it, which its people see.

pub(crate) mod acts;
pub(crate) mod configuration;
pub(crate) mod decisions;
pub(crate) mod export;
pub(crate) mod keys;
pub(crate) mod prompts;
pub(crate) mod servers;
pub(crate) mod usage;
