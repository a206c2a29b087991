//! Calls about many conversations, and about the branches of one.

use serde_json::{Value, json};

use super::responses::{Api, GIF};
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

/// Links to share: made, listed, opened with nothing but the token, taken back.
pub(super) async fn links(api: &Api, id: &str) {
    let image = json!({"data": GIF, "media_type": "image/gif"});
    let look = json!({"message": "Look", "conversation_id": id, "image": image});
    let said = api.rest(api.send(look).await).await[1].data.clone();
    let path = "/api/conversations/{id}/links";
    let wish =
        json!({"audience": "anyone", "follows": true, "results": true, "expires_in_days": 7});
    let made = api.call("POST", path, id, wish, 201).await;
    api.call("POST", path, id, json!({"expires_in_days": 0}), 400).await;
    let token = made["link"].as_str().unwrap().rsplit_once('/').unwrap().1;
    let open = |path: &str| {
        let picture = said["metadata"]["image"]["id"].as_str().unwrap();
        api.app.request("GET", &path.replace("{token}", token).replace("{image}", picture))
    };
    let view = "/api/shared/{token}";
    let seen = api.checked("GET", view, open(view), 200).await;
    assert_eq!(seen["follows"], true);
    let again = open("/api/shared/{token}?again=true");
    api.checked("GET", view, again, 200).await;
    for path in ["/api/shared/{token}/images/{image}", "/api/shared/{token}/events"] {
        let got = open(path).send().await.unwrap();
        assert_eq!(got.status(), 200, "{path}");
        api.head("GET", path, &got);
    }
    let listed = api.get(path, id).await;
    assert_eq!(listed["links"][0]["opened"], 1);
    let one = "/api/conversations/{id}/links/{link}";
    let address = filled(&one.replace("{link}", listed["links"][0]["id"].as_str().unwrap()), id);
    api.checked("DELETE", one, api.app.admin("DELETE", &address), 204).await;
    api.checked("GET", view, open(view), 404).await;
}

/// Searching, the own list, and a deletion that is undone.
pub(super) async fn keeping(api: &Api, id: &str) {
    let path = "/api/conversations/{id}";
    let placed = api.call("PATCH", path, id, json!({"pinned": true, "archived": true}), 200).await;
    assert_eq!((&placed["pinned"], &placed["archived"]), (&json!(true), &json!(true)));
    api.get("/api/conversations?list=archived", "").await;
    let found = api.get("/api/search?q=hel", "").await;
    assert_eq!(found["messages"][0]["conversation_id"], id, "{found}");
    api.call("GET", "/api/search?q=hel&before=x", "", Value::Null, 400).await;
    api.call("DELETE", path, id, Value::Null, 204).await;
    let deleted = api.get("/api/conversations?list=deleted", "").await;
    assert_eq!(deleted["conversations"][0]["id"], id);
    api.call("POST", "/api/conversations/{id}/restore", id, Value::Null, 200).await;
    api.call("POST", "/api/conversations/{id}/restore", id, Value::Null, 404).await;
    api.call("PATCH", path, id, json!({"archived": false}), 200).await;
}
