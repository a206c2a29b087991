//! Figures of turns: counted with the end of each, and read without the turns.

use parlor_testkit::Script;
use serde_json::json;

use super::{admin_gets, get, say};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, Settings, TestApp};

/// Y-4: turns, tokens, errors by code and durations, by hour and by day, of the own tenant.
#[tokio::test]
async fn turns_are_counted_when_they_end() {
    let limits = "messages_per_minute = 1000";
    let app = TestApp::configured(Settings { limits, ..Settings::default() }).await;
    app.model.push(Script::answer().text("Soup.").usage(100, 20));
    say(&app, ADMIN_KEY, "one").await;
    app.model.push(Script::failure(401));
    say(&app, ADMIN_KEY, "two").await;
    let sauces = app.send(&json!({"message": "three", "project": "sauces"})).await;
    Events::of(sauces).rest().await;

    let day = admin_gets(&app, "/api/admin/usage").await;
    let points = day["points"].as_array().unwrap();
    assert_eq!((points.len(), &day["step_seconds"]), (24, &json!(3600)));
    let total = &day["total"];
    assert_eq!((&total["turns"], &total["failed"]), (&json!(3), &json!(1)));
    assert!(total["tokens"].as_u64().unwrap() >= 120, "{total}");
    for figure in ["first_p50_ms", "first_p95_ms", "turn_p50_ms", "turn_p95_ms"] {
        assert!(total[figure].is_u64(), "{figure}: {total}");
    }
    assert_eq!(day["errors"], json!([{"code": "wrong_key", "count": 1}]));
    let projects = day["projects"].as_array().unwrap();
    let by_project: Vec<_> = projects.iter().map(|p| (&p["name"], &p["turns"])).collect();
    assert_eq!(by_project, [(&json!("Recipes"), &json!(2)), (&json!("Sauces"), &json!(1))]);
    let counted: u64 = points.iter().map(|point| point["turns"].as_u64().unwrap()).sum();
    assert_eq!(counted, 3);
    let week = admin_gets(&app, "/api/admin/usage?days=7&utc_offset_minutes=330").await;
    assert_eq!((week["points"].as_array().unwrap().len(), &week["total"]["turns"]), (7, &json!(3)));

    let other = app.other_tenants_key("admin").await;
    let theirs = get(&app, "/api/admin/usage", ("x-api-key", &other)).await;
    assert_eq!((&theirs["total"]["turns"], &theirs["projects"]), (&json!(0), &json!([])), "X-3");
}
