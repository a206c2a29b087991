//! How a project looks, as the page learns it.

use std::path::Path;

use serde_json::json;

use crate::test_app::{ADMIN_KEY, Settings, TestApp, json as body_of, refusal};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";
const LOGO: &str = "/api/projects/recipes/logo";

/// The section of a look, whose logo is in this directory.
pub(crate) fn section(dir: &Path) -> String {
    let logo = dir.join("logo.png");
    std::fs::write(&logo, PNG).unwrap();
    format!(
        "[tenants.home.projects.recipes.look]\nlogo = {:?}\naccent = \"#ffd400\"\n\
         greeting = {{ en = \"Hello\", pt = \"Oi\" }}\n\
         suggestions = [{{ text = \"Plan it\", mode = \"plan\" }}]\n",
        logo.display().to_string()
    )
}

/// U-10: the look of a project is in `/api/me`, for its own tenant, and its logo is a picture
/// that is no document. A logo that cannot be served any more is not found.
#[tokio::test]
async fn a_project_has_a_look_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let more = section(dir.path());
    let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
    let me = body_of(app.admin("GET", "/api/me").send().await.unwrap()).await;
    let look = &me["projects"][0]["look"];
    assert_eq!(look["greeting"], json!({"en": "Hello", "pt": "Oi"}));
    assert_eq!(look["suggestions"][0]["text"], json!({"en": "Plan it", "pt": "Plan it"}));
    assert_eq!(look["suggestions"][0]["mode"], "plan");
    assert_eq!(look["logo"], LOGO);
    assert_ne!(look["accent"]["light"], "#ffd400", "it could not be read on a light page");
    assert_eq!(look["accent"]["dark"], "#ffd400");
    assert!(me["projects"][1].get("look").is_none(), "{me}");

    let logo = app.admin("GET", LOGO).send().await.unwrap();
    assert_eq!(logo.status(), 200);
    assert_eq!(logo.headers()["content-type"], "image/png");
    assert_eq!(logo.headers()["x-content-type-options"], "nosniff");
    assert_eq!(logo.bytes().await.unwrap(), PNG);
    for path in
        ["/api/projects/sauces/logo", "/api/projects/nothing/logo", "/api/projects/%00/logo"]
    {
        let answer = refusal(app.admin("GET", path).send().await.unwrap()).await;
        assert_eq!(answer, (404, "not_found".to_owned()), "{path}");
    }
    let key = app.parlor(&["keys", "create", "--tenant", "other"], "").await;
    assert_ne!(key.trim(), ADMIN_KEY);
    let other = app.request("GET", LOGO).header("x-api-key", key.trim()).send().await.unwrap();
    assert_eq!(refusal(other).await, (404, "not_found".to_owned()));
    std::fs::write(dir.path().join("logo.png"), "<svg onload='x()'/>").unwrap();
    let changed = app.admin("GET", LOGO).send().await.unwrap();
    assert_eq!(refusal(changed).await, (404, "not_found".to_owned()));
}
