//! `parlor mcp`: bundled MCP servers, for the chat and for any other client; and a look at the
//! servers of others.
//!
//! - [`standalone`]: a bundled server over HTTP, without the chat server.
//! - [`probe`]: what a server offers, as an agent would find it; [`login_page`]: how a person logs
//!   in there.

mod login_page;
mod probe;
mod standalone;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::hint_if_interactive;
use super::tenant_store::{TenantArguments, block_on};
use crate::{logging, start};

/// The log filter. The MCP library logs only warnings.
const LOG: &str = "info,rmcp=warn";

/// The same over HTTP, where anybody can cause warnings of the library.
const HTTP_LOG: &str = "info,rmcp=error";
/// The log filter of a look at a server: the report says what is wrong.
const PROBE_LOG: &str = "warn,rmcp=off,parlor_mcp=error";

/// Serves tools to an MCP client, or looks at a server that does.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Recipe Vault: list, read, show, create, change and delete a tenant's recipes.
    ///
    /// Without --http, standard output carries the protocol, standard error the log. It needs
    /// no running server, and works beside one. With --data-dir and without --config no
    /// configuration is read, and any tenant is served. A running server has the same at
    /// /mcp/recipes, for the tenant of each key.
    #[command(after_long_help = "In the configuration of an MCP client:
  {\"mcpServers\": {\"recipes\": {\"command\": \"parlor\",
    \"args\": [\"mcp\", \"recipes\", \"--tenant\", \"home\", \"--data-dir\", \"/srv/parlor-data\"]}}}

Over HTTP:
  parlor mcp recipes --http
  PARLOR_MCP_KEY=… parlor mcp recipes --http 0.0.0.0:8788 --public-url http://recipes.lan:8788

A client sends the key as X-API-Key or as Authorization: Bearer. On this machine a key may be
left out; at any other address it is required.")]
    Recipes {
        #[command(flatten)]
        tenant: TenantArguments,
        #[command(flatten)]
        http: standalone::Arguments,
    },
    Probe(probe::Arguments),
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Recipes { tenant, http } => {
            logging::start(if http.is_given() { HTTP_LOG } else { LOG }, Vec::new())?;
            block_on(recipes(tenant, http))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Probe(arguments) => {
            logging::start(PROBE_LOG, Vec::new())?;
            block_on(probe::run(arguments))
        }
    }
}

async fn recipes(tenant: TenantArguments, http: standalone::Arguments) -> anyhow::Result<()> {
    let endpoint = http.endpoint()?;
    let place = tenant.given_or_configured()?;
    let store = start::open_recipes(&place.storage, &place.data_dir).await?;
    match endpoint {
        Some(endpoint) => standalone::serve(endpoint, store, place.tenant).await,
        None => {
            hint_if_interactive("the messages of an MCP client");
            Ok(parlor_recipes::serve_stdio(store, place.tenant).await?)
        }
    }
}
