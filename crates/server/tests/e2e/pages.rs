//! Pages and their addresses, as a browser requests them.

use serde_json::json;

use crate::test_app::{PASSWORD, TestApp, json as body_of, refusal};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// U-3, U-4: an unknown address is a page that leads back to the chat, in the reader's language.
#[tokio::test]
async fn an_unknown_address_is_a_page_for_people() {
    let app = TestApp::start().await;
    for (language, words, back) in [
        ("en-US", "There is no page", "To the chat"),
        ("pt-BR", "Não há nenhuma página", "chat</a>"),
    ] {
        for path in ["/nowhere", "/chat/", "/c/not-an-id", "/c/../etc"] {
            let request = app.request("GET", path).header("accept", BROWSER);
            let response = request.header("accept-language", language).send().await.unwrap();
            assert_eq!(response.status(), 404, "{path}");
            assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8", "{path}");
            let page = response.text().await.unwrap();
            assert!(page.contains(words) && page.contains(back), "{path}: {page}");
            assert!(page.contains(r#"<a href="/chat">"#) && !page.contains('{'), "{path}: {page}");
        }
    }
}

/// Programs get JSON with an error code for it.
#[tokio::test]
async fn an_unknown_address_is_json_for_programs() {
    let app = TestApp::start().await;
    let asked = [("/nowhere", "*/*"), ("/api/nothing", BROWSER), ("/assets/nothing.js", BROWSER)];
    for (path, accept) in asked {
        let response = app.request("GET", path).header("accept", accept).send().await.unwrap();
        assert_eq!(refusal(response).await, (404, "not_found".to_owned()), "{path}");
    }
}

/// U-6: what waits, the settings and the page of administrators have addresses, and a login leads back to them.
#[tokio::test]
async fn pages_of_their_own_have_addresses() {
    let app = TestApp::start().await;
    let cookie = app.log_in(PASSWORD).await;
    for page in ["waiting", "settings", "admin"] {
        let path = format!("/{page}");
        let stranger = app.request("GET", &path).header("accept", BROWSER).send().await.unwrap();
        assert_eq!(stranger.status(), 303);
        let form = stranger.headers()["location"].to_str().unwrap().to_owned();
        assert_eq!(form, format!("/login?next=%2F{page}"));
        let back = app.request("GET", &form).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(back.headers()["location"], path.as_str());
        let known = app.request("GET", &path).header("cookie", &cookie).send().await.unwrap();
        assert!([200, 303].contains(&known.status().as_u16()), "{path}");
    }
}

/// U-6: a conversation has an address. The page is the same for everybody; its content comes from
/// the API, with the API's access checks.
#[tokio::test]
async fn a_conversation_has_an_address() {
    let app = TestApp::start().await;
    let path = format!("/c/{}", uuid::Uuid::from_u128(7));
    let stranger = app.request("GET", &path).header("accept", BROWSER).send().await.unwrap();
    assert_eq!(stranger.status(), 303);
    let form = stranger.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(form, format!("/login?next={}", path.replace('/', "%2F")), "and back");
    let cookie = app.log_in(PASSWORD).await;
    let back = app.request("GET", &form).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(back.headers()["location"], path.as_str());
    let known = app.request("GET", &path).header("cookie", &cookie).send().await.unwrap();
    // Without the web interface there is only the plain page, which has no addresses.
    if known.status() == 303 {
        assert_eq!(known.headers()["location"], "/chat");
    } else {
        assert_eq!(known.status(), 200);
        assert_eq!(known.headers()["content-type"], "text/html; charset=utf-8");
    }
}

/// The project says whether it has recipes, so that the page can suggest something.
#[tokio::test]
async fn a_project_says_whether_it_has_recipes() {
    let app = TestApp::with_vault().await;
    let me = body_of(app.admin("GET", "/api/me").send().await.unwrap()).await;
    let told: Vec<_> = me["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|project| (&project["id"], &project["recipe_vault"]))
        .collect();
    let expected = [(json!("recipes"), json!(true)), (json!("sauces"), json!(false))];
    assert_eq!(told, expected.iter().map(|(id, has)| (id, has)).collect::<Vec<_>>());
}
