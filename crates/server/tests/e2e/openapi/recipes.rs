//! Recipes, compared with the document.

use serde_json::{Value, json};

use super::responses::{Api, id_of};
use crate::routes::filled;

pub(super) async fn recipes(api: &Api) {
    let toast = json!({"title": "Toast", "servings": 1,
        "ingredients": [{"name": "bread", "quantity": "1/2", "unit": "loaf", "notes": "stale"}],
        "steps": [{"instruction": "Toast it.", "duration_minutes": 3}]});
    let created = api.call("POST", "/api/recipes", "", toast.clone(), 201).await;
    let id = &id_of(&created["id"]);
    api.call("POST", "/api/recipes", "", toast.clone(), 409).await;
    api.call("POST", "/api/recipes", "", json!({"title": "Air"}), 400).await;
    api.get("/api/recipes/{id}", id).await;
    let put = |tag: &str| {
        let request = api.app.admin("PUT", &filled("/api/recipes/{id}", id));
        let request = request.header("content-type", "application/json").header("if-match", tag);
        request.body(toast.to_string())
    };
    api.checked("PUT", "/api/recipes/{id}", put("\"1\""), 412).await;
    api.checked("PUT", "/api/recipes/{id}", put("*"), 200).await;
    let text = json!({"text": "Soup\nIngredients\n1 kg tomatoes\nSteps\nCook.\nNotes\nHot."});
    let draft = api.call("POST", "/api/recipes/import", "", text, 200).await;
    assert_eq!(draft["not_understood"], json!(["Notes", "Hot."]));
    let page = json!({"text": "<html>Soup</html>"});
    api.call("POST", "/api/recipes/import", "", page, 404).await;
    let inside = json!({"url": "http://127.0.0.1/"});
    api.call("POST", "/api/recipes/import", "", inside, 403).await;
    api.call("POST", "/api/recipes/import", "", json!({}), 400).await;
    api.call("DELETE", "/api/recipes/{id}", id, Value::Null, 204).await;
    api.call("GET", "/api/recipes/{id}", id, Value::Null, 404).await;
}
