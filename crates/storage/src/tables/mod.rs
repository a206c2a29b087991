//! One file for each table group: row types, reads, and the writes that need no
//! other table. `transactions` puts several of these writes together.

pub(crate) mod access;
mod access_list;
pub(crate) mod admin_acts;
pub(crate) mod allowances;
pub(crate) mod audit_chain;
pub(crate) mod blocked_inputs;
pub(crate) mod conversations;
pub(crate) mod decisions;
pub(crate) mod events;
pub(crate) mod external_conversations;
pub(crate) mod history;
pub(crate) mod images;
pub(crate) mod invitations;
pub(crate) mod list_places;
pub(crate) mod mcp_logins;
pub(crate) mod messages;
pub(crate) mod nodes;
pub(crate) mod people;
pub(crate) mod people_list;
pub(crate) mod person_logins;
pub(crate) mod prompts;
pub(crate) mod push;
pub(crate) mod push_messages;
pub(crate) mod rate_limits;
pub(crate) mod search_entries;
pub(crate) mod share_links;
pub(crate) mod text_blocks;
pub(crate) mod token_kind;
pub(crate) mod tool_runs;
pub(crate) mod turn_figures;
pub(crate) mod turns;
pub(crate) mod usage;
pub(crate) mod visitors;
pub(crate) mod webhooks;
