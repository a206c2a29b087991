//! Logging in with a real provider of OpenID Connect (Y-1), by its forms.

mod browser;
mod identity_provider;

use browser::Browser;
use identity_provider::IdentityProvider;
use serde_json::{Value, json};

use crate::server_process::free_port;
use crate::test_app::{PASSWORD, Settings, TestApp};

const CLAIMS: &str = r#"
    require = { claim = "groups", values = ["family"] }
    roles = { claim = "groups", admin = ["parents"] }
"#;

/// A server, the provider that it knows, and a browser.
struct Scene {
    app: TestApp,
    provider: IdentityProvider,
    browser: Browser,
}

impl Scene {
    async fn new(claims: &str, more: &str, variables: &[(&str, &str)]) -> Self {
        // The provider has to know where the server will be.
        let port = free_port();
        let server = format!("http://127.0.0.1:{port}");
        let provider = IdentityProvider::start(&server, variables).await;
        let more = format!(
            "[tenants.home.login.oidc.work]\n
             title = \"Wörk & Co\"\n
             issuer = \"{}\"\n
             client_id = \"parlor\"\n
             scopes = [\"email\", \"profile\", \"groups\"]\n
             allow_private_addresses = true\n{more}\n
             [tenants.home.login.oidc.work.claims]\n{claims}",
            provider.issuer
        );
        let app = TestApp::at(port, Settings { more: &more, ..Settings::default() }).await;
        Self { app, provider, browser: Browser::new() }
    }

    /// From the login page to whatever comes after the provider's forms.
    async fn log_in(&mut self, name: &str) {
        let login = self.app.url("/login?next=/chat?plain");
        self.browser.open(&login).await;
        self.browser.click("Log in with Wörk &amp; Co").await;
        self.at_provider(name).await;
    }

    /// The provider's own forms, until it sends the browser back.
    async fn at_provider(&mut self, name: &str) {
        while self.browser.page.url.as_str().starts_with(&self.provider.issuer) {
            let is_login = self.browser.page.text.contains("name=\"login\"");
            let values: &[_] = if is_login { &[("login", name), ("password", "x")] } else { &[] };
            self.browser.submit(values).await;
        }
    }

    /// Who the server thinks that the browser is.
    async fn me(&self) -> Option<Value> {
        let session = self.browser.cookie("rv_session")?;
        let request = self.app.request("GET", "/api/me");
        let response = request.header("cookie", format!("rv_session={session}")).send().await;
        let response = response.unwrap();
        let is_known = response.status() == 200;
        let text = response.text().await.unwrap();
        is_known.then(|| serde_json::from_str(&text).unwrap())
    }
}

const SECRET: &str = "client_secret = \"s3cret of nobody\"";

/// Y-1: somebody logs in with a provider, reads the chat, and logs out here and there.
#[tokio::test]
async fn a_person_logs_in_and_out_with_a_provider() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    scene.log_in("ana").await;
    let page = &scene.browser.page;
    assert_eq!((page.status, page.url.path(), page.url.query()), (200, "/chat", Some("plain")));
    assert!(page.text.contains("action=\"/logout\""), "{}", page.text);
    let me = scene.me().await.unwrap();
    assert_eq!((&me["role"], &me["person"]["name"]), (&json!("admin"), &json!("Ana Souza")));
    let mut cookies = scene.browser.cookies_of("127.0.0.1");
    cookies.sort_unstable();
    assert_eq!(cookies, ["rv_oidc_session", "rv_session"], "the login itself is over");
    // Logging out leads to the provider, which asks, and back.
    let session = scene.browser.cookie("rv_session").unwrap();
    scene.browser.submit(&[]).await;
    assert!(scene.browser.page.url.as_str().starts_with(&scene.provider.issuer));
    assert!(scene.browser.cookies_of("127.0.0.1").is_empty());
    let old = scene.app.request("GET", "/api/me").header("cookie", format!("rv_session={session}"));
    assert_eq!(old.send().await.unwrap().status(), 401);
    scene.browser.submit(&[("logout", "yes")]).await;
    scene.provider.session_ended().await;
    let page = &scene.browser.page;
    assert_eq!((page.status, page.url.path()), (200, "/login"), "{page:?}");
    // So the next one is asked who they are.
    scene.log_in("bob").await;
    assert_eq!(scene.me().await.unwrap()["role"], "user");
}

