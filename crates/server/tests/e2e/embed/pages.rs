//! What browsers are told about the page, the script, and everything else.

use super::{SHOP, app};
use crate::test_app::TestApp;

async fn policy(app: &TestApp, path: &str) -> (u16, String, Option<String>) {
    let answer = app.request("GET", path).header("accept", "text/html").send().await.unwrap();
    let header =
        |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let policy = header("content-security-policy").unwrap();
    let ancestors = policy.split("frame-ancestors ").nth(1).unwrap().split(';').next().unwrap();
    (answer.status().as_u16(), ancestors.to_owned(), header("x-frame-options"))
}

/// U-12, FAULTS 26: only pages of the origins that a project names can show its chat; nothing else of
/// ours can be shown in any page but our own.
#[tokio::test]
async fn only_the_sites_of_a_project_can_show_it() {
    let app = app().await;
    let (status, ancestors, options) = policy(&app, "/embed/home/recipes").await;
    // Without a build of the web interface there is no page, and nobody can show that either.
    if status == 200 {
        assert_eq!(ancestors, "https://shop.example https://forum.example");
        assert_eq!(options, None, "it cannot name them");
        let page = app.request("GET", "/embed/home/recipes").send().await.unwrap();
        assert!(!page.headers().contains_key("set-cookie"));
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let text = page.text().await.unwrap();
        assert!(text.contains(&format!("name=\"parlor-embed\" content=\"{SHOP} ")), "{text}");
    } else {
        assert_eq!((status, ancestors.as_str()), (503, "'none'"));
    }
    assert!(!policy(&app, "/embed/other/recipes").await.1.contains("forum"));
    for path in
        ["/embed/home/sauces", "/embed/home/nothing", "/embed/nobody/recipes", "/embed/home/x y"]
    {
        let (status, ancestors, options) = policy(&app, path).await;
        assert_eq!((status, ancestors.as_str()), (404, "'none'"), "{path}");
        assert_eq!(options.as_deref(), Some("DENY"), "{path}");
    }
    for path in ["/login", "/chat", "/api/me", "/widget.js", "/assets/theme.js"] {
        let (_, ancestors, options) = policy(&app, path).await;
        assert_eq!((ancestors.as_str(), options.as_deref()), ("'none'", Some("DENY")), "{path}");
    }
}

/// U-12: the script is loaded by any page, is kept for minutes, and then asked for by its tag.
#[tokio::test]
async fn the_script_is_cached_and_may_be_loaded_by_any_page() {
    let app = app().await;
    let script = app.request("GET", "/widget.js").send().await.unwrap();
    let headers = script.headers().clone();
    assert_eq!(headers["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(headers["cross-origin-resource-policy"], "cross-origin");
    assert!(headers["cache-control"].to_str().unwrap().contains("max-age=600"));
    assert!(script.text().await.unwrap().contains("ParlorChat"));
    let tag = headers["etag"].clone();
    let again = app.request("GET", "/widget.js").header("if-none-match", tag).send().await.unwrap();
    assert_eq!(again.status(), 304);
    assert_eq!(again.headers()["cross-origin-resource-policy"], "cross-origin");
    let other = app.request("GET", "/assets/theme.js").send().await.unwrap();
    assert_eq!(other.headers()["cross-origin-resource-policy"], "same-origin");
}
