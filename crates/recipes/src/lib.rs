//! Recipe Vault: a family's recipes, in a database of their own.
//!
//! - [`Recipe`] and its parts: what a recipe is. [`RecipeInput`] is unchecked input for
//!   one; its checks make [`Content`] of it.
//! - [`RecipeStore`]: the database. Several processes may have it open: a server
//!   that answers over HTTP, and child processes that answer over MCP.
//! - [`Change`]: the one way in which recipes change, over HTTP and MCP; with a
//!   [`Run`] the same change happens once, however often it is requested.
//! - [`serve_stdio`]: the MCP server, for one tenant and any client; [`McpRequest`]: the same,
//!   for one request over HTTP.
//! - [`router`]: the HTTP routes. The server authenticates a request and puts a
//!   [`TenantScope`] into it.
//! - [`import`]: a recipe from a web page's structured data, or from plain text.
//! - [`preview`]: what a change would do, before a person approves it (P-7).
//!
//! It does not depend on the chat, nor the chat on it.

mod change;
mod clock;
mod error;
mod http;
mod import;
mod input;
mod limits;
mod mcp;
mod preview;
mod quantity;
mod recipe;
mod samples;
mod store;

pub use change::{Change, Run, RunId};
pub use error::{RecipeError, Refusal};
pub use http::{TenantScope, router};
pub use import::{Draft, DraftSource, import};
pub use input::{IngredientInput, RecipeInput, StepInput, WholeNumber};
pub use mcp::{
    ARTIFACT_META, INTERNAL_META, McpRequest, PREVIEW_META, RUN_ID_META, RecipeServer, serve_stdio,
};
pub use preview::preview;
pub use quantity::Quantity;
pub use recipe::{Content, Ingredient, Recipe, RecipeId, Step, Summary};
pub use samples::SampleLanguage;
pub use store::{DryRun, RecipeStore, component};
