//! The tools of a project as somebody has them: a person, or whoever has no account.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_agent::tools::{AppPage, ServerHealth, Tool, ToolCall, ToolFuture, ToolStream, Tools};
use parlor_protocol::PersonId;
use serde_json::{Map, Value};

use super::app_page;
use super::call;
use super::callee::Callee;
use super::people::People;
use super::preview;
use super::server_handle::ServerHandle;

/// The tools of a project, for the turns of somebody.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) servers: Arc<[Arc<ServerHandle>]>,
    pub(super) people: Arc<People>,
    /// Nobody for the shared account.
    pub(super) person: Option<PersonId>,
}

impl View {
    pub(super) fn callee(&self, index: usize) -> Option<Callee> {
        let server = self.servers.get(index)?.clone();
        Some(Callee { index, server, people: self.people.clone(), person: self.person })
    }

    fn find(&self, tool: &str) -> Option<(Callee, Tool)> {
        let (index, tool) = self.people.catalogue.find(self.person, tool)?;
        Some((self.callee(index)?, tool))
    }

    /// Connects somebody who is logged in, and waits a moment for it: what is listed for them may
    /// be other tools.
    async fn settled(self, index: usize) {
        let Some(server) = self.servers.get(index) else { return };
        let Some(person) = self.person.filter(|_| server.spec.person_login.is_some()) else {
            return server.settled().await;
        };
        if self.people.is_logged_in(server, person).await
            && let Ok(own) = self.people.connection(index, server, Some(person)).await
        {
            own.settled().await;
        }
    }
}

impl Tools for View {
    fn list(&self) -> Arc<[Tool]> {
        self.people.catalogue.list(self.person)
    }

    fn call(&self, call: ToolCall) -> ToolStream {
        match self.find(&call.tool) {
            Some((callee, tool)) => call::stream(callee, tool, call),
            None => call::not_run(format!("There is no tool \"{}\".", call.tool)),
        }
    }

    fn health(&self) -> Vec<ServerHealth> {
        let catalogue = &self.people.catalogue;
        let servers = self.servers.iter().enumerate();
        let health = servers.map(|(index, server)| {
            let tools = catalogue.count(index, &server.spec.name);
            server.health(tools, catalogue.left_out(index))
        });
        health.collect()
    }

    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Value>> {
        match self.find(tool) {
            Some((callee, tool)) => {
                let (others, arguments) = (self.list(), arguments.clone());
                Box::pin(async move { preview::preview(&callee, &tool, &others, arguments).await })
            }
            None => Box::pin(std::future::ready(None)),
        }
    }

    fn app_tool(&self, server: &str, name: &str) -> Option<Tool> {
        let index = self.servers.iter().position(|handle| handle.spec.name == server)?;
        self.people.catalogue.app_tool(index, self.person, name)
    }

    fn app_page(&self, tool: &str) -> ToolFuture<Result<AppPage, String>> {
        match self.find(tool) {
            Some((callee, tool)) => Box::pin(app_page::read(callee, tool)),
            None => Box::pin(std::future::ready(Err(format!("There is no tool \"{tool}\".")))),
        }
    }

    fn of_person(&self, person: Option<PersonId>) -> Option<Arc<dyn Tools>> {
        let is_theirs = self.servers.iter().any(|server| server.spec.person_login.is_some());
        is_theirs.then(|| Arc::new(Self { person, ..self.clone() }) as Arc<dyn Tools>)
    }

    fn settle(&self) -> ToolFuture<()> {
        let view = self.clone();
        Box::pin(async move {
            join_all((0..view.servers.len()).map(|index| view.clone().settled(index))).await;
        })
    }

    /// The servers are the project's: a view ends none.
    fn close(&self, _: Duration) -> ToolFuture<()> {
        Box::pin(std::future::ready(()))
    }
}
