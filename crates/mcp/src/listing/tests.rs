//! Which tools are used, and under which names.

use serde_json::json;

use super::*;
use crate::settings::McpServerSettings;

fn spec(trusted: bool) -> ServerSpec {
    let settings = json!({"command": "a", "trust_annotations": trusted});
    let settings: McpServerSettings = serde_json::from_value(settings).unwrap();
    ServerSpec::resolve("files", &settings, &|_| None).unwrap()
}

fn read(tools: Value, trusted: bool) -> Listing {
    let mut found = Vec::new();
    let page: ServerResult = serde_json::from_value(json!({"tools": tools})).unwrap();
    assert_eq!(read_page(page, &mut found), Some(None));
    listing(found, &spec(trusted))
}

fn object() -> Value {
    json!({"type": "object"})
}

/// M-2: what cannot be used is left out and named; the others stay.
#[test]
fn one_bad_tool_does_not_hide_the_others() {
    let long = "x".repeat(LONGEST_DESCRIPTION + 1);
    let large = json!({"type": "object", "title": "x".repeat(LARGEST_SCHEMA)});
    let listing = read(
        json!([
            {"name": "good", "description": "Reads.", "inputSchema": object()},
            {"name": "good", "inputSchema": object()},
            {"name": "", "inputSchema": object()},
            {"name": "long", "description": long, "inputSchema": object()},
            {"name": "large", "inputSchema": large},
            {"name": "text", "inputSchema": {"type": "string"}},
            {"name": "odd", "inputSchema": true},
            {"name": "last", "inputSchema": {}},
        ]),
        false,
    );
    let names: Vec<&str> = listing.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["files_good", "files_last"]);
    let notes = listing.notes.join("\n");
    for words in [
        "good was left out: there is one of that name", "its name is too long or empty",
        "long was left out: its description is too long", "large was left out: its schema is too",
        "text was left out: its schema is not that of an object",
        "odd was left out: its schema is no object",
    ] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
}

#[test]
fn a_server_cannot_have_tools_without_end() {
    let tools: Vec<Value> =
        (0..300).map(|n| json!({"name": format!("t{n}"), "inputSchema": object()})).collect();
    let many = read(json!(tools), false);
    assert_eq!(many.tools.len(), MOST_TOOLS);
    assert_eq!(many.notes, ["only the first 200 tools are used"]);
}

/// M-1: a server's word counts only if it is trusted, and so do its hidden tools.
#[test]
fn claims_and_hidden_tools_need_trust() {
    let tools = json!([
        {"name": "write", "inputSchema": object(), "annotations": {"destructiveHint": false},
         "_meta": {"parlor/preview": "changes"}},
        {"name": "read", "inputSchema": object(), "title": "Read it",
         "annotations": {"readOnlyHint": true, "title": "No"}, "_meta": {"parlor/preview": "write"}},
        {"name": "changes", "inputSchema": object(), "_meta": {"parlor/internal": true}},
    ]);
    let trusted = read(tools.clone(), true);
    let [write, read_tool] = trusted.tools.as_slice() else { panic!("{trusted:?}") };
    assert_eq!(write.claims, Claims { read_only: false, not_destructive: true });
    assert_eq!(write.preview.as_deref(), Some("changes"));
    assert_eq!(read_tool.claims, Claims { read_only: true, not_destructive: false });
    assert_eq!(read_tool.preview, None, "only a hidden tool is a preview");
    assert_eq!(read_tool.title.as_deref(), Some("Read it"));
    let untrusted = read(tools, false);
    assert_eq!(untrusted.tools.len(), 3);
    for tool in untrusted.tools {
        assert_eq!((tool.claims, tool.preview), (Claims::default(), None));
    }
}

/// M-1: a tool that can only be called as a task would always fail: it is left out,
/// and said to be.
#[test]
fn tools_that_need_tasks_are_left_out() {
    let tool = |name: &str, support: &str| json!({"name": name, "inputSchema": object(), "execution": {"taskSupport": support}});
    let tools = [tool("long", "required"), tool("short", "optional"), tool("plain", "forbidden")];
    let message = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).to_string();
    let message = crate::task_support::marked(message.as_bytes()).into_owned();
    let message: Value = serde_json::from_slice(&message).unwrap();
    let listing = read(message["result"]["tools"].clone(), false);
    let names: Vec<&str> = listing.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["files_short", "files_plain"]);
    let why = "long was left out: it can only be called as a task, which is not supported";
    assert_eq!(listing.notes, [why]);
}

/// Names fit what vendors take, and different tools keep different names.
#[test]
fn names_are_plain_short_and_different() {
    assert_eq!(exposed("files_", "read"), "files_read");
    assert_eq!(exposed("", "list_recipes"), "list_recipes");
    let odd = [exposed("f_", "a.b"), exposed("f_", "a/b"), exposed("f_", "a_b")];
    assert_eq!(odd[2], "f_a_b");
    assert!(odd[0].starts_with("f_a_b_") && odd[1].starts_with("f_a_b_") && odd[0] != odd[1]);
    let long = exposed("f_", &"x".repeat(80));
    assert_eq!(long.len(), LONGEST_NAME);
    assert_ne!(long, exposed("f_", &"x".repeat(81)));
    let plain = |name: &str| name.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-".contains(&c));
    assert!(plain(&long) && plain(&exposed("f_", "ü ∞")));
}

/// P-11: who allowed a tool did not allow another, nor the same tool once it says
/// anything else of itself; the order of keys is no difference.
#[test]
fn a_fingerprint_is_that_of_the_tool() {
    let print = |server: &str, tool: Value| {
        fingerprint(server, &serde_json::from_value::<McpTool>(tool).unwrap())
    };
    let tool = json!({"name": "read", "description": "Reads.", "title": "Read",
        "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}},
        "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": true, "destructiveHint": false}});
    let before = print("files", tool.clone());
    let mut same = tool.clone();
    same["inputSchema"] =
        json!({"properties": {"b": {}, "a": {"type": "string"}}, "type": "object"});
    same["annotations"] = json!({"destructiveHint": false, "readOnlyHint": true});
    assert_eq!(before, print("files", same));
    for (field, value) in [
        ("name", json!("write")),
        ("description", json!("Reads everything.")),
        ("title", json!("Read all")),
        ("inputSchema", json!({"type": "object", "properties": {"c": {}}})),
        ("outputSchema", json!({"type": "object"})),
        ("annotations", json!({"readOnlyHint": false, "destructiveHint": false})),
    ] {
        let mut other = tool.clone();
        other[field] = value;
        assert_ne!(before, print("files", other), "{field}");
    }
    let mut moved = tool.clone();
    moved["name"] = json!("sread");
    assert_ne!(before, print("file", moved));
}
