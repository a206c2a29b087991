//! The MCP server with a real client, over a pipe in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use parlor_recipes::{RecipeServer, RecipeStore};
use parlor_test_database::location;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, JsonObject, ProtocolVersion, RequestMetaObject,
    RequestParamsMeta, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};

struct Scene {
    client: RunningService<RoleClient, ()>,
    store: RecipeStore,
    _dir: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        Self::with(ClientLifecycleMode::Initialize).await
    }

    async fn with(lifecycle: ClientLifecycleMode) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store =
            RecipeStore::open(location(&dir.path().join("recipes.db")).await).await.unwrap();
        let server = RecipeServer::new(store.clone(), "home".parse().unwrap());
        let (near, far) = tokio::io::duplex(64 << 10);
        tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await });
        let client = ().serve_with_lifecycle(near, lifecycle).await.unwrap();
        Self { client, store, _dir: dir }
    }

    async fn try_call(
        &self,
        tool: &str,
        arguments: Value,
        run_id: Option<Value>,
    ) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let mut call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        if let Some(id) = run_id {
            let meta = JsonObject::from_iter([("parlor/run-id".to_owned(), id)]);
            call.set_meta(RequestMetaObject::from(meta));
        }
        self.client.call_tool(call).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments, None).await.unwrap()
    }

    /// The structured content of a result, which must equal its text.
    async fn good(&self, tool: &str, arguments: Value) -> Value {
        structure(&self.call(tool, arguments).await)
    }

    /// The text of an error.
    async fn bad(&self, tool: &str, arguments: Value) -> String {
        error_text(&self.call(tool, arguments).await)
    }

    async fn id_of(&self, title: &str) -> Value {
        let list = self.good("list_recipes", json!({})).await;
        let recipes = list["recipes"].as_array().unwrap();
        recipes.iter().find(|recipe| recipe["title"] == title).unwrap()["id"].clone()
    }
}

fn text(result: &CallToolResult) -> &str {
    assert_eq!(result.content.len(), 1);
    &result.content[0].as_text().unwrap().text
}

fn structure(result: &CallToolResult) -> Value {
    assert_ne!(result.is_error, Some(true), "{}", text(result));
    let structure = result.structured_content.clone().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text(result)).unwrap(), structure);
    structure
}

fn error_text(result: &CallToolResult) -> String {
    assert_eq!(result.is_error, Some(true), "{}", text(result));
    text(result).to_owned()
}

fn toast() -> Value {
    json!({
        "title": "Toast",
        "ingredients": [{"name": "bread", "quantity": "2", "unit": "slices"}],
        "steps": [{"instruction": "Toast it.", "duration_minutes": 3}],
    })
}

/// R-1, M-1: the full definition of each tool: parameters, annotations, its preview tool, and
/// whether it is internal.
#[tokio::test]
async fn tools_describe_themselves() {
    let scene = Scene::new().await;
    let tools: Vec<Tool> = scene.client.list_all_tools().await.unwrap();
    insta::assert_json_snapshot!(tools);
}

/// both protocol versions have the same tools and the same results.
#[tokio::test]
async fn both_eras_are_served() {
    let modern =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let mut seen = Vec::new();
    for (lifecycle, version) in [
        (ClientLifecycleMode::Initialize, ProtocolVersion::V_2025_11_25),
        (modern, ProtocolVersion::V_2026_07_28),
    ] {
        let scene = Scene::with(lifecycle).await;
        let server = scene.client.peer_info().unwrap();
        assert_eq!(server.protocol_version, version);
        assert!(server.instructions.as_ref().unwrap().contains("list_recipes"));
        let made = scene.good("create_recipe", toast()).await;
        let run = Some(json!("run-1"));
        let delete = json!({"recipe_id": made["id"]});
        let deleted = scene.try_call("delete_recipe", delete.clone(), run.clone()).await.unwrap();
        let again = scene.try_call("delete_recipe", delete, run).await.unwrap();
        assert_eq!(structure(&again), structure(&deleted));
        let tools = scene.client.list_all_tools().await.unwrap();
        let names: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
        seen.push((names, made["ingredients"].clone(), made["steps"].clone()));
    }
    assert_eq!(seen[0], seen[1]);
}

