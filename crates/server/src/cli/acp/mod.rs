//! `parlor acp`: a project for an editor that speaks the Agent Client Protocol.
//!
//! 1. Without `--url` the server runs in this process, on a free port of loopback, with a key
//!    for this run alone. With it, the key is in `PARLOR_API_KEY`. Either way the rest is a
//!    client of the HTTP API ([`client`]).
//! 2. Lines of standard input are requests, notifications and responses ([`json_rpc`]). Each
//!    request is carried out in a task of its own ([`agent`]); what is written to the editor
//!    goes through [`editor`].
//! 3. A conversation that the editor has open is a [`session`]: it takes a message
//!    ([`prompting`]) and follows its turn ([`turn`]). What is shown is decided by pure
//!    functions: [`updates`] and [`tool_calls`] for events; [`permission`], [`form`] and
//!    [`reply`] for prompts.
//! 4. When standard input ends, so does the process, with 0. Turns and questions stay in
//!    Parlor.
//!
//! Standard output carries nothing but the protocol.

mod activity;
mod agent;
mod answers;
mod client;
mod content;
mod editor;
mod errors;
mod event_stream;
mod follower;
mod form;
pub(crate) mod fuzz;
mod json_rpc;
mod lines;
mod permission;
mod prompting;
mod reply;
mod session;
mod tool_calls;
mod turn;
mod updates;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use parlor_process::LineWriter;
use parlor_protocol::{ProjectId, TenantId};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::hint_if_interactive;
use crate::auth::new_token;
use crate::compose::all_secrets;
use crate::config::{Config, HOME, PublicUrl, Sources};
use crate::logging;
use crate::start::{self, DirectoryInUse, Visitors};
use agent::{Agent, Sessions};
use client::Client;
use editor::Editor;

/// The variable with the key for `--url`.
const KEY: &str = "PARLOR_API_KEY";
/// Lines that wait for an editor that is slow to read.
const WAITING_LINES: usize = 256;

/// Lets an editor that speaks the Agent Client Protocol talk to a project.
///
/// Standard input and output carry the protocol, standard error the log. Without --url the
/// server runs in this process, with the configuration and the data of `parlor serve`.
#[derive(Debug, Args)]
#[command(after_long_help = "In the settings of Zed:
  {\"agent_servers\": {\"Parlor\": {\"command\": \"parlor\",
    \"args\": [\"acp\", \"--project\", \"recipes\", \"--url\", \"http://localhost:8787\"],
    \"env\": {\"PARLOR_API_KEY\": \"…\"}}}}

The key for --url comes from the environment: PARLOR_API_KEY. `parlor keys create` makes one.")]
pub(super) struct Arguments {
    /// The project.
    #[arg(long)]
    project: ProjectId,
    /// The tenant; with --url, that of the key.
    #[arg(long)]
    tenant: Option<TenantId>,
    /// A server that runs; without it one runs in this process.
    #[arg(long, conflicts_with_all = ["config", "data_dir"])]
    url: Option<Url>,
    /// The configuration; `parlor.toml` if there is one here.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The directory of the database.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    // First: otherwise a child process of the same user could read our environment.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .context("the environment cannot be hidden from other processes")?;
    hint_if_interactive("the messages of an editor");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let outcome = match &arguments.url {
        Some(url) => runtime.block_on(remote(url, &arguments)),
        None => runtime.block_on(in_process(&arguments)),
    };
    // A read of standard input may be under way, which nothing ends.
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Talks to a server elsewhere.
async fn remote(url: &Url, arguments: &Arguments) -> anyhow::Result<()> {
    if !matches!(url.scheme(), "http" | "https") || url.path() != "/" {
        bail!("--url is a scheme, a host and perhaps a port, such as https://chat.example.org");
    }
    let Some(key) = std::env::var(KEY).ok().filter(|key| !key.trim().is_empty()) else {
        bail!(
            "--url needs a key in the environment variable {KEY}; `parlor keys create` makes one"
        );
    };
    logging::start("info", vec![key.clone()])?;
    start::install_tls();
    let client = Client::remote(url.clone(), &SecretString::from(key))?;
    serve_editor(client, arguments.tenant.clone(), arguments).await
}

/// Runs the server in this process, and talks to it.
async fn in_process(arguments: &Arguments) -> anyhow::Result<()> {
    let environment = Sources::process_environment();
    let mut config = Config::load(&Sources {
        file: arguments.config.clone(),
        data_dir: arguments.data_dir.clone(),
        environment: environment.clone(),
        ..Sources::default()
    })?;
    let key = new_token("parlor")?;
    let mut secrets = all_secrets(&config, &environment);
    secrets.push(key.expose_secret().to_owned());
    logging::start_for(&config.server, secrets)?;
    config.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let tenant = known_tenant(&config, arguments)?;
    // Nobody but this process is meant to find it, whatever the configuration says.
    config.server.bind = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    config.server.public_url = None;
    config.credentials.editor_key = Some((key.clone(), tenant.clone()));
    let prepared = start::prepare(config, Visitors::Editor).await.map_err(in_use)?;
    let stopped = start::stop_signal()?;
    let server = prepared.open().await?;
    let address = PublicUrl::of_address(server.address());
    tracing::info!("a browser finds the conversations at {} meanwhile", address.as_str());
    let base = address.as_str().parse()?;
    let client = Client::local(base, &key)?;
    let (gone, stop) = (CancellationToken::new(), CancellationToken::new());
    let stops = async {
        tokio::select! {
            () = stopped => {}
            () = gone.cancelled() => {}
        }
        stop.cancel();
    };
    let editor = async {
        let served = tokio::select! {
            served = serve_editor(client, Some(tenant), arguments) => served,
            () = stop.cancelled() => Ok(()),
        };
        gone.cancel();
        served
    };
    let ((), served) = tokio::join!(server.run(stops), editor);
    served
}

/// The tenant and the project must be configured.
fn known_tenant(config: &Config, arguments: &Arguments) -> anyhow::Result<TenantId> {
    let tenant = match &arguments.tenant {
        Some(tenant) => tenant.clone(),
        None => HOME.parse()?,
    };
    let Some(settings) = config.tenants.get(&tenant) else {
        let known: Vec<&str> = config.tenants.keys().map(TenantId::as_str).collect();
        bail!("there is no tenant '{tenant}'; known tenants: {}", known.join(", "));
    };
    if !settings.projects.contains_key(&arguments.project) {
        let known: Vec<&str> = settings.projects.keys().map(ProjectId::as_str).collect();
        let project = &arguments.project;
        bail!("there is no project '{project}'; known projects: {}", known.join(", "));
    }
    Ok(tenant)
}

fn in_use(error: anyhow::Error) -> anyhow::Error {
    if error.is::<DirectoryInUse>() {
        return error.context("to talk to the server that runs, give its address: --url URL");
    }
    error
}

async fn serve_editor(
    client: Client,
    tenant: Option<TenantId>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let agent = Agent {
        client: Arc::new(client),
        editor: Arc::new(Editor::new(LineWriter::new(tokio::io::stdout(), WAITING_LINES))),
        tenant,
        project: arguments.project.clone(),
        folder: std::env::current_dir().context("the current folder is not known")?,
        sessions: Sessions::default(),
    };
    lines::serve(Arc::new(agent), tokio::io::stdin()).await
}
