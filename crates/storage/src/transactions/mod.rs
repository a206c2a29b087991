//! Writes of several tables, all or nothing.

pub(crate) mod begin_turn;
pub(crate) mod choose_branch;
pub(crate) mod commit;
pub(crate) mod delete_conversation;
pub(crate) mod import_conversation;
pub(crate) mod resolve_prompt;
pub(crate) mod take_over;
