//! Recipe Vault: a family's recipes, in a database of their own.
//!
//! - [`Recipe`] and its parts: what a recipe is. [`RecipeInput`] is what somebody
//!   gave for one; its checks make [`Content`] of it.
//! - [`RecipeStore`]: the database. Several processes may have it open: a server
//!   that answers over HTTP, and children that answer over MCP.
//! - [`Change`] is the one way in which recipes change, for every door; with a
//!   [`Run`] the same change happens once, however often it is asked for.
//! - [`serve_stdio`]: the MCP server, for one tenant and any client.
//! - [`router`]: the HTTP routes. Who is asking is the server's to find out: it
//!   leaves a [`TenantScope`] in the request.
//! - [`preview`]: what a change would do, before anyone agrees to it (P-7).
//!
//! It knows nothing of chats, and no chat knows anything of it.

mod change;
mod clock;
mod error;
mod http;
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
pub use input::{IngredientInput, RecipeInput, StepInput, Whole};
pub use mcp::{ARTIFACT_META, INTERNAL_META, PREVIEW_META, RUN_ID_META, RecipeServer, serve_stdio};
pub use preview::preview;
pub use quantity::Quantity;
pub use recipe::{Content, Ingredient, Recipe, RecipeId, Step, Summary};
pub use store::{RecipeStore, Rehearsal};
