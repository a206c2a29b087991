//! A call of a program's own tool, in the form of the approval policy.

use std::time::Duration;

use parlor_agent::ProposedCall;
use parlor_agent::flow::ToolFlow;
use parlor_agent::tools::{Claims, Tool, ToolAction, ToolRule, ToolSpec};
use serde_json::{Map, Value, json};

/// The server of its tools, as people see it: not the name of the program.
const SERVER: &str = "agent";

/// A call that a program wants to make, or makes. `action` is what the configuration says about
/// its tool, `flow` are the labels of the call.
pub(crate) fn program_call(
    id: &str,
    name: &str,
    input: Map<String, Value>,
    action: Option<ToolAction>,
    flow: ToolFlow,
) -> ProposedCall {
    ProposedCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input,
        tool: Some(tool(name, action, flow)),
        description: None,
        preview: None,
        ends_with_agent: false,
        caveats: Vec::new(),
    }
}

fn tool(name: &str, action: Option<ToolAction>, flow: ToolFlow) -> Tool {
    let rule = |action| ToolRule { arguments: Vec::new(), action };
    Tool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object"}),
        },
        server: SERVER.to_owned(),
        name: name.to_owned(),
        title: None,
        claims: Claims::default(),
        rules: action.map(rule).into_iter().collect(),
        fingerprint: String::new(),
        timeout: Duration::MAX,
        prompt_timeout: None,
        approvers: None,
        preview: None,
        suspicion: None,
        is_changed: false,
        app: Default::default(),
        flow,
    }
}
