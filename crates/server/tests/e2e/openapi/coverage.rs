//! Every route is in the document with who may use it, and nothing else is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Document;
use crate::routes::{Access, ROUTES, SOURCES, registered};

/// Pages and their files are for browsers.
const PAGES: &[&str] = &[
    "GET /", "GET /login", "GET /chat", "GET /c/{id}", "GET /s/{token}", "GET /waiting",
    "GET /settings", "GET /admin", "GET /admin/{tab}", "GET /assets/style.css",
    "GET /assets/theme.js", "GET /assets/icon.svg", "GET /assets/chat.js", "GET /assets/{name}",
    "GET /assets/mcp_login.js", "GET /oauth/callback", "GET /invite/{token}",
    "POST /invite/{token}", "GET /widget.js", "GET /embed/{tenant}/{project}",
    "GET /login/oidc/{provider}", "GET /login/oidc/{provider}/callback", "GET /offline",
    "GET /sw.js", "GET /manifest.webmanifest", "GET /icons/{name}", "GET /assets/offline.js",
];

/// The name of a route in the document, which has no wildcards.
fn name(method: &str, path: &str) -> String {
    format!("{method} {}", path.replace("{*", "{"))
}

/// I-7: the document has every route and method of the router, but for the pages, and no other.
#[test]
fn every_route_is_in_the_document() {
    let document = Document::load();
    let routes = SOURCES.iter().flat_map(|source| registered(source));
    let mut routes: BTreeSet<String> = routes.map(|(method, path)| name(&method, &path)).collect();
    for page in PAGES {
        assert!(routes.remove(*page), "{page} is no route");
    }
    let documented = document.operations();
    let documented: BTreeSet<String> =
        documented.iter().map(|operation| name(&operation.method, operation.path)).collect();
    assert_eq!(documented, routes, "left: the document, right: the router");
}

/// I-7: the document says which routes need no credentials.
#[test]
fn the_document_says_who_needs_credentials() {
    let document = Document::load();
    for route in ROUTES.iter().filter(|route| !PAGES.contains(&&*name(route.method, route.path))) {
        let path = route.path.replace("{*", "{");
        let operation = document.operation(route.method, &path);
        let is_open = matches!(route.access, Access::Open(_));
        assert_eq!(operation["security"] == json!([]), is_open, "{} {path}", route.method);
        let refuses = operation["responses"].get("401").is_some();
        assert!(is_open || refuses, "{} {path} does not say 401", route.method);
    }
}

/// I-7: ids are unique, tags are explained, a path has its parameters.
#[test]
fn every_operation_is_described() {
    let document = Document::load();
    let tags = document.json["tags"].as_array().unwrap();
    let tags: Vec<&Value> = tags.iter().map(|tag| &tag["name"]).collect();
    let mut ids = BTreeSet::new();
    for operation in document.operations() {
        let what = name(&operation.method, operation.path);
        let id = operation.json["operationId"].as_str().unwrap_or_else(|| panic!("{what}: no id"));
        assert!(ids.insert(id.to_owned()), "{what}: {id} is taken");
        assert!(operation.json["summary"].is_string(), "{what} has no summary");
        assert!(tags.contains(&&operation.json["tags"][0]), "{what} has a tag that is not listed");
        let braces = operation.path.split('{').skip(1);
        let braces: BTreeSet<&str> = braces.map(|rest| rest.split('}').next().unwrap()).collect();
        assert_eq!(document.parameters(&operation, "path"), braces, "{what}");
    }
}

/// I-7: every reference names something, and every component is used.
#[test]
fn references_and_components_belong_together() {
    let document = Document::load();
    let mut references = BTreeSet::new();
    collect_references(&document.json, &mut references);
    let mut components = BTreeSet::new();
    for kind in ["parameters", "headers", "responses", "schemas"] {
        let named = document.json["components"][kind].as_object().unwrap();
        components.extend(named.keys().map(|name| format!("#/components/{kind}/{name}")));
    }
    assert_eq!(references, components, "left: references, right: components");
}

fn collect_references(value: &Value, to: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                to.insert(reference.clone());
            }
            fields.values().for_each(|value| collect_references(value, to));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, to)),
        _ => {}
    }
}
