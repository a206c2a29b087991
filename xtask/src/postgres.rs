//! The tests that run once more, with PostgreSQL as the engine. The whole workspace is named, so
//! that nothing is compiled again with other features.

use crate::test_servers::TestServers;
use crate::{cargo_command, succeeds};

/// The test files of storage, recipes and chat.
const STORES: [&str; 7] =
    ["story", "store", "mcp", "turns", "prompts", "prompt_state_machine", "edits"];

/// The modules of the end-to-end tests that store something. What is about files, pages, frames and
/// processes is the same for both engines.
const END_TO_END: [&str; 20] = [
    "access::", "conversations::", "demo::", "edits::", "graceful_stop::", "ledger::", "limits::",
    "mcp_in_chat::", "messages::", "recipes::", "recipes_mcp::", "recordings::", "routes::",
    "scenarios::", "server_killed::", "slow_readers::", "streams::", "websocket::",
    "bridge::suspended::", "bridge::durable_approvals::",
];

pub(crate) fn stores(servers: &TestServers) -> bool {
    let files = STORES.iter().flat_map(|file| ["--test", file]);
    let mut tests = tests(servers);
    succeeds(tests.args(files))
}

pub(crate) fn end_to_end(servers: &TestServers) -> bool {
    let mut tests = tests(servers);
    succeeds(tests.args(["--test", "e2e", "--"]).args(END_TO_END))
}

fn tests(servers: &TestServers) -> std::process::Command {
    let mut tests = cargo_command();
    tests.args(["test", "--workspace"]).envs(servers.variables());
    tests.env("PARLOR_TEST_ENGINE", "postgres");
    tests
}
