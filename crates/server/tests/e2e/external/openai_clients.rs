//! The official OpenAI libraries, for JavaScript and for Python.

use std::time::Duration;

use serde_json::Value;

use super::client::ExternalClient;
use super::scene::Scene;
use crate::python;

/// Both libraries.
pub(super) const LIBRARIES: [&str; 2] = ["openai", "openai_python"];
const PYTHON: &str = "clients/openai_python";

/// A client of a scene, as the model `recipes`.
pub(super) async fn client(scene: &Scene, folder: &str) -> ExternalClient {
    client_with(scene, folder, &[]).await
}

/// The same with further variables.
pub(super) async fn client_with(
    scene: &Scene,
    folder: &str,
    more: &[(&str, &str)],
) -> ExternalClient {
    let url = scene.url("/v1");
    let variables: Vec<(&str, &str)> =
        [("PARLOR_MODEL", "recipes")].into_iter().chain(more.iter().copied()).collect();
    if folder != "openai_python" {
        return ExternalClient::start(folder, &url, &variables).await;
    }
    let command = python::run(PYTHON, "driver.py").await;
    ExternalClient::run(command, &url, &variables)
}

/// The text of the items of a response.
pub(super) fn text(response: &Value) -> String {
    let items = response["output"].as_array().unwrap().iter();
    let messages = items.filter(|item| item["type"] == "message");
    let texts = messages.filter_map(|item| item["content"][0]["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The types of the items of a response.
pub(super) fn kinds(response: &Value) -> Vec<&str> {
    let items = response["output"].as_array().unwrap().iter();
    items.filter_map(|item| item["type"].as_str()).collect()
}

/// Waits for something that is not told.
pub(super) async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    for _ in 0..600 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} does not happen");
}
