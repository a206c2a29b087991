//! Reads of several tables at one moment.

pub(crate) mod activity;
pub(crate) mod conversation_view;
pub(crate) mod log;
