//! Lists the tools of a server, page by page, and converts them to [`Tool`]. A tool that cannot be
//! used is left out with a reason, and does not affect the others.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use parlor_agent::tools::{Claims, Tool, ToolApp, ToolSpec};
use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as McpTool,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::apps;
use super::labels;
use super::resolve::ServerSpec;
use super::task_support::NEEDS_TASK;

/// The metadata key of a trusted server's tool that is not offered to the model.
const INTERNAL: &str = "parlor/internal";
/// The metadata key that names the internal tool for previews.
const PREVIEW: &str = "parlor/preview";

const MOST_PAGES: usize = 50;
const MOST_TOOLS: usize = 200;
const LONGEST_OWN_NAME: usize = 128;
const LONGEST_TITLE: usize = 200;
const LONGEST_DESCRIPTION: usize = 16 << 10;
const LARGEST_SCHEMA: usize = 64 << 10;
/// The longest name that every model vendor accepts.
const LONGEST_NAME: usize = 64;
const MOST_NOTES: usize = 20;

/// The tools of a server, and why others were left out.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Tool>,
    pub(super) notes: Vec<String>,
}

/// Requests the tools of a server.
pub(super) async fn fetch(
    peer: &Peer<RoleClient>,
    spec: &ServerSpec,
) -> Result<Listing, ServiceError> {
    let has_tools = peer.peer_info().is_some_and(|info| info.capabilities.tools.is_some());
    if !has_tools {
        let notes = vec!["the server says that it has no tools".to_owned()];
        return Ok(Listing { notes, ..Listing::default() });
    }
    let mut found = Vec::new();
    let mut cursor = None;
    let mut is_whole = false;
    for _ in 0..MOST_PAGES {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let page = peer.send_request(ClientRequest::ListToolsRequest(request)).await?;
        let next = read_page(page, &mut found).ok_or(ServiceError::UnexpectedResponse)?;
        // A list that is over the limit has a note of its own.
        is_whole = next.is_none() || found.len() > MOST_TOOLS;
        if is_whole {
            break;
        }
        cursor = next;
    }
    let mut listing = listing(found, spec);
    if !is_whole {
        let cut = format!("its list of tools has more than {MOST_PAGES} pages; the rest is unread");
        listing.notes.insert(0, cut);
    }
    Ok(listing)
}

/// Adds the tools of a page, or for each that cannot be parsed the reason; returns the next cursor.
/// The library rejects a page with one invalid tool as a whole; here the others are kept.
fn read_page(
    page: ServerResult,
    found: &mut Vec<Result<McpTool, String>>,
) -> Option<Option<String>> {
    match page {
        ServerResult::ListToolsResult(page) => {
            found.extend(page.tools.into_iter().map(Ok));
            Some(page.next_cursor)
        }
        other => {
            let mut page = serde_json::to_value(other).ok()?;
            let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
                return None;
            };
            found.extend(tools.into_iter().map(|tool| {
                let name = tool.get("name").and_then(Value::as_str).unwrap_or("a tool").to_owned();
                serde_json::from_value(tool).map_err(|_| note(&name, "its schema is no object"))
            }));
            Some(next)
        }
    }
}

fn listing(found: Vec<Result<McpTool, String>>, spec: &ServerSpec) -> Listing {
    let mut listing = Listing::default();
    let more = found.len().saturating_sub(MOST_TOOLS);
    if more > 0 {
        listing.notes.push(format!("only the first {MOST_TOOLS} tools are used"));
    }
    let internal: Vec<String> = found
        .iter()
        .flatten()
        .filter(|tool| spec.trusted && is_internal(tool))
        .map(|tool| tool.name.to_string())
        .collect();
    for tool in found.into_iter().take(MOST_TOOLS) {
        let tool = tool.and_then(|tool| admit(tool, spec, &internal));
        match tool {
            Ok(Some(tool)) if listing.tools.iter().any(|t| t.spec.name == tool.spec.name) => {
                listing.notes.push(note(&tool.name, "there is one of that name already"));
            }
            Ok(tool) => listing.tools.extend(tool),
            Err(note) => listing.notes.push(note),
        }
    }
    if listing.notes.len() > MOST_NOTES {
        let more = listing.notes.len() - MOST_NOTES;
        listing.notes.truncate(MOST_NOTES);
        listing.notes.push(format!("and {more} more"));
    }
    listing
}

