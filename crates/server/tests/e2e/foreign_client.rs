//! The recipes driven by an MCP client that is not ours: the official one, from npm.
//! It is installed once, exactly as its lock file says, below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

/// A guard against a registry that hangs; nothing is measured by it.
const INSTALL: Duration = Duration::from_secs(300);

/// Runs a program to its end and gives what it wrote.
async fn output(command: &mut Command, what: &str) -> String {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(INSTALL, command.output()).await.unwrap_or_else(|_| panic!("{what} hangs"));
    let ended = ended.unwrap_or_else(|error| {
        panic!("{what} cannot be run ({error}); the tests need Node.js 20 or newer with npm")
    });
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{what}: {}\n{said}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

/// The client, installed. What is there is used if the lock file is still the same.
async fn install() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/mcp_client");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp_client");
    let read = |dir: &Path, file: &str| fs::read(dir.join(file)).unwrap_or_default();
    let lock = "package-lock.json";
    let is_new = read(&place, "installed.json") != read(&source, lock);
    fs::create_dir_all(&place).unwrap();
    for file in ["package.json", lock, "client.mjs"] {
        fs::copy(source.join(file), place.join(file)).unwrap();
    }
    if is_new {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]);
        npm.current_dir(&place);
        output(&mut npm, "npm ci").await;
        fs::copy(place.join(lock), place.join("installed.json")).unwrap();
    }
    place
}

/// it works from any other MCP client, in both eras of the protocol.
#[tokio::test]
async fn the_official_client_works_with_recipes() {
    let client = install().await;
    for (era, version) in [("legacy", "2025-11-25"), ("modern", "2026-07-28")] {
        let dir = tempfile::tempdir().unwrap();
        let mut node = Command::new("node");
        node.args(["client.mjs", era, env!("CARGO_BIN_EXE_parlor"), "mcp", "recipes"]);
        node.arg("--data-dir").arg(dir.path()).current_dir(&client);
        let seen: Value = serde_json::from_str(&output(&mut node, "the client").await).unwrap();
        assert_eq!(seen["version"], version);
        assert_eq!(seen["server"]["title"], "Recipe Vault");
        let hints = |name: &str| {
            let tools = seen["tools"].as_array().unwrap();
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            (
                tool["annotations"]["readOnlyHint"].clone(),
                tool["annotations"]["destructiveHint"].clone(),
            )
        };
        assert_eq!(hints("display_recipe"), (json!(true), json!(false)));
        assert_eq!(hints("create_recipe"), (json!(false), json!(false)));
        assert_eq!(hints("delete_recipe"), (json!(false), json!(true)));
        let structure = |key: &str| &seen[key]["structuredContent"];
        assert!(structure("listed")["recipes"].to_string().contains("Feijoada"));
        let (id, title) = (&structure("created")["id"], format!("Toast, {era}"));
        let bread = json!([{"name": "bread", "quantity": "1/2", "unit": "loaf"}]);
        assert_eq!(structure("created")["ingredients"], bread);
        assert_eq!(structure("read"), structure("created"));
        let artifact = json!({"kind": "recipe", "id": id});
        assert_eq!(seen["displayed"]["_meta"]["parlor/artifact"], artifact);
        assert_eq!(structure("updated")["servings"], 2);
        assert_eq!(structure("previewed")["old"]["title"], title);
        assert_eq!(*structure("deleted"), json!({"deleted": {"id": id, "title": title}}));
        assert_eq!(seen["gone"]["isError"], true);
        assert_eq!(seen["unknown"]["code"], -32602);
    }
}
