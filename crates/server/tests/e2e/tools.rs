//! Tools and approvals over HTTP: a scripted model, the real Recipe Vault as a child process, and a
//! person who answers prompts.

use parlor_testkit::Script;
use serde_json::{Value, json};

use crate::test_app::{Settings, TestApp, json as body_of, refusal};

/// The events of a stream: name and data.
fn events(text: &str) -> Vec<(String, Value)> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start().to_owned())
    };
    text.split("\n\n")
        .filter_map(|block| {
            let data = field(block, "data:")?;
            Some((field(block, "event:")?, serde_json::from_str(&data).unwrap()))
        })
        .collect()
}

/// The events in short form, without what differs from run to run.
fn told(events: &[(String, Value)]) -> Vec<String> {
    let line = |(name, data): &(String, Value)| match name.as_str() {
        "chunk" | "thinking" => format!("{name} {}", data["text"]),
        "message" => format!("message {} {}", data["role"], data["message_type"]),
        "tool_use" => format!("tool_use {} {}", data["tool"], data["status"]),
        "userPrompt" => format!("userPrompt {} {}", data["promptType"], data["question"]),
        "userPromptClosed" => format!("userPromptClosed {}", data["outcome"]),
        "error" => format!("error {}", data["code"]),
        "done" => format!("done {}", data["reason"]),
        other => other.to_owned(),
    };
    events.iter().map(line).collect()
}

async fn recipe_id(app: &TestApp, title: &str) -> String {
    let list = body_of(app.admin("GET", "/api/recipes").send().await.unwrap()).await;
    let recipes = list["recipes"].as_array().unwrap();
    let recipe = recipes.iter().find(|recipe| recipe["title"] == title).unwrap();
    recipe["id"].as_str().unwrap().to_owned()
}

async fn turn(app: &TestApp, message: &str, scripts: Vec<Script>) -> Vec<(String, Value)> {
    for script in scripts {
        app.model.push(script);
    }
    events(&app.send(&json!({"message": message})).await.text().await.unwrap())
}

/// The tool results in the model's last request.
fn results(app: &TestApp) -> String {
    let request = app.model.requests().pop().unwrap();
    request["messages"].as_array().unwrap().last().unwrap().to_string()
}

/// R-1, H-1, H-3: recipes are listed, displayed and created; errors and unknown tools are handled;
/// an event opens the panel.
#[tokio::test]
async fn recipes_are_listed_shown_and_created_through_the_real_server() {
    let app = TestApp::with_vault().await;
    let listing = vec![
        Script::answer().text("Let me look.").tool_use("t1", "list_recipes", &json!({})),
        Script::answer().text("Six."),
    ];
    let events = turn(&app, "What recipes do I have?", listing).await;
    insta::assert_snapshot!("listing", told(&events).join("\n"));
    assert!(results(&app).contains("Tomato Soup"), "{}", results(&app));

    let soup = recipe_id(&app, "Tomato Soup").await;
    let showing = vec![
        Script::answer().tool_use("t1", "display_recipe", &json!({"recipe_id": soup})),
        Script::answer().text("Here it is."),
    ];
    let events = turn(&app, "Show me the tomato soup", showing).await;
    insta::assert_snapshot!("displaying", told(&events).join("\n"));
    let artifact = events.iter().find(|(name, _)| name == "recipe_artifact").unwrap();
    assert_eq!(artifact.1["recipe_id"], json!(soup));

    let pancakes = json!({"title": "Pancakes", "ingredients": [{"name": "flour"}],
        "steps": [{"instruction": "Fry."}]});
    let creating = vec![
        Script::answer().tool_use("t1", "create_recipe", &pancakes).tool_use(
            "t2",
            "get_recipe",
            &json!({"recipe_id": "01890a5d-ac96-774b-bcce-b302099a8057"}),
        ),
        Script::answer().tool_use("t3", "fly", &json!({})),
        Script::answer().text("Done."),
    ];
    let events = turn(&app, "Create pancakes", creating).await;
    insta::assert_snapshot!("creating", told(&events).join("\n"));
    recipe_id(&app, "Pancakes").await;
}

