//! Notifications of a browser, compared with the document.

use serde_json::{Value, json};

use super::responses::Api;
use crate::test_app::PASSWORD;

/// Notifications of a browser, and of a key, which has none.
pub(super) async fn notifications(api: &Api) {
    let cookie = api.app.log_in(PASSWORD).await;
    let browser =
        |method: &str, path: &str| api.app.request(method, path).header("cookie", &cookie);
    let (subscription, test) = ("/api/push/subscription", "/api/push/test");
    api.checked("POST", test, browser("POST", test), 404).await;
    let body = crate::push::example();
    api.document.assert_request("PUT", subscription, &body);
    api.checked("PUT", subscription, browser("PUT", subscription).json(&body), 204).await;
    let state = api.checked("GET", "/api/push", browser("GET", "/api/push"), 200).await;
    assert_eq!((&state["available"], &state["subscribed"]), (&json!(true), &json!(true)));
    api.checked("POST", test, browser("POST", test), 202).await;
    api.checked("DELETE", subscription, browser("DELETE", subscription), 204).await;
    api.checked("PUT", subscription, browser("PUT", subscription).json(&json!({})), 400).await;
    assert_eq!(api.get("/api/push", "").await["available"], false);
    api.call("DELETE", subscription, "", Value::Null, 403).await;
}
