//! `parlor db`: databases are copied between engines, checked, backed up and restored.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod backup;
mod check;
mod copy;
mod filled;
mod parlor;
mod refusals;