/// Converts a tool, or says why it cannot be used; `None` if it is not offered to the model.
fn admit(tool: McpTool, spec: &ServerSpec, internal: &[String]) -> Result<Option<Tool>, String> {
    if internal.iter().any(|name| *name == tool.name) {
        return Ok(None);
    }
    let name = tool.name.to_string();
    let schema = Value::Object(tool.input_schema.as_ref().clone());
    let description = tool.description.as_deref().unwrap_or_default().to_owned();
    if name.is_empty() || name.len() > LONGEST_OWN_NAME {
        return Err(note(&name, "its name is too long or empty"));
    }
    if description.len() > LONGEST_DESCRIPTION {
        return Err(note(&name, "its description is too long"));
    }
    if schema.to_string().len() > LARGEST_SCHEMA {
        return Err(note(&name, "its schema is too large"));
    }
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return Err(note(&name, "its schema is not that of an object"));
    }
    if needs_task(&tool) {
        return Err(note(&name, "it can only be called as a task, which is not supported"));
    }
    let policy = spec.policy(&name);
    let preview = text(&tool, PREVIEW).filter(|name| internal.contains(name));
    let app = if spec.apps { apps::of_tool(&tool) } else { ToolApp::default() };
    let claims = claims(&tool, spec);
    Ok(Some(Tool {
        fingerprint: fingerprint(&spec.name, &tool),
        spec: ToolSpec { name: exposed(&spec.prefix, &name), description, input_schema: schema },
        server: spec.name.clone(),
        title: title(&tool),
        flow: labels::of_tool(&tool, claims, spec, &policy),
        claims,
        timeout: spec.call_timeout(&policy),
        prompt_timeout: policy.prompt_timeout,
        approvers: policy.approvers,
        rules: policy.rules,
        preview,
        suspicion: None,
        is_changed: false,
        app,
        name,
    }))
}

fn is_internal(tool: &McpTool) -> bool {
    tool.meta.as_ref().and_then(|meta| meta.0.get(INTERNAL)) == Some(&Value::Bool(true))
}

fn needs_task(tool: &McpTool) -> bool {
    tool.meta.as_ref().and_then(|meta| meta.0.get(NEEDS_TASK)) == Some(&Value::Bool(true))
}

fn text(tool: &McpTool, key: &str) -> Option<String> {
    tool.meta.as_ref()?.0.get(key)?.as_str().map(str::to_owned)
}

fn title(tool: &McpTool) -> Option<String> {
    let annotated = || tool.annotations.as_ref().and_then(|hints| hints.title.clone());
    let title = tool.title.clone().or_else(annotated)?;
    (title.len() <= LONGEST_TITLE).then_some(title)
}

/// What a tool says of itself, if its server is trusted with that.
pub(super) fn claims(tool: &McpTool, spec: &ServerSpec) -> Claims {
    let Some(hints) = tool.annotations.as_ref().filter(|_| spec.trusted) else {
        return Claims::default();
    };
    Claims {
        read_only: hints.read_only_hint == Some(true),
        not_destructive: hints.destructive_hint == Some(false),
    }
}

fn note(tool: &str, why: &str) -> String {
    let tool: String = tool.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    format!("{tool} was left out: {why}")
}

/// The name under which the model sees a tool. If a name was shortened or had characters replaced,
/// a hash of the original keeps it unique.
fn exposed(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}{name}");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let plain: String = whole.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if plain == whole && plain.len() <= LONGEST_NAME {
        return plain;
    }
    let mark = &HEXLOWER.encode(&Sha256::digest(whole.as_bytes()))[..8];
    let start: String = plain.chars().take(LONGEST_NAME - mark.len() - 1).collect();
    format!("{start}_{mark}")
}

/// Identifies what was approved: a hash of everything that the server says about the tool, to
/// people, to models and to Parlor. The order of keys does not count: some servers change it with
/// each start.
fn fingerprint(server: &str, tool: &McpTool) -> String {
    let sorted = |value: Option<Value>| {
        let mut text = String::new();
        write_sorted(&value.unwrap_or_default(), &mut text);
        text
    };
    let input = sorted(Some(Value::Object(tool.input_schema.as_ref().clone())));
    let output = sorted(tool.output_schema.as_deref().cloned().map(Value::Object));
    let annotations = sorted(serde_json::to_value(&tool.annotations).ok());
    let title = tool.title.as_deref().unwrap_or_default();
    let description = tool.description.as_deref().unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [server, &tool.name, title, description, &input, &output, &annotations] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    HEXLOWER.encode(&hash.finalize())
}

fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (name, value) in sorted {
                let _infallible = write!(out, "{name:?}:");
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => {
            let _infallible = write!(out, "{plain}");
        }
    }
}

/// The arguments of the internal tool for previews.
pub(super) fn preview_arguments(tool: &str, arguments: Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([
        ("tool".to_owned(), Value::from(tool)),
        ("arguments".to_owned(), Value::Object(arguments)),
    ])
}

#[cfg(test)]
mod tests;
