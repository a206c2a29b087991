//! People with accounts of their own (Y-1, Y-2).

mod accounts;
mod isolation;
mod sharing;

use serde_json::{Value, json};

use crate::test_app::{TestApp, json as body_of};

/// Invites somebody with the admin's key; returns the path of the link.
pub(crate) async fn invite(app: &TestApp, role: &str) -> String {
    let request = app.admin("POST", "/api/people/invitations").json(&json!({"role": role}));
    let made = request.send().await.unwrap();
    assert_eq!(made.status(), 201);
    path_of(body_of(made).await["link"].as_str().unwrap()).to_owned()
}

/// The path of a link to this server.
fn path_of(link: &str) -> &str {
    &link[link.find("/invite/").unwrap()..]
}

/// Posts a form.
async fn post(app: &TestApp, path: &str, fields: &[(&str, &str)]) -> reqwest::Response {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    let request = app.request("POST", path);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.body(form.finish()).send().await.unwrap()
}

/// Accepts the invitation of a link, and returns the cookie of the first session.
pub(crate) async fn join(app: &TestApp, link: &str, name: &str, password: &str) -> String {
    crate::logs::secret(password);
    let fields = [("name", name), ("password", password), ("again", password)];
    let joined = post(app, path_of(link), &fields).await;
    assert_eq!(joined.status(), 303);
    assert_eq!(joined.headers()["location"], "/chat");
    cookie_of(&joined)
}

fn cookie_of(response: &reqwest::Response) -> String {
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// Somebody new, with a password made of their name.
pub(crate) async fn somebody(app: &TestApp, name: &str, role: &str) -> String {
    let link = invite(app, role).await;
    join(app, &link, name, &password_of(name)).await
}

fn password_of(name: &str) -> String {
    format!("{name}'s own password")
}

/// Logs in by name.
async fn log_in(app: &TestApp, name: &str, password: &str) -> reqwest::Response {
    post(app, "/login", &[("name", name), ("password", password)]).await
}

/// A key of a person.
pub(crate) async fn key_of(app: &TestApp, name: &str) -> String {
    app.parlor(&["keys", "create", "--person", name, "--name", "script"], "").await
}

/// Reads an address with these headers.
async fn get(app: &TestApp, path: &str, header: (&str, &str)) -> Value {
    let response = app.request("GET", path).header(header.0, header.1).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    body_of(response).await
}
