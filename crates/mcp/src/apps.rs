//! Apps of servers: pages that a server brings and the chat shows (MCP Apps, 2026-01-26).
//!
//! 1. If the configuration allows it, the server is told that its pages are shown.
//! 2. A tool names the page that shows its results (`_meta.ui`), and who may call it: the model,
//!    pages of the server, or both.
//! 3. The page is read from the server when it is shown (`app_page`), bounded, and with the origins
//!    that it wants to talk to. These end up in a header: each is checked.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use parlor_agent::tools::{AppPage, ToolApp};
use reqwest::Url;
use rmcp::model::{ExtensionCapabilities, ResourceContents, Tool as McpTool};
use serde_json::{Map, Value, json};

const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
const SCHEME: &str = "ui://";
/// The key of the metadata in the stable version, and the one of drafts.
const UI: &str = "ui";
const OLD_PAGE: &str = "ui/resourceUri";

const LONGEST_ADDRESS: usize = 500;
const LARGEST_PAGE: usize = 4 << 20;
const MOST_ORIGINS: usize = 30;

/// What the server is told.
pub(super) fn capability() -> ExtensionCapabilities {
    let Value::Object(says) = json!({"mimeTypes": [MIME_TYPE]}) else { return BTreeMap::new() };
    BTreeMap::from([(EXTENSION.to_owned(), says)])
}

/// What a tool says of its app.
pub(super) fn of_tool(tool: &McpTool) -> ToolApp {
    let meta = tool.meta.as_ref().map(|meta| &meta.0);
    let ui = meta.and_then(|meta| meta.get(UI)).and_then(Value::as_object);
    let page = ui.and_then(|ui| ui.get("resourceUri"));
    let page = page.or_else(|| meta?.get(OLD_PAGE)).and_then(Value::as_str);
    let page = page.filter(|page| page.starts_with(SCHEME) && page.len() <= LONGEST_ADDRESS);
    let visible = ui.and_then(|ui| ui.get("visibility")).and_then(Value::as_array);
    let to = |whom: &str| visible.is_none_or(|visible| visible.iter().any(|one| one == whom));
    ToolApp { page: page.map(str::to_owned), is_callable: to("app"), is_hidden: !to("model") }
}

/// The page in what a server sent.
pub(super) fn parse(content: ResourceContents) -> Result<AppPage, String> {
    let (mime_type, html, meta) = match content {
        ResourceContents::TextResourceContents { mime_type, text, meta, .. } => {
            (mime_type, text, meta)
        }
        ResourceContents::BlobResourceContents { mime_type, blob, meta, .. } => {
            let bytes = BASE64.decode(blob.as_bytes()).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            (mime_type, text.ok_or_else(|| "its page is no text".to_owned())?, meta)
        }
        _ => return Err("the server sent no page".to_owned()),
    };
    let is_page = mime_type.is_some_and(|kind| kind.replace(' ', "") == MIME_TYPE);
    if !is_page {
        return Err(format!("its page is not of the type {MIME_TYPE}"));
    }
    if html.len() > LARGEST_PAGE {
        return Err(format!("its page is larger than {LARGEST_PAGE} bytes"));
    }
    let csp = meta.and_then(|meta| meta.0.get(UI)?.get("csp")?.as_object().cloned());
    let csp = csp.unwrap_or_default();
    Ok(AppPage {
        html,
        connect: origins(&csp, "connectDomains", &["https", "wss", "http", "ws"]),
        resources: origins(&csp, "resourceDomains", &["https", "http"]),
        frames: origins(&csp, "frameDomains", &["https", "http"]),
    })
}

/// The origins of a list that can be named in a policy. Others are left out: the page then works
/// without them, or says what is missing.
fn origins(csp: &Map<String, Value>, key: &str, schemes: &[&str]) -> Vec<String> {
    let listed = csp.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let listed = listed.iter().take(MOST_ORIGINS).filter_map(Value::as_str);
    listed.filter_map(|text| origin(text, schemes)).collect()
}