/// recipes are listed, read, created, changed and deleted; results carry ids.
#[tokio::test]
async fn a_model_works_with_recipes() {
    let scene = Scene::new().await;
    let soup = json!({"recipe_id": scene.id_of("Tomato Soup").await});
    let read = scene.good("get_recipe", soup.clone()).await;
    assert_eq!((&read["id"], &read["title"]), (&soup["recipe_id"], &json!("Tomato Soup")));
    assert!(read["ingredients"].as_array().unwrap().len() > 5);

    let made = scene.good("create_recipe", toast()).await;
    assert_eq!(made["ingredients"], json!([{"name": "bread", "quantity": 2, "unit": "slices"}]));
    let made = made["id"].clone();
    assert_eq!(scene.id_of("Toast").await, made);

    let change = json!({"recipe_id": made, "cook_time_minutes": 4, "title": null});
    let changed = scene.good("update_recipe", change).await;
    assert_eq!((&changed["title"], &changed["cook_time_minutes"]), (&json!("Toast"), &json!(4)));

    let deleted = scene.good("delete_recipe", json!({"recipe_id": made})).await;
    assert_eq!(deleted, json!({"deleted": {"id": made, "title": "Toast"}}));
}

/// R-1, H-1: displaying a recipe marks the artifact; creating one does not display it.
#[tokio::test]
async fn displaying_marks_the_artifact() {
    let scene = Scene::new().await;
    let id = scene.id_of("Feijoada").await;
    let shown = scene.call("display_recipe", json!({"recipe_id": id})).await;
    let meta = shown.meta.as_ref().unwrap();
    assert_eq!(meta.0["parlor/artifact"], json!({"kind": "recipe", "id": id}));
    let shown = structure(&shown);
    assert_eq!(shown["displayed"]["title"], "Feijoada");
    assert_eq!(shown["displayed"]["cook_time_minutes"], 170);
    for (tool, arguments) in [("create_recipe", toast()), ("get_recipe", json!({"recipe_id": id}))]
    {
        let meta = scene.call(tool, arguments).await.meta;
        assert!(meta.is_none_or(|meta| !meta.0.contains_key("parlor/artifact")), "{tool}");
    }
}

/// a mistake of a model is a tool error that says what to do; only an unknown tool is a
/// protocol error.
#[tokio::test]
async fn errors_teach() {
    let scene = Scene::new().await;
    let unknown = "0198c5a2-7b1e-7cc0-8000-000000000000";
    for tool in ["get_recipe", "display_recipe", "update_recipe", "delete_recipe"] {
        for id in [unknown, "Tomato Soup"] {
            let mut arguments = json!({"recipe_id": id});
            if tool == "update_recipe" {
                arguments["servings"] = json!(2);
            }
            let expected =
                format!("There is no recipe with the id {id}; list the recipes to see their ids.");
            assert_eq!(scene.bad(tool, arguments).await, expected, "{tool}");
        }
        let missing = scene.bad(tool, json!({})).await;
        assert!(missing.starts_with("recipe_id: give the id of a recipe"), "{missing}");
    }
    let soup = scene.id_of("Tomato Soup").await;
    let mut nested = toast();
    nested["ingredients"] = json!([{"name": "bread", "amount": 2}]);
    let mut words = toast();
    words["ingredients"] = json!(["2 slices of bread"]);
    let mut taken = toast();
    taken["title"] = json!("tomato SOUP");
    for (tool, arguments, fault) in [
        ("list_recipes", json!({"query": "soup"}), "query: there is no such field, and there are"),
        (
            "update_recipe",
            json!({"recipe_id": soup, "cook_time": 5}),
            "cook_time: there is no such",
        ),
        ("update_recipe", json!({"recipe_id": soup}), "nothing is to be changed: give title"),
        ("update_recipe", json!({"recipe_id": soup, "servings": "4"}), "servings: invalid type"),
        ("create_recipe", json!({}), "ingredients: give the list"),
        ("create_recipe", nested, "ingredients[0].amount: there is no such field; there are name"),
        (
            "create_recipe",
            words,
            "ingredients[0]: invalid type: string \"2 slices of bread\", expected",
        ),
        ("create_recipe", taken, "There is already a recipe called \"Tomato Soup\", with the id"),
        (
            "preview_recipe_change",
            json!({"tool": "get_recipe", "arguments": {"recipe_id": soup}}),
            "tool: it changes nothing",
        ),
        (
            "preview_recipe_change",
            json!({"tool": "x", "arguments": {}}),
            "tool: it changes nothing",
        ),
    ] {
        let error = scene.bad(tool, arguments).await;
        assert!(error.starts_with(fault), "{tool}: {error}");
    }
    let error = scene.try_call("cook_recipe", json!({}), None).await.unwrap_err();
    assert!(error.to_string().contains("Unknown tool: cook_recipe"), "{error}");
}

