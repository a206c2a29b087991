//! Real agents behind the ACP bridge, installed from npm at pinned versions: the real binary, a
//! person on a real WebSocket, and the scripted model in each agent's own wire format (B-3).
//!
//! The stories (`stories.rs`) are the same for all agents (`agents.rs`); each agent takes each of
//! them in a test of its own, so that a failure names it. `cargo test` runs the first story of
//! each. The others take minutes: `cargo xtask agents` runs them, and `cargo xtask test` does too.

mod agents;
mod app;
mod questions;
mod stories;
mod unnamed;
mod workspace;

/// The tests of one agent.
macro_rules! tests_of {
    ($($agent:ident => $real:expr,)*) => {$(
        mod $agent {
            use super::{agents, stories};

            /// B-3, P-2, S-5
            #[tokio::test]
            async fn takes_turns_and_asks() {
                stories::takes_turns_and_asks(&$real).await;
            }

            /// B-3, B-4, P-5, S-5
            #[tokio::test]
            #[ignore = "deep: `cargo xtask agents` runs it"]
            async fn reads_why_it_was_refused() {
                stories::reads_why_it_was_refused(&$real).await;
            }

            /// B-3, H-6, S-5
            #[tokio::test]
            #[ignore = "deep: `cargo xtask agents` runs it"]
            async fn is_stopped_while_it_asks() {
                stories::is_stopped_while_it_asks(&$real).await;
            }

            /// B-3, P-9, FAULTS 2, S-5
            #[tokio::test]
            #[ignore = "deep: `cargo xtask agents` runs it"]
            async fn asks_across_a_kill_of_the_server() {
                stories::asks_across_a_kill_of_the_server(&$real).await;
            }

            /// B-3, B-4
            #[tokio::test]
            #[ignore = "deep: `cargo xtask agents` runs it"]
            async fn obeys_no_file_of_its_workspace() {
                stories::obeys_no_file_of_its_workspace(&$real).await;
            }
        }
    )*};
}

tests_of! {
    claude => agents::CLAUDE,
    codex => agents::CODEX,
    gemini => agents::GEMINI,
    opencode => agents::OPENCODE,
    qwen => agents::QWEN,
}
