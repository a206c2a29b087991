//! The official OpenAI libraries, for JavaScript and for Python.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use super::client::ExternalClient;
use super::scene::Scene;
use crate::npm::output;

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(PYTHON);
    let mut command = Command::new("python3");
    command.arg(folder.join("driver.py")).env("PYTHONPATH", install_python().await);
    ExternalClient::run(command, &url, &variables)
}

/// Installs the library for Python, unless the same requirements were installed before.
async fn install_python() -> std::path::PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(PYTHON);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients-openai_python");
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::File::create(place.join("lock")).unwrap();
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock)).await.unwrap();
    let _mine = lock.unwrap();
    let (wanted, mark) = (source.join("requirements.txt"), place.join("installed.txt"));
    let is_there = std::fs::read(&mark).ok() == std::fs::read(&wanted).ok();
    if !is_there {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "-q", "--upgrade", "--target"]).arg(&place);
        output(pip.arg("-r").arg(&wanted), "pip install").await;
        std::fs::copy(&wanted, &mark).unwrap();
    }
    place
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