/// P-2, P-7, P-5: over HTTP, a delete waits for approval, shows what will be deleted, and happens
/// once; a refusal changes nothing.
#[tokio::test]
async fn a_delete_waits_for_a_yes() {
    let app = TestApp::with_vault().await;
    let soup = recipe_id(&app, "Tomato Soup").await;
    for (answer, outcome) in [("no", "refused"), ("yes", "answered")] {
        app.model.push(Script::answer().tool_use(
            "t1",
            "delete_recipe",
            &json!({"recipe_id": soup}),
        ));
        app.model.push(Script::answer().text("All right."));
        let stream = app.send(&json!({"message": "delete the tomato soup"})).await;
        let open = loop {
            let list = app.admin("GET", "/api/prompts?status=open").send().await.unwrap();
            let list = body_of(list).await;
            if let Some(open) = list["prompts"].as_array().unwrap().first() {
                break open.clone();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        let prompt = &open["prompt"];
        assert_eq!(open["origin"], "approval");
        assert_eq!(prompt["toolCall"]["input"], json!({"recipe_id": soup}));
        assert_eq!(prompt["preview"]["kind"], "record", "{prompt}");
        assert_eq!(prompt["preview"]["old"]["title"], "Tomato Soup");
        let id = prompt["messageId"].as_str().unwrap();
        let path = format!("/api/prompts/{id}/response");
        for bad in [json!({"response": "maybe"}), json!({"response": true}), json!({})] {
            let response = app.admin("POST", &path).json(&bad).send().await.unwrap();
            assert_eq!(refusal(response).await, (422, "answer_invalid".to_owned()), "{bad}");
        }
        let yes = app.admin("POST", &path).json(&json!({"response": answer}));
        let body = body_of(yes.send().await.unwrap()).await;
        assert_eq!(body["outcome"], outcome);
        let again = app.admin("POST", &path).json(&json!({"response": "yes"})).send().await;
        assert_eq!(refusal(again.unwrap()).await, (409, "prompt_closed".to_owned()));
        let events = events(&stream.text().await.unwrap());
        insta::assert_snapshot!(format!("delete_{outcome}"), told(&events).join("\n"));
        let read = app.admin("GET", &format!("/api/recipes/{soup}")).send().await.unwrap();
        assert_eq!(read.status(), if answer == "yes" { 404 } else { 200 });
    }
    let unknown = app
        .admin("POST", "/api/prompts/01890a5d-ac96-774b-bcce-b302099a8057/response")
        .json(&json!({"response": "yes"}))
        .send()
        .await;
    assert_eq!(refusal(unknown.unwrap()).await.0, 404);
    let lines = app.parlor(&["audit", "export"], "").await;
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

/// M-1: the configured policy for a tool applies to the bundled server too, without configuring how
/// that is started.
#[tokio::test]
async fn the_configuration_decides_about_the_bundled_server() {
    let more =
        "[tenants.home.projects.recipes.mcp.recipes.tools.delete_recipe]\naction = \"deny\"\n";
    let settings = Settings { vault: true, more, ..Settings::default() };
    let app = TestApp::configured(settings).await;
    let soup = recipe_id(&app, "Tomato Soup").await;
    let deleting = vec![
        Script::answer().tool_use("t1", "delete_recipe", &json!({"recipe_id": soup})),
        Script::answer().text("I may not."),
    ];
    let events = turn(&app, "delete the tomato soup", deleting).await;
    assert!(told(&events).contains(&"tool_use \"delete_recipe\" \"denied\"".to_owned()));
    assert!(results(&app).contains("delete_recipe is not allowed here"), "{}", results(&app));
    recipe_id(&app, "Tomato Soup").await;
}
