//! `parlor mcp`: bundled MCP servers, for the chat and for any other client.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::hint_if_interactive;
use super::tenant_store::{TenantArguments, block_on};
use crate::{logging, start};

/// The log filter. The MCP library logs only warnings.
const LOG: &str = "info,rmcp=warn";

/// Serves tools to an MCP client, on standard input and output.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// Recipe Vault: list, read, show, create, change and delete a tenant's recipes.
    ///
    /// Standard output carries the protocol, standard error the log. It needs no
    /// running server, and works beside one. With --data-dir and without --config no
    /// configuration is read, and any tenant is served.
    #[command(after_long_help = "In the configuration of an MCP client:
  {\"mcpServers\": {\"recipes\": {\"command\": \"parlor\",
    \"args\": [\"mcp\", \"recipes\", \"--tenant\", \"home\", \"--data-dir\", \"/srv/parlor-data\"]}}}")]
    Recipes {
        #[command(flatten)]
        tenant: TenantArguments,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Server::Recipes { tenant } = arguments.server;
    logging::start(LOG, Vec::new())?;
    hint_if_interactive("the messages of an MCP client");
    block_on(recipes(tenant))?;
    Ok(ExitCode::SUCCESS)
}

async fn recipes(tenant: TenantArguments) -> anyhow::Result<()> {
    let place = tenant.given_or_configured()?;
    let store = start::open_recipes(&place.storage, &place.data_dir).await?;
    Ok(parlor_recipes::serve_stdio(store, place.tenant).await?)
}
