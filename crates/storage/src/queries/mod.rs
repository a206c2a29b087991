//! Reads of several tables, each from one snapshot of the database.

pub(crate) mod activity;
pub(crate) mod branches;
pub(crate) mod conversation_view;
pub(crate) mod decision_list;
pub(crate) mod log;
pub(crate) mod running_turns;
pub(crate) mod search;
pub(crate) mod shared_view;
pub(crate) mod waiting_prompts;