/// Y-1: a person is the same one at each login, and stays out once they were shut out.
#[tokio::test]
async fn a_person_is_known_again() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    let mut ids = Vec::new();
    for name in ["ana", "bob", "ana"] {
        scene.browser = Browser::new();
        scene.log_in(name).await;
        ids.push(scene.me().await.unwrap()["person"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids[0], ids[2]);
    assert_ne!(ids[0], ids[1]);
    let path = format!("/api/people/{}", ids[0]);
    let disable = scene.app.admin("PATCH", &path).header("content-type", "application/json");
    let disabled = disable.body(r#"{"disabled": true}"#).send().await.unwrap();
    assert_eq!(disabled.status(), 200);
    assert_eq!(scene.me().await, None, "the session has ended");
    scene.browser = Browser::new();
    scene.log_in("ana").await;
    assert_eq!(scene.browser.page.status, 403, "{:?}", scene.browser.page);
    assert!(scene.browser.cookies_of("127.0.0.1").is_empty());
}

/// Y-1: the other ways in which providers differ.
#[tokio::test]
async fn providers_of_other_kinds_work_too() {
    let of = [
        (SECRET, vec![("ALG", "PS256"), ("CLAIMS", "userinfo")]),
        (SECRET, vec![("ALG", "ES256"), ("AUTH", "client_secret_post")]),
        ("", vec![("ALG", "EdDSA"), ("AUTH", "none")]),
    ];
    for (secret, variables) in of {
        let mut scene = Scene::new(CLAIMS, secret, &variables).await;
        scene.log_in("ana").await;
        let me = scene.me().await;
        let me = me.unwrap_or_else(|| panic!("{variables:?}: {:?}", scene.browser.page));
        assert_eq!(me["role"], "admin", "{variables:?}");
    }
}

/// Y-1: whoever is not admitted gets no session, and is told what to do.
#[tokio::test]
async fn a_stranger_is_not_admitted() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    scene.log_in("eve").await;
    let page = &scene.browser.page;
    assert_eq!(page.status, 403, "{page:?}");
    assert!(page.text.contains("Wörk &amp; Co knows you, but you have no access here"), "{page:?}");
    assert!(scene.browser.cookies_of("127.0.0.1").is_empty());
    scene.browser.click("Back to the login").await;
    assert_eq!(scene.browser.page.url.path(), "/login");
}

/// Y-1: nobody finishes the login of somebody else, or one that was finished.
#[tokio::test]
async fn a_login_belongs_to_its_browser() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    let login = scene.app.url("/login");
    scene.browser.open(&login).await;
    scene.browser.click("Log in with Wörk &amp; Co").await;
    let kept = scene.browser.cookie("rv_oidc_login").unwrap();
    // An attacker has the victim open the address that would finish the attacker's login.
    let mut attacker = Browser::new();
    std::mem::swap(&mut attacker, &mut scene.browser);
    scene.browser.open(&login).await;
    scene.browser.click("Log in with Wörk &amp; Co").await;
    let victim = scene.browser.cookie("rv_oidc_login").unwrap();
    assert_ne!(kept, victim);
    let callback = scene.app.url("/login/oidc/work/callback?code=x&state=y");
    for cookie in [String::new(), "x".to_owned(), kept[..kept.len() - 4].to_owned(), kept] {
        let mut browser = Browser::new();
        let line = format!("rv_oidc_login={cookie}; Path=/login/oidc");
        browser.set_cookie("127.0.0.1", &line);
        let page = browser.open(&callback).await;
        assert_eq!(page.status, 400, "{page:?}");
        assert!(page.text.contains("Please begin it again"), "{page:?}");
        assert_eq!(browser.cookie("rv_session"), None);
    }
    // Nor does anybody end the login that a browser is in.
    let provider = scene.browser.page.clone();
    assert_eq!(scene.browser.open(&callback).await.status, 400);
    scene.browser.page = provider;
    scene.at_provider("bob").await;
    assert_eq!(scene.me().await.unwrap()["role"], "user");
    let after = scene.browser.page.url.clone();
    assert_eq!(after.path(), "/chat", "not the page with the code");
}

/// Y-1: the password stays possible, and its log-out is not the provider's business.
#[tokio::test]
async fn a_password_needs_no_provider() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    scene.log_in("ana").await;
    let provider_session = scene.browser.cookie("rv_oidc_session").unwrap();
    let cookie = scene.app.log_in(PASSWORD).await;
    let request = scene.app.request("POST", "/logout");
    let request = request.header("cookie", format!("{cookie}; rv_oidc_session={provider_session}"));
    let response = request.send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["location"]),
        (303, &"/login".parse().unwrap())
    );
}

/// Y-1: only providers of the tenant are offered, and known.
#[tokio::test]
async fn a_tenant_has_its_own_providers() {
    let mut scene = Scene::new(CLAIMS, SECRET, &[]).await;
    for (login, offered) in
        [("/login", true), ("/login?tenant=other", false), ("/login?tenant=x%22", false)]
    {
        let page = scene.browser.open(&scene.app.url(login)).await;
        assert_eq!(page.text.contains("/login/oidc/work"), offered, "{login}");
    }
    for unknown in [
        "/login/oidc/other", "/login/oidc/work?tenant=other", "/login/oidc/Work",
        "/login/oidc/other/callback", "/login/oidc/..%2f/callback",
    ] {
        let page = scene.browser.open(&scene.app.url(unknown)).await;
        assert_eq!(page.status, 404, "{unknown}");
    }
}

/// Y-1: a provider that cannot be reached is said to be so, and the password still works.
#[tokio::test]
async fn a_provider_that_is_down_is_named() {
    let more = format!(
        "[tenants.home.login.oidc.work]\n
         issuer = \"http://127.0.0.1:{}\"\n
         client_id = \"parlor\"\n
         allow_private_addresses = true\n
         [tenants.home.login.oidc.work.claims]\neveryone = true",
        free_port()
    );
    let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
    let mut browser = Browser::new();
    browser.open(&app.url("/login")).await;
    let page = browser.click("Log in with Work").await;
    assert_eq!(page.status, 503);
    assert!(page.text.contains("Work cannot be reached right now"), "{page:?}");
    app.log_in(PASSWORD).await;
}
