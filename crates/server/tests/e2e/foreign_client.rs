//! The recipes, used by the official MCP client from npm.

use serde_json::{Value, json};
use tokio::process::Command;

use crate::npm::{install, output};

/// the recipes work from another MCP client, in both protocol versions.
#[tokio::test]
async fn the_official_client_works_with_recipes() {
    let client = install("mcp_client").await;
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
