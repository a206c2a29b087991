//! The tests that run once more, with PostgreSQL as the engine.

use crate::test_run::{TestRun, Tests};
use crate::test_servers::TestServers;

/// The test files of storage, recipes and chat.
const STORES: [&str; 7] =
    ["story", "store", "mcp", "turns", "prompts", "prompt_state_machine", "edits"];

/// The modules of the end-to-end tests that store something. What is about files, pages, frames and
/// processes is the same for both engines.
const END_TO_END: [&str; 24] = [
    "access::", "branches::", "conversations::", "demo::", "edits::", "graceful_stop::",
    "imports::", "ledger::", "limits::", "mcp_in_chat::", "messages::", "oidc::", "people::",
    "recipes::", "recipes_mcp::", "recordings::", "routes::", "scenarios::", "server_killed::",
    "slow_readers::", "streams::", "websocket::", "bridge::suspended::",
    "bridge::durable_approvals::",
];

pub(crate) fn stores(servers: &TestServers) -> TestRun {
    let targets = STORES.iter().flat_map(|file| ["--test", file]).collect();
    Tests { targets, variables: variables(servers), ..Tests::default() }.run()
}

pub(crate) fn end_to_end(servers: &TestServers) -> TestRun {
    let (targets, names) = (vec!["--test", "e2e"], END_TO_END.to_vec());
    Tests { targets, names, variables: variables(servers), ..Tests::default() }.run()
}

fn variables(servers: &TestServers) -> Vec<(&str, &str)> {
    servers.variables().chain([("PARLOR_TEST_ENGINE", "postgres")]).collect()
}
