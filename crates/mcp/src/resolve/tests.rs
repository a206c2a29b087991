//! Every way in which the settings of a server can be right or wrong.

use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};

use parlor_agent::tools::ToolAction;

use super::*;

fn env(name: &str) -> Option<String> {
    match name {
        "PATH" => Some("/bin".to_owned()),
        "TOKEN" => Some("secret-token".to_owned()),
        "ODD" => Some("line\nbreak".to_owned()),
        _ => None,
    }
}

fn resolve(name: &str, settings: Value) -> Result<ServerSpec, McpSettingsError> {
    let settings: McpServerSettings = serde_json::from_value(settings).unwrap();
    ServerSpec::resolve(name, &settings, &env)
}

fn error(settings: Value) -> String {
    resolve("files", settings).unwrap_err().to_string()
}

/// Each error names the setting to fix.
#[test]
fn wrong_settings_say_what_would_be_right() {
    for (settings, words) in [
        (json!({}), "mcp.files.command: set it for a child process, or url"),
        (json!({"command": "a", "url": "https://a.b"}), "mcp.files.url: there is a command too"),
        (json!({"command": " "}), "mcp.files.command: it must be the name"),
        (json!({"command": "a", "args": ["\0"]}), "mcp.files.args: "),
        (json!({"command": "a", "env": {"A=B": "c"}}), "mcp.files.env.A=B: "),
        (json!({"command": "a", "env": {"A": {"env": "NOT_SET"}}}), "NOT_SET is not set"),
        (json!({"command": "a", "headers": {"a": "b"}}), "mcp.files.headers: "),
        (json!({"command": "a", "prefix": "a b"}), "mcp.files.prefix: "),
        (
            json!({"command": "a", "call_timeout_seconds": 0}),
            "call_timeout_seconds: it must be more",
        ),
        (
            json!({"command": "a", "start_timeout_seconds": 1e9}),
            "start_timeout_seconds: it must be",
        ),
        (json!({"command": "a", "max_result_bytes": 1}), "max_result_bytes: it must be 1024 to"),
        (json!({"command": "a", "parallel_calls": 0}), "parallel_calls: it must be 1 to 100"),
        (json!({"url": "ftp://a.b"}), "mcp.files.url: it is not an http or https address"),
        (json!({"url": "https://user:pass@a.b"}), "mcp.files.url: it holds a password"),
        (json!({"url": "http://127.0.0.1:9/mcp"}), "mcp.files.url: this leads to this machine"),
        (json!({"url": "https://a.b", "headers": {"a b": "c"}}), "mcp.files.headers.a b: "),
        (json!({"url": "https://a.b", "headers": {"Host": "c"}}), "by the protocol itself"),
        (json!({"url": "https://a.b", "headers": {"X": {"env": "ODD"}}}), "a header cannot have"),
        (
            json!({"command": "a", "tools": {"read": {"rules": [
                {"arguments": {"path": "("}, "action": "allow"}]}}}),
            "mcp.files.tools.read.rules[0].path: ",
        ),
        (
            json!({"command": "a", "tools": {"*": {"timeout_seconds": -1}}}),
            "mcp.files.tools.*.timeout_seconds: ",
        ),
    ] {
        let message = error(settings.clone());
        assert!(message.contains(words), "{settings}: {message}");
    }
    for name in ["", "Files", "a b", "-a", "ä", &"a".repeat(33)] {
        let message = resolve(name, json!({"command": "a"})).unwrap_err().to_string();
        assert!(message.contains("a server's name is 1 to 32 of"), "{message}");
    }
}

/// B-2, X-3: secrets come from the environment, by name, and never print.
#[test]
fn secrets_are_looked_up_and_do_not_print() {
    let settings = json!({"command": "a", "env": {
        "API_TOKEN": {"env": "TOKEN"}, "PATH": "/opt/bin", "PLAIN": "fixed-value"}});
    let spec = resolve("files", settings.clone()).unwrap();
    let Endpoint::Process(process) = &spec.endpoint else { panic!("it is a process") };
    let shown: Vec<String> =
        process.environment.iter().map(|(n, v)| format!("{n}={}", v.expose_secret())).collect();
    assert_eq!(shown, ["API_TOKEN=secret-token", "PATH=/opt/bin", "PLAIN=fixed-value"]);
    let settings: McpServerSettings = serde_json::from_value(settings).unwrap();
    let printed = format!("{spec:?} {settings:?}");
    assert!(!printed.contains("secret-token") && !printed.contains("fixed-value"), "{printed}");

    let settings = json!({"url": "https://a.b/mcp", "headers": {
        "Authorization": {"env": "TOKEN", "prefix": "Bearer "}}});
    let spec = resolve("files", settings).unwrap();
    let Endpoint::Http(http) = &spec.endpoint else { panic!("it is an address") };
    assert_eq!(http.headers["authorization"], "Bearer secret-token");
    assert!(!format!("{spec:?}").contains("secret-token"));
}

/// M-1: a tool's own rules come before those for all, and the first that fits counts.
#[test]
fn the_first_rule_that_fits_counts() {
    let spec = resolve(
        "files",
        json!({"command": "a", "call_timeout_seconds": 5, "tools": {
            "write": {
                "rules": [
                    {"arguments": {"path": "/srv/.*", "size": "[0-9]{1,3}"}, "action": "allow"},
                    {"arguments": {"path": ".*\\.key"}, "action": "deny"},
                ],
                "timeout_seconds": 1.5,
                "prompt_timeout_seconds": 0,
            },
            "*": {"action": "ask", "timeout_seconds": 9},
        }}),
    )
    .unwrap();
    let write = spec.policy("write");
    let decide = |arguments: Value| {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        write.rules.iter().find(|rule| rule.fits(&arguments)).map(|rule| rule.action)
    };
    assert_eq!(decide(json!({"path": "/srv/a", "size": 12})), Some(ToolAction::Allow));
    assert_eq!(decide(json!({"path": "/srv/a", "size": 1234})), Some(ToolAction::Ask));
    assert_eq!(decide(json!({"path": "/srv/a"})), Some(ToolAction::Ask));
    assert_eq!(decide(json!({"path": "/etc\n/srv/a", "size": 1})), Some(ToolAction::Ask));
    assert_eq!(decide(json!({"path": "/etc/\nmy.key"})), Some(ToolAction::Deny));
    assert_eq!(spec.call_timeout(&write), Duration::from_millis(1_500));
    assert_eq!(write.prompt_timeout, Some(Duration::ZERO));
    let other = spec.policy("read");
    assert_eq!(other.rules.len(), 1);
    assert_eq!(spec.call_timeout(&other), Duration::from_secs(9));
    assert_eq!(other.prompt_timeout, None);
}
