//! MCP servers: started again, and what they wrote last.

use parlor_agent::tools::ToolOutcome;
use serde_json::json;

use super::{acts, admin_gets};
use crate::mcp::{begin, faulty, faulty_program, health, host, next, ready};
use crate::test_app::{Settings, TestApp, json as body_of};

/// Y-4, M-2: a server is really started again, by its administrator alone, and says what it wrote,
/// without secrets.
#[tokio::test]
async fn a_server_is_started_again() {
    let program = faulty_program();
    let more = format!(
        "[tenants.home.projects.recipes.mcp.talks]\ncommand = {program:?}\n\
         args = [\"--complain\", \"token hunter2-hunter2 and sk-ant-api03-abcdefgh12345678\"]\n\
         env = {{ TOKEN = \"hunter2-hunter2\" }}\n"
    );
    let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
    let path = "/api/admin/mcp/recipes/talks";
    let restart = async || {
        let answer = app.admin("POST", &format!("{path}/restart")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        body_of(answer).await
    };
    // One that is being started is waited for.
    while restart().await["state"] != "ready" {}
    let before = admin_gets(&app, "/api/admin/status").await["projects"][0]["mcp"][0].clone();
    let after = restart().await;
    assert_eq!(after["state"], "ready", "{after}");
    assert_eq!(after["restarts"].as_u64(), before["restarts"].as_u64().map(|count| count + 1));
    let output = admin_gets(&app, &format!("{path}/output")).await;
    assert_eq!(output["running_calls"], 0);
    let lines = output["lines"].as_array().unwrap();
    assert!(lines.len() >= 2, "of this process and of the one before: {output}");
    assert_eq!(lines[0]["text"], "starting");
    assert_eq!(lines[1]["text"], "token […] and [token] […]");
    assert!(lines[0]["at"].is_number());
    assert!(acts(&app).await.iter().all(|act| act == "server_restarted"));
    let other = app.other_tenants_key("admin").await;
    for (method, end) in [("POST", "restart"), ("GET", "output")] {
        let theirs = app.request(method, &format!("{path}/{end}")).header("x-api-key", &other);
        assert_eq!(theirs.send().await.unwrap().status(), 404, "X-3: {end}");
    }
}

/// M-2: a call that runs when its server is started again has an unknown outcome, and the next one
/// is answered.
#[tokio::test]
async fn a_restart_ends_calls_with_an_unknown_outcome() {
    let host = host(&[("s", faulty(&[]))]);
    ready(&host, "s").await;
    let mut call = begin(&host, "s_hang", json!({}));
    let (ended, restarted) = tokio::join!(next(&mut call), async {
        crate::mcp::until("the call runs", || {
            host.output("s").is_some_and(|output| output.running_calls == 1)
        })
        .await;
        host.restart("s", crate::test_app::PATIENCE).await
    });
    let parlor_agent::tools::ToolEvent::Done(ToolOutcome::Unknown(why)) = ended else {
        panic!("{ended:?}")
    };
    assert!(why.contains("may or may not have done its work"), "{why}");
    assert_eq!(restarted.unwrap(), health(&host, "s"));
    assert_eq!(health(&host, "s").restarts, 1);
    assert!(crate::mcp::text(&host, "s_echo", json!({})).await.contains("arguments"));
    assert!(host.restart("nothing", crate::test_app::PATIENCE).await.is_none());
}
