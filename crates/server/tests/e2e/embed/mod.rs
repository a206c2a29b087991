//! A chat inside pages of other sites (U-12), and projects that pages of other sites may use (I-7).

mod nodes;
mod origins;
mod pages;
mod tokens;
mod visitors;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::streams::{Event, Events};
use crate::test_app::{Settings, TestApp, json as body_of};

pub(crate) const SHOP: &str = "https://shop.example";
const FORUM: &str = "https://forum.example";

/// The project `recipes` of the tenant `home` in pages of two sites; `sauces` in none.
pub(crate) const EMBED: &str = "[tenants.home.projects.recipes.embed]\n\
    origins = [\"https://shop.example\", \"https://forum.example\"]\n\
    [tenants.other.projects.recipes.embed]\norigins = [\"https://shop.example\"]";

async fn app() -> TestApp {
    TestApp::configured(Settings {
        limits: "messages_per_minute = 1000",
        more: EMBED,
        ..Settings::default()
    })
    .await
}

/// Asks for a token with the admin's key.
async fn ask(app: &TestApp, body: Value) -> Response {
    app.admin("POST", "/api/embed/tokens").json(&body).send().await.unwrap()
}

/// A token for somebody in a page of a site.
pub(crate) async fn token(app: &TestApp, origin: &str, person: &str) -> String {
    let body = json!({"project": "recipes", "origin": origin, "person": {"id": person}});
    let made = ask(app, body).await;
    assert_eq!(made.status(), 201);
    body_of(made).await["token"].as_str().unwrap().to_owned()
}

/// Exchanges a token in a frame in a page of this origin.
pub(crate) async fn exchange(app: &TestApp, token: &str, origin: &str) -> Response {
    let body = json!({"token": token, "origin": origin});
    app.request("POST", "/api/embed/sessions").json(&body).send().await.unwrap()
}

/// Somebody in a page of a site.
pub(crate) struct Visitor<'a> {
    app: &'a TestApp,
    session: String,
}

impl<'a> Visitor<'a> {
    async fn of(app: &'a TestApp, origin: &str, person: &str) -> Self {
        let token = token(app, origin, person).await;
        let begun = exchange(app, &token, origin).await;
        assert_eq!(begun.status(), 201);
        let session = body_of(begun).await["session"].as_str().unwrap().to_owned();
        Self { app, session }
    }

    fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let request = self.app.request(method, path);
        request.header("authorization", format!("Bearer {}", self.session))
    }

    async fn get(&self, path: &str) -> Response {
        self.request("GET", path).send().await.unwrap()
    }

    /// Says something, and returns the conversation.
    async fn say(&self, text: &str) -> String {
        let events = self.events(json!({"message": text})).await;
        let start = events.iter().find(|event| event.name == "start").unwrap();
        start.data["conversation_id"].as_str().unwrap().to_owned()
    }

    async fn events(&self, body: Value) -> Vec<Event> {
        let response = self.request("POST", "/api/chat").json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        Events::of(response).rest().await
    }

    /// The ids of the conversations that are listed.
    async fn listed(&self) -> Vec<String> {
        let list = body_of(self.get("/api/conversations").await).await;
        let rows = list["conversations"].as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }
}