/// DESIGN idea 8: a call with a run id takes effect once.
#[tokio::test]
async fn a_run_id_makes_it_happen_once() {
    let scene = Scene::new().await;
    let run = |arguments| scene.try_call("create_recipe", arguments, Some(json!("run-7")));
    let first = run(toast()).await.unwrap();
    let again = run(toast()).await.unwrap();
    assert_eq!((text(&again), again.is_error), (text(&first), first.is_error));
    let mut other = toast();
    other["title"] = json!("French Toast");
    let reused = error_text(&run(other).await.unwrap());
    assert!(reused.starts_with("The run id run-7 was used for another call"), "{reused}");
    for no_id in [json!(7), json!(""), json!("x".repeat(201)), json!("a\nb")] {
        let result = scene.try_call("create_recipe", toast(), Some(no_id)).await.unwrap();
        assert!(error_text(&result).starts_with("a run id is"), "{result:?}");
    }
    let without = scene.bad("create_recipe", toast()).await;
    assert!(without.starts_with("There is already a recipe called \"Toast\""), "{without}");
}

/// P-7: a host can request the preview of a change.
#[tokio::test]
async fn a_change_can_be_previewed() {
    let scene = Scene::new().await;
    let made = scene.good("create_recipe", toast()).await["id"].clone();
    let preview = |tool: &'static str, arguments: Value| {
        scene.good("preview_recipe_change", json!({"tool": tool, "arguments": arguments}))
    };
    let record = json!({"title": "Toast", "ingredients": ["2 slices bread"],
                        "steps": ["Toast it. (3 min)"]});
    let mut renamed = record.clone();
    renamed["title"] = json!("Crisp Toast");
    let update = preview("update_recipe", json!({"recipe_id": made, "title": "Crisp Toast"})).await;
    assert_eq!(update, json!({"kind": "record", "old": record, "new": renamed}));
    let delete = preview("delete_recipe", json!({"recipe_id": made})).await;
    assert_eq!(delete, json!({"kind": "record", "old": record}));
    let _typed: parlor_protocol::Preview = serde_json::from_value(delete).unwrap();
    assert_eq!(scene.good("get_recipe", json!({"recipe_id": made})).await["title"], "Toast");
}

/// An internal failure is reported without its details.
#[tokio::test]
async fn a_failure_is_reported_without_details() {
    let scene = Scene::new().await;
    scene.store.close().await;
    let error = scene.bad("list_recipes", json!({})).await;
    assert_eq!(error, "Something failed in Recipe Vault; its log says what.");
}
