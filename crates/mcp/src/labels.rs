//! The labels of a tool (F-1): what the configuration says, then what the server says and is
//! believed, then the safe side.
//!
//! A hint of a server never makes content the people's own: that is for the configuration. What
//! makes a call more dangerous is believed of every server.

use parlor_agent::flow::{Label, ResultLabel, ToolFlow};
use parlor_agent::tools::{Claims, ToolAction};
use parlor_protocol::Content;
use rmcp::model::Tool as McpTool;
use serde_json::{Map, Value};

use super::resolve::{ServerSpec, ToolPolicy};

/// The metadata key of a result's labels.
const LABELS: &str = "ifc";
/// Names of arguments that hold an address.
const ADDRESSES: &[&str] = &[
    "url", "urls", "uri", "uris", "href", "link", "links", "endpoint", "webhook", "domain", "host",
    "website",
];

/// The labels of a tool.
pub(super) fn of_tool(
    tool: &McpTool,
    claims: Claims,
    spec: &ServerSpec,
    policy: &ToolPolicy,
) -> ToolFlow {
    let hints = tool.annotations.as_ref();
    let is_open = hints.and_then(|hints| hints.open_world_hint) == Some(true);
    let reaches_out = is_open || takes_address(tool);
    let content = policy.content.or(spec.content);
    let private = policy.private.or(spec.private);
    ToolFlow {
        content: content.map_or(Label::unknown(Content::Others), Label::configured),
        private: private.map_or(Label::unknown(true), Label::configured),
        sink: match policy.sink {
            Some(sink) => Label::configured(sink),
            None if is_open => Label::believed(true),
            None if claims.read_only && !reaches_out => Label::believed(false),
            None => Label::unknown(true),
        },
        reaches_out,
        tainted: policy.tainted.unwrap_or(ToolAction::Ask),
    }
}

/// What a server says of a result. Only a server that is trusted with it can say that something is
/// the people's own, or public.
pub(super) fn of_result(meta: Option<&Map<String, Value>>, is_trusted: bool) -> ResultLabel {
    let Some(labels) = meta.and_then(|meta| meta.get(LABELS)) else {
        return ResultLabel::default();
    };
    let content = match labels.get("integrity").and_then(Value::as_str) {
        Some("trusted") => is_trusted.then_some(Content::Own),
        Some(_) => Some(Content::Others),
        None => None,
    };
    let is_private = labels.get("confidentiality").and_then(|whom| match is_public(whom) {
        true => is_trusted.then_some(false),
        false => Some(true),
    });
    ResultLabel { content, is_private }
}

/// `"public"`, or a list of readers that has it.
fn is_public(whom: &Value) -> bool {
    match whom {
        Value::Array(readers) => readers.iter().any(|reader| reader == "public"),
        one => one == "public",
    }
}

fn takes_address(tool: &McpTool) -> bool {
    let Some(Value::Object(properties)) = tool.input_schema.get("properties") else { return false };
    properties.keys().any(|name| is_address(name))
}

fn is_address(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ADDRESSES.contains(&lower.as_str())
        || lower.ends_with("_url")
        || lower.ends_with("_uri")
        || name.ends_with("Url")
        || name.ends_with("Uri")
        || name.ends_with("URL")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::McpServerSettings;

    fn flow(server: Value, hints: Value, properties: Value) -> ToolFlow {
        let mut settings = json!({"command": "x"});
        settings.as_object_mut().unwrap().extend(server.as_object().unwrap().clone());
        let settings: McpServerSettings = serde_json::from_value(settings).unwrap();
        let spec = ServerSpec::resolve("mail", &settings, &|_| None).unwrap();
        let tool: McpTool = serde_json::from_value(json!({"name": "read", "annotations": hints,
            "inputSchema": {"type": "object", "properties": properties}}))
        .unwrap();
        let claims = super::super::listing::claims(&tool, &spec);
        of_tool(&tool, claims, &spec, &spec.policy("read"))
    }

    /// F-1: in doubt words are others', a result is private, and a call is a sink; no hint makes
    /// words own.
    #[test]
    fn the_safe_side() {
        for trust in [true, false] {
            for hints in [json!({}), json!({"readOnlyHint": true, "openWorldHint": false})] {
                let flow = flow(json!({"trust_annotations": trust}), hints, json!({}));
                assert_eq!(flow.content, Label::unknown(Content::Others));
                assert_eq!(flow.private, Label::unknown(true));
            }
        }
        let reads = json!({"readOnlyHint": true});
        let sink = |trust: bool, hints: &Value, properties: Value| {
            flow(json!({"trust_annotations": trust}), hints.clone(), properties).sink
        };
        assert_eq!(sink(false, &reads, json!({})), Label::unknown(true));
        assert_eq!(sink(true, &reads, json!({})), Label::believed(false));
        assert_eq!(sink(true, &json!({"destructiveHint": false}), json!({})), Label::unknown(true));
        for address in ["url", "URL", "image_url", "pageUrl", "webhook"] {
            assert_eq!(sink(true, &reads, json!({address: {}})), Label::unknown(true), "{address}");
        }
        let open = json!({"readOnlyHint": true, "openWorldHint": true});
        assert_eq!(sink(true, &open, json!({})), Label::believed(true));
        assert_eq!(sink(false, &open, json!({})), Label::believed(true));
    }

    /// F-1: the configuration decides, of a tool before that of its server.
    #[test]
    fn labels_are_configured() {
        let server = json!({"trust_annotations": true, "content": "own", "private": false,
            "tools": {"read": {"content": "others", "sink": true, "tainted": "deny"}}});
        let flow = flow(server, json!({"readOnlyHint": true}), json!({}));
        assert_eq!(flow.content, Label::configured(Content::Others));
        assert_eq!(flow.private, Label::configured(false));
        assert_eq!(flow.sink, Label::configured(true));
        assert_eq!(flow.tainted, ToolAction::Deny);
    }

    /// F-1: what a server says of a result counts at once if it is worse, else if it is trusted.
    #[test]
    fn results_have_labels() {
        let said = |labels: Value, trusted| {
            let meta = json!({ "ifc": labels });
            let ResultLabel { content, is_private } = of_result(meta.as_object(), trusted);
            (content, is_private)
        };
        let good = json!({"integrity": "trusted", "confidentiality": "public"});
        assert_eq!(said(good.clone(), false), (None, None));
        assert_eq!(said(good, true), (Some(Content::Own), Some(false)));
        let readers = json!({"confidentiality": ["public"]});
        assert_eq!(said(readers, true), (None, Some(false)));
        for bad in [
            json!({"integrity": "untrusted", "confidentiality": "private"}),
            json!({"integrity": "?", "confidentiality": ["alice"]}),
        ] {
            assert_eq!(said(bad.clone(), true), (Some(Content::Others), Some(true)));
            assert_eq!(said(bad, false), (Some(Content::Others), Some(true)));
        }
        for nothing in [json!(null), json!(7), json!({})] {
            assert_eq!(said(nothing, true), (None, None));
        }
    }
}