/// An origin as a policy names it: scheme, host and port, with `*.` before the host at the most.
/// Without TLS only on this machine.
fn origin(text: &str, schemes: &[&str]) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (wildcard, host) = match rest.strip_prefix("*.") {
        Some(host) => ("*.", host),
        None => ("", rest),
    };
    let url = Url::parse(&format!("{scheme}://{host}")).ok()?;
    let is_plain = url.path().len() <= 1
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    let name = url.host_str()?;
    let is_here = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    let is_safe = matches!(url.scheme(), "https" | "wss") || is_here;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-[]:".contains(&b));
    let is_known = schemes.contains(&url.scheme());
    if !(is_plain && is_safe && is_name && is_known) {
        return None;
    }
    // A wildcard needs a name to stand before.
    if !wildcard.is_empty() && (is_here || !name.contains('.')) {
        return None;
    }
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{wildcard}{name}{port}", url.scheme()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn tool(meta: Value) -> McpTool {
        let mut tool = McpTool::new("show", "Shows.", Arc::new(Map::new()));
        tool.meta = serde_json::from_value(meta).unwrap();
        tool
    }

    /// I-6: a tool's page and who may call it, in the stable form and in that of drafts.
    #[test]
    fn a_tool_names_its_page() {
        let app = of_tool(&tool(json!({"ui": {"resourceUri": "ui://clock/page"}})));
        assert_eq!(app.page.as_deref(), Some("ui://clock/page"));
        assert!(app.is_callable && !app.is_hidden);
        let app = of_tool(&tool(json!({"ui/resourceUri": "ui://clock/page"})));
        assert_eq!(app.page.as_deref(), Some("ui://clock/page"));
        let app = of_tool(&tool(json!({"ui": {"visibility": ["app"]}})));
        assert!(app.page.is_none() && app.is_callable && app.is_hidden);
        let app = of_tool(&tool(json!({"ui": {"visibility": ["model"]}})));
        assert!(!app.is_callable && !app.is_hidden);
        for wrong in [json!("https://evil.example"), json!(1), json!(format!("ui://{:0>600}", 1))] {
            assert_eq!(of_tool(&tool(json!({"ui": {"resourceUri": wrong}}))).page, None);
        }
    }

    /// I-6: only origins get into the policy of a page.
    #[test]
    fn origins_are_checked() {
        let all = ["https", "wss", "http", "ws"];
        for (text, expected) in [
            ("https://cdn.example.org", Some("https://cdn.example.org")),
            ("https://CDN.example.org:8443/", Some("https://cdn.example.org:8443")),
            ("https://*.example.org", Some("https://*.example.org")),
            ("wss://live.example.org", Some("wss://live.example.org")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("http://example.org", None),
            ("https://*.org.*", None),
            ("https://*.com", None),
            ("https://*", None),
            ("*", None),
            ("data:", None),
            ("https://a.example; script-src *", None),
            ("https://a.example 'unsafe-eval'", None),
            ("https://a.example/path", None),
            ("https://a.example?x", None),
            ("https://user@a.example", None),
            ("https://a.example,https://b.example", None),
            ("javascript://a.example", None),
        ] {
            assert_eq!(origin(text, &all).as_deref(), expected, "{text}");
        }
        assert_eq!(origin("wss://live.example.org", &["https"]), None);
    }

    /// I-6: what is no page of an app is refused.
    #[test]
    fn pages_are_checked() {
        let content = |kind: &str, text: &str| {
            let content = json!({"uri": "ui://a", "mimeType": kind, "text": text,
                "_meta": {"ui": {"csp": {"connectDomains": ["https://a.example", "nonsense"]}}}});
            parse(serde_json::from_value(content).unwrap())
        };
        let page = content("text/html; profile=mcp-app", "<p>").unwrap();
        assert_eq!(
            (page.html.as_str(), page.connect.as_slice()),
            ("<p>", &["https://a.example".to_owned()][..])
        );
        assert!(content("text/html", "<p>").is_err());
        assert!(content(MIME_TYPE, &" ".repeat(LARGEST_PAGE + 1)).is_err());
    }
}
