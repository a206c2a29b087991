//! What holds, and where it comes from.

use serde_json::{Value, json};

use super::{admin_gets, get};
use crate::test_app::{ADMIN_KEY, ADMIN_PASSWORD, PASSWORD, Settings, TestApp};

fn find<'v>(configuration: &'v Value, key: &str) -> &'v Value {
    let values = configuration["values"].as_array().unwrap();
    values.iter().find(|value| value["key"] == key).unwrap_or_else(|| panic!("no {key}"))
}

/// Y-4, X-3: whoever runs the server sees all of its configuration; an administrator of one of
/// several tenants sees the section of theirs; nobody sees a secret.
#[tokio::test]
async fn the_configuration_is_shown_to_whom_it_concerns() {
    let limits = "messages_per_minute = 77";
    let more = "[tenants.other.projects.recipes.mcp.search]\nurl = \"https://mcp.example.org\"\n\
                [tenants.other.projects.recipes.mcp.search.headers]\nX = \"header-of-theirs\"";
    let app = TestApp::configured(Settings { limits, more, ..Settings::default() }).await;
    let all = admin_gets(&app, "/api/admin/configuration").await;
    assert_eq!(all["scope"], "server");
    let limit = find(&all, "server.limits.messages_per_minute");
    assert_eq!((&limit["value"], &limit["source"]), (&json!(77), &json!("file")));
    assert!(limit["place"].as_str().unwrap().ends_with("parlor.toml:2"), "{limit}");
    let keep_alive = find(&all, "server.limits.keep_alive");
    assert_eq!((&keep_alive["value"], &keep_alive["source"]), (&json!("15s"), &json!("default")));
    assert_eq!(find(&all, "server.data_dir")["place"], "--data-dir");
    assert_eq!(find(&all, "PARLOR_PASSWORD")["value"], "[masked]");
    let theirs = "tenants.other.projects.recipes.mcp.search.headers.X";
    assert_eq!(find(&all, theirs)["value"], "[masked]");
    for secret in [PASSWORD, ADMIN_PASSWORD, ADMIN_KEY, "header-of-theirs"] {
        assert!(!all.to_string().contains(secret), "{secret}");
    }

    let cookie = app.log_in(ADMIN_PASSWORD).await;
    let home = get(&app, "/api/admin/configuration", ("cookie", &cookie)).await;
    assert_eq!(home["scope"], "tenant");
    let keys =
        home["values"].as_array().unwrap().iter().map(|value| value["key"].as_str().unwrap());
    assert!(keys.clone().count() > 20 && keys.clone().all(|key| key.starts_with("tenants.home.")));
    let other = app.other_tenants_key("admin").await;
    let other = get(&app, "/api/admin/configuration", ("x-api-key", &other)).await;
    let other = other.to_string();
    assert!(other.contains(theirs) && !other.contains("tenants.home"), "{other}");
}
