//! `parlor doctor` (O-2): what is good, what is wrong, and what to do about it.

use std::fs::{Permissions, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use parlor_testkit::ScriptedModel;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::server_process::{free_port, storage};
use crate::test_app::{Settings, TestApp};

/// Longer than the pause between the two lines.
const HELD_BACK: Duration = Duration::from_millis(700);

struct Examination {
    is_good: bool,
    text: String,
    findings: Vec<Value>,
}

impl Examination {
    /// Runs the command in a directory with a `parlor.toml`.
    async fn of(dir: &std::path::Path, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(["doctor", "--json"]).current_dir(dir).stdin(Stdio::null());
        command.env("PARLOR_DATA_DIR", dir).envs(storage(dir));
        command.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL");
        for (name, value) in variables {
            command.env(name, value);
        }
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let findings = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { is_good: output.status.success(), text, findings }
    }

    /// The state of what was found about this, and what to do.
    fn about(&self, about: &str) -> (&str, &str) {
        let found = self.findings.iter().find(|finding| finding["about"] == about);
        let found = found.unwrap_or_else(|| panic!("nothing about {about}: {}", self.text));
        (found["state"].as_str().unwrap(), found["to_do"].as_str().unwrap_or_default())
    }
}

/// A server whose public address is this one.
async fn server_behind(port: u16, own: u16) -> TestApp {
    let more = format!("[server]\npublic_url = \"http://127.0.0.1:{port}\"");
    let agent = "model = \"scripted\"";
    TestApp::at(own, Settings { more: &more, agent, vault: true, ..Settings::default() }).await
}

/// O-2: beside a running server nothing is wrong, and the key is not shown.
#[tokio::test]
async fn a_good_installation_is_called_good() {
    let port = free_port();
    let app = server_behind(port, port).await;
    // As a server makes it.
    set_permissions(&app.data_dir, Permissions::from_mode(0o700)).unwrap();
    let found =
        Examination::of(&app.data_dir, &[("ANTHROPIC_API_KEY", "sk-ant-very-secret")]).await;
    assert!(found.is_good, "{}", found.text);
    for about in [
        "configuration", "data directory", "permissions", "database of conversations",
        "database of recipes", "agent of home/recipes", "MCP server recipes of home/recipes",
        "public address", "clock", "streaming",
    ] {
        assert_eq!(found.about(about).0, "good", "{about}: {}", found.text);
    }
    assert!(!found.text.contains("very-secret"), "{}", found.text);
}

/// O-2: each thing that is wrong is found, and says what to do.
#[tokio::test]
async fn what_is_wrong_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let closed = free_port();
    let config = format!(
        "[server]\nbind = \"127.0.0.1:{closed}\"
         [tenants.home.projects.recipes.agent]
         kind = \"openai\"
         base_url = \"http://127.0.0.1:{closed}\"
         [tenants.home.projects.recipes.mcp.files]
         command = \"/no/such/server\"
         [tenants.home.projects.code]
         recipe_vault = false
         [tenants.home.projects.code.agent]
         kind = \"claude_code\"
         claude_code = {{ command = \"/no/such/agent\", working_dir = \"/tmp\" }}\n"
    );
    std::fs::write(dir.path().join("parlor.toml"), config).unwrap();
    let found = Examination::of(dir.path(), &[("PARLOR_NO_SUCH_SETTING", "1")]).await;
    assert!(!found.is_good, "{}", found.text);
    for (about, state, to_do) in [
        ("agent of home/recipes", "wrong", "base_url"),
        ("agent of home/code", "wrong", "correct the setting"),
        ("MCP server files of home/recipes", "wrong", "by hand"),
        ("public address", "warning", "start the server"),
    ] {
        let (found_state, found_to_do) = found.about(about);
        assert_eq!(found_state, state, "{about}: {}", found.text);
        assert!(found_to_do.contains(to_do), "{about}: {found_to_do}");
    }
    assert!(found.text.contains("PARLOR_NO_SUCH_SETTING"), "{}", found.text);

    std::fs::write(dir.path().join("parlor.toml"), "[server]\nbimd = \"x\"\n").unwrap();
    let found = Examination::of(dir.path(), &[]).await;
    assert!(!found.is_good && found.findings.len() == 1, "{}", found.text);
    assert!(found.text.contains("bind"), "{}", found.text);
}

/// O-2: a wrong key is told apart from a server that cannot be reached.
#[tokio::test]
async fn a_refused_key_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (refusing, _) = answering("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n").await;
    let config = format!(
        "[tenants.home.projects.recipes.agent]\nkind = \"openai\"\nbase_url = \"http://{refusing}\"\n"
    );
    std::fs::write(dir.path().join("parlor.toml"), config).unwrap();
    let found = Examination::of(dir.path(), &[("OPENAI_API_KEY", "sk-wrong-0123456789")]).await;
    let (state, to_do) = found.about("agent of home/recipes");
    assert!(state == "wrong" && to_do.contains("another key"), "{}", found.text);
    assert!(!found.text.contains("0123456789"), "{}", found.text);
    // One that is not in its list can be a slip.
    let model = ScriptedModel::start().await.unwrap();
    let config = format!(
        "[tenants.home.projects.recipes.agent]\nkind = \"anthropic\"\nbase_url = \"{}\"\n",
        model.base_url()
    );
    std::fs::write(dir.path().join("parlor.toml"), config).unwrap();
    let found = Examination::of(dir.path(), &[]).await;
    assert_eq!(found.about("agent of home/recipes").0, "warning", "{}", found.text);
}

/// O-2: a proxy that holds text back is found, and one that passes it on is not.
#[tokio::test]
async fn a_proxy_that_buffers_is_found() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap();
    let app = server_behind(proxy.port(), 0).await;
    tokio::spawn(hold_back(listener, app.address));
    let found = Examination::of(&app.data_dir, &[]).await;
    assert_eq!(found.about("public address").0, "good", "{}", found.text);
    let (state, to_do) = found.about("streaming");
    assert!(state == "wrong" && to_do.contains("buffering"), "{}", found.text);
}

/// Passes on what the server says only when it has been silent for a while.
async fn hold_back(listener: TcpListener, server: SocketAddr) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(async move {
            let server = TcpStream::connect(server).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
            let (mut held, mut piece) = (Vec::new(), [0; 4096]);
            loop {
                match tokio::time::timeout(HELD_BACK, from_server.read(&mut piece)).await {
                    Ok(Ok(length @ 1..)) => held.extend_from_slice(&piece[..length]),
                    Ok(_) => break,
                    Err(_) if held.is_empty() => {}
                    Err(_) => {
                        to_client.write_all(&held).await.unwrap();
                        held.clear();
                    }
                }
            }
            let _gone = to_client.write_all(&held).await;
        });
    }
}

/// A server that gives the same answer to everything.
async fn answering(answer: &'static str) -> (SocketAddr, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _read = client.read(&mut request).await;
            let _written = client.write_all(answer.as_bytes()).await;
        }
    });
    (address, serving)
}
