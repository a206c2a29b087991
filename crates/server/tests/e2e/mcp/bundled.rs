//! The bundled server, Recipe Vault, as the chat uses it.

use parlor_agent::tools::{ToolOutcome, Tools};
use parlor_mcp::McpHost;
use parlor_server::compose::recipe_vault;
use parlor_server::config::StorageConfig;
use serde_json::json;

use super::{call, ready, text};
use crate::test_app::{supervisor, tenant};

/// R-1, M-1: its tools have their plain names, its annotations are trusted, and recipes are shown
/// beside the chat.
#[tokio::test]
async fn recipe_vault_is_a_server_like_any_other_and_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let (name, settings) = recipe_vault(&tenant("home"), dir.path(), &StorageConfig::default());
    let env = |name: &str| std::env::var(name).ok();
    let host = McpHost::new("home/recipes", [(&*name, &settings)], &supervisor(), &env).unwrap();
    host.start();
    ready(&host, "recipes").await;
    let list = host.list();
    let find = |name: &str| list.iter().find(|tool| tool.spec.name == name).unwrap();
    assert!(find("list_recipes").claims.read_only);
    assert!(find("create_recipe").claims.not_destructive);
    assert!(!find("delete_recipe").claims.not_destructive);
    let soup = json!({"title": "Pea Soup", "ingredients": [{"name": "Peas"}],
        "steps": [{"instruction": "Cook."}]});
    let created = text(&host, "create_recipe", soup).await;
    assert!(created.contains("Pea Soup"), "{created}");
    assert!(text(&host, "list_recipes", json!({})).await.contains("Pea Soup"));
    let created: serde_json::Value = serde_json::from_str(&created).unwrap();
    let shown = call(&host, "display_recipe", json!({"recipe_id": created["id"]})).await;
    let ToolOutcome::Answered { extras, .. } = &shown else { panic!("{shown:?}") };
    let artifact = extras.artifact.as_ref().unwrap();
    assert_eq!((artifact.kind.as_str(), json!(artifact.id)), ("recipe", created["id"].clone()));
    let arguments = serde_json::Map::from_iter([("recipe_id".to_owned(), created["id"].clone())]);
    let preview = host.preview("delete_recipe", &arguments).await;
    assert!(preview.is_some_and(|preview| preview.to_string().contains("Pea Soup")), "P-7");
    assert!(text(&host, "list_recipes", json!({})).await.contains("Pea Soup"), "it only asked");
    assert!(host.health()[0].warnings.is_empty(), "{:?}", host.health());
}
