//! The tools of a project: all of its MCP servers, as one.

use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use parlor_agent::tools::{AppPage, ServerHealth, Tool, ToolCall, ToolFuture, ToolStream, Tools};
use parlor_process::{StderrLine, Supervisor};
use parlor_protocol::PersonId;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::catalogue::Catalogue;
use super::identity::ServerIdentity;
use super::login::{Login, LoginError};
use super::people::{People, PersonLimits};
use super::resolve::ServerSpec;
use super::server_handle::ServerHandle;
use super::server_task::ServerTask;
use super::settings::{McpServerSettings, McpSettingsError};
use super::view::View;

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
    /// What whoever is nobody has of them.
    view: View,
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
        let people = People {
            project: project.to_owned(),
            catalogue: Arc::new(Catalogue::new(specs.len())),
            supervisor: supervisor.clone(),
            stop: stop.child_token(),
            limits: Mutex::default(),
            open: Mutex::default(),
        };
        let servers = specs.into_iter().map(ServerHandle::new).map(Arc::new).collect();
        Ok(Self {
            project: project.to_owned(),
            view: View { servers, people: Arc::new(people), person: None },
            started: Once::new(),
            _stop_when_dropped: stop.clone().drop_guard(),
            stop,
        })
    }

    /// Sets how many connections people have, and for how long.
    pub fn limit_people(&self, limits: PersonLimits) {
        *self.view.people.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// Completes when each server is ready, or is known to be down.
    pub async fn tried(&self) {
        join_all(self.view.servers.iter().map(|server| server.tried())).await;
    }

    /// What each server says of itself, while it is connected, in their order.
    pub fn identities(&self) -> Vec<Option<ServerIdentity>> {
        self.view.servers.iter().map(|server| server.identity()).collect()
    }

    /// Ends a server and starts it again; `None` if there is no such server. Calls that it works on
    /// end, and whether they took effect is not known. Waits at most so long for it to be ready.
    pub async fn restart(&self, server: &str, within: Duration) -> Option<ServerHealth> {
        let (index, handle) = self.server(server).ok()?;
        self.view.people.close(|(of, _)| of == index);
        handle.restart(within).await;
        self.health().into_iter().find(|health| health.server == server)
    }

    /// What a server works on and what it wrote last; `None` if there is no such server.
    pub fn output(&self, server: &str) -> Option<ServerOutput> {
        let (index, handle) = self.server(server).ok()?;
        let running_calls = handle.running_calls() + self.view.people.running_calls(index);
        Some(ServerOutput { running_calls, lines: handle.stderr_lines() })
    }

    /// A server and its place.
    pub(super) fn server(&self, name: &str) -> Result<(usize, &Arc<ServerHandle>), LoginError> {
        let mut servers = self.view.servers.iter().enumerate();
        servers.find(|(_, server)| server.spec.name == name).ok_or(LoginError::NotPossible)
    }

    pub(super) fn people(&self) -> &People {
        &self.view.people
    }

    pub(super) fn servers(&self) -> &[Arc<ServerHandle>] {
        &self.view.servers
    }

    /// The task of a server.
    fn task(&self, index: usize, handle: &Arc<ServerHandle>) -> ServerTask {
        ServerTask {
            index,
            handle: handle.clone(),
            catalogue: self.view.people.catalogue.clone(),
            supervisor: self.view.people.supervisor.clone(),
            stop: self.stop.clone(),
            project: self.project.clone(),
            log: Default::default(),
            person: None,
        }
    }
}

impl Tools for McpHost {
    fn start(&self) {
        self.started.call_once(|| {
            for (index, handle) in self.view.servers.iter().enumerate() {
                tokio::spawn(self.task(index, handle).run());
            }
        });
    }

    fn list(&self) -> Arc<[Tool]> {
        self.view.list()
    }

    fn call(&self, call: ToolCall) -> ToolStream {
        self.view.call(call)
    }

    fn health(&self) -> Vec<ServerHealth> {
        self.view.health()
    }

    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Value>> {
        self.view.preview(tool, arguments)
    }

    fn app_tool(&self, server: &str, name: &str) -> Option<Tool> {
        self.view.app_tool(server, name)
    }

    fn app_page(&self, tool: &str) -> ToolFuture<Result<AppPage, String>> {
        self.view.app_page(tool)
    }

    fn of_person(&self, person: Option<PersonId>) -> Option<Arc<dyn Tools>> {
        self.view.of_person(person)
    }

    fn settle(&self) -> ToolFuture<()> {
        self.view.settle()
    }

    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        self.stop.cancel();
        let View { servers, people, .. } = self.view.clone();
        Box::pin(async move {
            let all = async {
                join_all(servers.iter().map(|server| server.closed())).await;
                people.closed().await;
            };
            if timeout(deadline, all).await.is_err() {
                // Their supervisors end them when this process exits.
                tracing::warn!("MCP servers still ran at the deadline");
            }
        })
    }
}
