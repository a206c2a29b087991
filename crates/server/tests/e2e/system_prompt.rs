//! K-4: the examples in the system prompt are valid calls of the tools.

use parlor_server::config::{Config, Sources};
use serde_json::Value;

use crate::test_app::TestApp;

#[tokio::test]
async fn every_example_in_the_system_prompt_fits_its_tools_schema() {
    let config = Config::load(&Sources::default()).unwrap();
    let home = &config.tenants[&"home".parse().unwrap()];
    let project = &home.projects[&"recipes".parse().unwrap()];
    let prompt = project.system_prompt.as_deref().unwrap();
    assert!(project.reminder.as_deref().unwrap().contains("display_recipe"), "K-5");

    let app = TestApp::with_vault().await;
    let answer = app.send(&serde_json::json!({"message": "hello"})).await;
    answer.text().await.unwrap();
    let request = app.model.requests().pop().unwrap();
    assert!(request["system"].to_string().contains("Recipe Vault"), "one system prompt is sent");
    let tools = request["tools"].as_array().unwrap();

    let mut checked = Vec::new();
    for line in prompt.lines() {
        let Some((name, arguments)) = line.trim().split_once(" {") else { continue };
        if !line.starts_with("      ") {
            continue;
        }
        let arguments: Value = serde_json::from_str(&format!("{{{arguments}")).unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| {
            panic!("the prompt shows {name:?}, which is no tool");
        });
        let schema = jsonschema::validator_for(&tool["input_schema"]).unwrap();
        assert!(schema.is_valid(&arguments), "{line}: {:?}", schema.validate(&arguments));
        let known = tool["input_schema"]["properties"].as_object().cloned().unwrap_or_default();
        for name in arguments.as_object().unwrap().keys() {
            assert!(known.contains_key(name), "{line}: {name} is no parameter");
        }
        checked.push(name.to_owned());
    }
    checked.sort();
    assert_eq!(
        checked,
        [
            "create_recipe", "delete_recipe", "display_recipe", "get_recipe", "list_recipes",
            "update_recipe"
        ]
    );
}
