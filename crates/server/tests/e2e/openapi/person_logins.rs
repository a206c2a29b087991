//! The operations of logins that each person makes for themselves.

use serde_json::{Value, json};

use super::responses::Api;
use crate::mcp_logins::sent_back;
use crate::routes::filled;

/// A login of Ana to the server that each person logs in to, from its beginning to its end.
pub(super) async fn all(api: &Api, cookie: &str, ana: &str) {
    let (own, one) = ("/api/me/mcp-logins", "/api/me/mcp-logins/{project}/{server}");
    let of_notes = |path: &str| filled(&path.replace("{server}", "notes"), "");
    let as_ana = |method: &str, path: &str| {
        let request = api.app.request(method, path).header("cookie", cookie);
        request.header("origin", api.app.url(""))
    };
    let begun = api.checked("POST", one, as_ana("POST", &of_notes(one)), 200).await;
    let back = sent_back(begun["address"].as_str().unwrap()).await;
    let query = json!({"query": back.split_once('?').unwrap().1});
    let done = api.checked("POST", own, as_ana("POST", own).json(&query), 200).await;
    assert_eq!(done["person"], ana);
    api.checked("POST", own, as_ana("POST", own).json(&query), 404).await;
    api.checked("POST", own, as_ana("POST", own).json(&json!({})), 400).await;
    let listed = api.checked("GET", own, as_ana("GET", own), 200).await;
    assert_eq!(listed["servers"][0]["state"], "logged_in", "{listed}");
    let shared = api.get(own, "").await;
    assert_eq!(shared["servers"][0]["state"], "no_account", "{shared}");
    api.checked("POST", one, api.app.admin("POST", &of_notes(one)), 403).await;
    let all = "/api/admin/mcp/{project}/{server}/logins";
    let seen = api.checked("GET", all, api.app.admin("GET", &of_notes(all)), 200).await;
    assert_eq!(seen["logins"][0]["name"], "Ana", "{seen}");
    api.call("GET", all, "", Value::Null, 404).await;
    let end = "/api/admin/mcp/{project}/{server}/logins/{person}";
    let of_ana = of_notes(&end.replace("{person}", ana));
    api.checked("DELETE", end, api.app.admin("DELETE", &of_ana), 204).await;
    api.checked("DELETE", one, as_ana("DELETE", &of_notes(one)), 204).await;
}
