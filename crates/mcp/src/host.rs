//! The tools of a project: all of its MCP servers, as one.

use std::sync::{Arc, Once};
use std::time::Duration;

use futures_util::future::join_all;
use parlor_agent::tools::{AppPage, ServerHealth, Tool, ToolCall, ToolFuture, ToolStream, Tools};
use parlor_process::{StderrLine, Supervisor};
use secrecy::SecretString;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::app_page;
use super::call;
use super::catalogue::Catalogue;
use super::identity::ServerIdentity;
use super::login::{BegunLogin, Login, LoginError};
use super::oauth;
use super::preview;
use super::resolve::ServerSpec;
use super::server_task::{ServerHandle, ServerTask};
use super::settings::{McpServerSettings, McpSettingsError};

/// What a server works on, and what it wrote last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOutput {
    /// The calls that it works on.
    pub running_calls: usize,
    /// The last lines on its standard error, oldest first, without the secrets of its environment.
    /// A server that is reached over HTTP has none.
    pub lines: Vec<StderrLine>,
}

/// Runs the MCP servers of a project. Dropping it ends them.
#[derive(Debug)]
pub struct McpHost {
    /// For the log.
    project: String,
    servers: Vec<Arc<ServerHandle>>,
    catalogue: Arc<Catalogue>,
    supervisor: Supervisor,
    started: Once,
    stop: CancellationToken,
    _stop_when_dropped: DropGuard,
}

impl McpHost {
    /// Checks the settings of the servers; their order decides which server gets a name. Nothing is
    /// started before [`Tools::start`].
    ///
    /// `project` is a name for the log; `env` looks up an environment variable. A TLS provider must
    /// be installed before.
    pub fn new<'s>(
        project: &str,
        servers: impl IntoIterator<Item = (&'s str, &'s McpServerSettings)>,
        supervisor: &Supervisor,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, McpSettingsError> {
        Self::with_login(project, servers, supervisor, env, None)
    }

    /// The same, with a way to log in to servers that ask for it.
    pub fn with_login<'s>(
        project: &str,
        servers: impl IntoIterator<Item = (&'s str, &'s McpServerSettings)>,
        supervisor: &Supervisor,
        env: &dyn Fn(&str) -> Option<String>,
        login: Option<&Login>,
    ) -> Result<Self, McpSettingsError> {
        let resolve = |(name, settings)| {
            let spec = ServerSpec::resolve(name, settings, env);
            spec.map(|spec| spec.with_login(login.cloned()))
        };
        let specs = servers.into_iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
        let stop = CancellationToken::new();
        Ok(Self {
            project: project.to_owned(),
            catalogue: Arc::new(Catalogue::new(specs.len())),
            servers: specs.into_iter().map(ServerHandle::new).map(Arc::new).collect(),
            supervisor: supervisor.clone(),
            started: Once::new(),
            _stop_when_dropped: stop.clone().drop_guard(),
            stop,
        })
    }

    /// Completes when each server is ready, or is known to be down.
    pub async fn tried(&self) {
        join_all(self.servers.iter().map(|server| server.tried())).await;
    }

    /// What each server says of itself, while it is connected, in their order.
    pub fn identities(&self) -> Vec<Option<ServerIdentity>> {
        self.servers.iter().map(|server| server.identity()).collect()
    }

    /// Begins a login to a server, for a person who is about to open its login page.
    pub async fn begin_login(&self, server: &str) -> Result<BegunLogin, LoginError> {
        let handle = self.server(server)?;
        let (endpoint, login) = handle.spec.login().ok_or(LoginError::NotPossible)?;
        oauth::attempt::begin(server, endpoint, login).await
    }

    /// Finishes a login: `back` is the address that the person was sent back to. The server is
    /// connected anew.
    pub async fn finish_login(
        &self,
        server: &str,
        attempt: &SecretString,
        back: &str,
    ) -> Result<(), LoginError> {
        let handle = self.server(server)?;
        let (endpoint, login) = handle.spec.login().ok_or(LoginError::NotPossible)?;
        oauth::attempt::finish(server, endpoint, login, attempt, back).await?;
        handle.connect_anew();
        Ok(())
    }

    /// Forgets the login to a server, and connects anew without it.
    pub async fn log_out(&self, server: &str) -> Result<(), LoginError> {
        let handle = self.server(server)?;
        let Some((endpoint, Login::Later { store, .. })) = handle.spec.login() else {
            return Err(LoginError::NotPossible);
        };
        store.clear(server).await.map_err(LoginError::Failed)?;
        endpoint.login_status.logged_out();
        handle.connect_anew();
        Ok(())
    }

    /// Ends a server and starts it again; `None` if there is no such server. Calls that it works on
    /// end, and whether they took effect is not known. Waits at most so long for it to be ready.
    pub async fn restart(&self, server: &str, within: Duration) -> Option<ServerHealth> {
        let handle = self.servers.iter().find(|handle| handle.spec.name == server)?;
        handle.restart(within).await;
        self.health().into_iter().find(|health| health.server == server)
    }

    /// What a server works on and what it wrote last; `None` if there is no such server.
    pub fn output(&self, server: &str) -> Option<ServerOutput> {
        let handle = self.servers.iter().find(|handle| handle.spec.name == server)?;
        Some(ServerOutput { running_calls: handle.running_calls(), lines: handle.stderr_lines() })
    }

    fn server(&self, name: &str) -> Result<&Arc<ServerHandle>, LoginError> {
        let found = self.servers.iter().find(|server| server.spec.name == name);
        found.ok_or(LoginError::NotPossible)
    }

    /// The task of a server.
    fn task(&self, index: usize, handle: &Arc<ServerHandle>) -> ServerTask {
        ServerTask {
            index,
            handle: handle.clone(),
            catalogue: self.catalogue.clone(),
            supervisor: self.supervisor.clone(),
            stop: self.stop.clone(),
            project: self.project.clone(),
            log: Default::default(),
        }
    }

    fn find(&self, tool: &str) -> Option<(Arc<ServerHandle>, Tool)> {
        let (server, tool) = self.catalogue.find(tool)?;
        Some((self.servers.get(server)?.clone(), tool))
    }
}

