//! Calls about many conversations, and about the branches of one.

use serde_json::{Value, json};

use super::responses::Api;
use crate::routes::filled;
use crate::streams::Events;

/// Conversations of another chat, and everything as a file.
pub(super) async fn everything(api: &Api) {
    let file = json!([{"uuid": "c", "name": "Tea", "chat_messages": [{"sender": "human",
        "text": "Tea?"}]}]);
    for (body, status) in [(file.to_string(), 200), ("[]".to_owned(), 400)] {
        let request = api.app.admin("POST", "/api/imports").body(body);
        let request = request.header("content-type", "application/octet-stream");
        api.checked("POST", "/api/imports", request, status).await;
    }
    let lines = api.get("/api/export", "").await;
    assert!(lines.as_str().unwrap().contains("Tea?"));
}

/// A message that is edited, another answer to it, and the first version again.
pub(super) async fn branches(api: &Api, id: &str, message: &Value) {
    let edit = json!({"message": "Hi", "conversation_id": id, "edit_of": message, "image": null});
    api.rest(api.send(edit).await).await;
    let again = json!({"conversation_id": id, "regenerate": message});
    api.rest(api.send(again).await).await;
    let log = filled("/api/conversations/{id}/events?after=1", id);
    let mut events = Events::of(api.app.admin("GET", &log).send().await.unwrap());
    let path = "/api/conversations/{id}/branch";
    let chosen = api.call("PUT", path, id, json!({"message_id": message}), 200).await;
    let event = api.find(&mut events, "branch_chosen").await;
    assert_eq!(event["turn_id"], chosen["leaf"]);
    let view = api.get("/api/conversations/{id}", id).await;
    assert_eq!((&view["leaf"], view["turns"].as_array().unwrap().len()), (&chosen["leaf"], 3));
    api.call("PUT", path, id, json!({}), 400).await;
}
