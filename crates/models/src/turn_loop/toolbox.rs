//! What a model may call: the tools of its servers, and the question to the person.

use std::sync::Arc;

use futures_util::stream;
use parlor_agent::tools::{
    Tool, ToolCall, ToolEvent, ToolOutcome, ToolSpec, ToolStream, Tools, tools_of_person,
};
use parlor_protocol::PersonId;

use super::ask_user;

/// The tools of a conversation. They are looked up each time: servers start, stop and change
/// their tools.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Option<Arc<dyn Tools>>,
    can_ask: bool,
}

impl Toolbox {
    /// The tools of these servers; `can_ask` adds the question to the person.
    pub fn new(tools: Option<Arc<dyn Tools>>, can_ask: bool) -> Self {
        Self { tools, can_ask }
    }

    /// The same, for the turns of a person.
    pub(super) fn of_person(&self, person: Option<PersonId>) -> Self {
        let tools = self.tools.as_ref().map(|tools| tools_of_person(tools, person));
        Self { tools, can_ask: self.can_ask }
    }

    pub(super) fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// What the servers have now.
    pub(super) fn list(&self) -> Arc<[Tool]> {
        self.tools.as_ref().map_or_else(|| Arc::from([]), |tools| tools.list())
    }

    /// A list of tools and those of the client, as the model sees them. A tool of the client that
    /// has the name of another is left out.
    pub(super) fn specs<'l>(
        &self,
        list: &'l [Tool],
        of_client: &'l [ToolSpec],
    ) -> Vec<&'l ToolSpec> {
        let mut specs: Vec<&ToolSpec> = list.iter().map(|tool| &tool.spec).collect();
        if self.can_ask {
            specs.retain(|spec| spec.name != ask_user::NAME);
            specs.push(&ask_user::SPEC);
        }
        for tool in of_client {
            if specs.iter().all(|spec| spec.name != tool.name) {
                specs.push(tool);
            }
        }
        specs
    }

    pub(super) fn find(&self, name: &str) -> Option<Tool> {
        self.list().iter().find(|tool| tool.spec.name == name).cloned()
    }

    pub(super) fn call(&self, call: ToolCall) -> ToolStream {
        match &self.tools {
            Some(tools) => tools.call(call),
            None => {
                let outcome = ToolOutcome::NotRun(format!("There is no tool {:?}.", call.tool));
                Box::pin(stream::iter([ToolEvent::Done(outcome)]))
            }
        }
    }
}