impl Tools for McpHost {
    fn start(&self) {
        self.started.call_once(|| {
            for (index, handle) in self.servers.iter().enumerate() {
                tokio::spawn(self.task(index, handle).run());
            }
        });
    }

    fn list(&self) -> Arc<[Tool]> {
        self.catalogue.list()
    }

    fn call(&self, call: ToolCall) -> ToolStream {
        match self.find(&call.tool) {
            Some((server, tool)) => call::stream(server, tool, call),
            None => call::not_run(format!("There is no tool \"{}\".", call.tool)),
        }
    }

    fn health(&self) -> Vec<ServerHealth> {
        let servers = self.servers.iter().enumerate();
        let health = servers.map(|(index, server)| {
            let tools = self.catalogue.count(index, &server.spec.name);
            server.health(tools, self.catalogue.left_out(index))
        });
        health.collect()
    }

    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Value>> {
        match self.find(tool) {
            Some((server, tool)) => {
                let (others, arguments) = (self.catalogue.list(), arguments.clone());
                Box::pin(async move { preview::preview(&server, &tool, &others, arguments).await })
            }
            None => Box::pin(std::future::ready(None)),
        }
    }

    fn app_tool(&self, server: &str, name: &str) -> Option<Tool> {
        let index = self.servers.iter().position(|handle| handle.spec.name == server)?;
        self.catalogue.app_tool(index, name)
    }

    fn app_page(&self, tool: &str) -> ToolFuture<Result<AppPage, String>> {
        match self.find(tool) {
            Some((server, tool)) => Box::pin(app_page::read(server, tool)),
            None => Box::pin(std::future::ready(Err(format!("There is no tool \"{tool}\".")))),
        }
    }

    fn settle(&self) -> ToolFuture<()> {
        let servers = self.servers.clone();
        Box::pin(async move {
            join_all(servers.iter().map(|server| server.settled())).await;
        })
    }

    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        self.stop.cancel();
        let servers = self.servers.clone();
        Box::pin(async move {
            let all = join_all(servers.iter().map(|server| server.closed()));
            if timeout(deadline, all).await.is_err() {
                // Their supervisors end them when this process exits.
                tracing::warn!("MCP servers still ran at the deadline");
            }
        })
    }
}
