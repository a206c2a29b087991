//! Test doubles for tests and benchmarks; never part of the product.
//!
//! [`ScriptedModel`] is a server on loopback that speaks the Anthropic Messages API,
//! OpenAI chat completions, the OpenAI Responses API and the Gemini API, and plays the
//! [`Script`]s of a test, faults included: it writes its HTTP by hand, so that it can
//! also write it wrong. A script is written once and played in the wire format of the
//! request; what the model received can be read the same way for all formats
//! ([`RecordedRequest::transcript`]). The server records every request, and reports
//! when a client disconnected. A [`Gate`] lets a test decide when the next piece is
//! sent, so that no test has to sleep.
//!
//! Agent CLIs ask their models for more than a conversation, and name their tools as
//! they like: [`ScriptedModel::for_agents`] keeps their other requests apart, and
//! [`Script::shell`] and [`Script::write_file`] call the tool that does it.
//!
//! The program `faulty-mcp` is an MCP server that misbehaves on demand, and
//! `fake-agent` an agent CLI that does.
//!
//! [`postgres`], [`redis`] and [`proxies`] say where the real servers are that
//! `cargo xtask services` and `cargo xtask test` start.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use parlor_testkit::{Script, ScriptedModel};
//!
//! let model = ScriptedModel::start().await?;
//! model.push(Script::answer().text("Hel").text("lo").usage(12, 3));
//! model.push(Script::failure(529).retry_after(0));
//! // … point a client at model.base_url() …
//! assert_eq!(model.requests()[0]["stream"], true);
//! # Ok(())
//! # }
//! ```

mod deed;
mod environment;
mod format;
mod frame;
mod framing;
mod http;
mod offered;
mod player;
pub mod postgres;
pub mod proxies;
mod record;
pub mod redis;
mod say;
mod script;
mod server;
mod side;
mod transcript;
mod wire;

pub use record::RecordedRequest;
pub use script::{Gate, Script};
pub use server::ScriptedModel;
