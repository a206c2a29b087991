//! The tools that a client has: checked before a turn may call them.
//!
//! They are given by whoever sends a message, so they are no more than a message: bounded, judged
//! by the guardrail, and never in the place of a tool of the project.

use parlor_agent::tools::{ASK_USER, ToolSpec};
use parlor_protocol::ClientTool;
use serde_json::{Value, json};

use crate::error::ChatError;
use crate::project::Project;
use crate::schema;

/// The most tools of a client.
const MAX_TOOLS: usize = 64;
/// The longest description and schemas of all of them, in bytes.
const MAX_BYTES: usize = 128 * 1024;

/// Checks tools, and returns them as they are stored with the turn; `None` if there are none.
pub(crate) fn check(project: &Project, tools: &[ClientTool]) -> Result<Option<Value>, ChatError> {
    if tools.is_empty() {
        return Ok(None);
    }
    if !project.agent.takes_client_tools() {
        return refuse("The agent of this project takes no tools of clients.".into());
    }
    if tools.len() > MAX_TOOLS {
        return refuse(format!("There are more than {MAX_TOOLS} client tools."));
    }
    let own = project.tools.as_ref().map(|tools| tools.list());
    let is_own = |name: &str| {
        name == ASK_USER || own.iter().flat_map(|own| own.iter()).any(|tool| tool.spec.name == name)
    };
    let mut specs: Vec<ToolSpec> = Vec::new();
    let mut bytes = 0;
    for ClientTool { name, description, input_schema } in tools {
        if !is_name(name) {
            return refuse(
                "The name of a client tool is 1 to 64 of a-z, A-Z, 0-9, '_', '-'.".into(),
            );
        }
        if is_own(name) || specs.iter().any(|spec| spec.name == *name) {
            return refuse(format!("The client tool {name} has the name of another tool."));
        }
        let input_schema = match input_schema {
            Value::Null => json!({"type": "object", "properties": {}}),
            schema => schema.clone(),
        };
        if !input_schema.is_object() || schema::compile(&input_schema).is_err() {
            return refuse(format!("The schema of the client tool {name} is not a JSON Schema."));
        }
        let texts = format!("{description}\n{input_schema}");
        bytes += texts.len();
        if bytes > MAX_BYTES {
            return refuse(format!("The client tools are longer than {MAX_BYTES} bytes."));
        }
        if let (_, Some(finding)) = project.guardrail.check_description(&texts) {
            tracing::warn!(rule = %finding.rule, tool = %name, "a client tool gives orders");
            return refuse(format!("The client tool {name} reads as if it gives orders."));
        }
        specs.push(ToolSpec { name: name.clone(), description: description.clone(), input_schema });
    }
    Ok(serde_json::to_value(specs).ok())
}

/// The tools as they were stored with a turn.
pub(crate) fn stored(tools: Option<Value>) -> Vec<ToolSpec> {
    tools.and_then(|tools| serde_json::from_value(tools).ok()).unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

fn refuse<T>(why: String) -> Result<T, ChatError> {
    Err(ChatError::Malformed(why))
}
