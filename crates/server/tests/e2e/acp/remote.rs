//! `parlor acp --url`: keys, addresses, and a connection that breaks.

use std::sync::{Arc, Mutex};

use parlor_testkit::{Gate, Script, ScriptedModel};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::task::JoinHandle;

use super::editor::{EditorProcess, in_process, to, tools};
use crate::server_process::{KEY, Server};

/// Forwards connections, and can cut them.
struct Proxy {
    address: String,
    connections: Arc<Mutex<Vec<JoinHandle<()>>>>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    async fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (connections, to) =
            (Arc::<Mutex<Vec<JoinHandle<()>>>>::default(), server.address().to_owned());
        let kept = Arc::clone(&connections);
        let accepting = tokio::spawn(async move {
            loop {
                let (mut here, _) = listener.accept().await.unwrap();
                let to = to.clone();
                kept.lock().unwrap().push(tokio::spawn(async move {
                    let mut there = TcpStream::connect(&to).await.unwrap();
                    let _cut = tokio::io::copy_bidirectional(&mut here, &mut there).await;
                }));
            }
        });
        Self { address, connections, accepting }
    }

    /// Cuts all connections, and says how many there were; new ones are taken.
    fn cut(&self) -> usize {
        let mut connections = self.connections.lock().unwrap();
        connections.drain(..).map(|connection| connection.abort()).count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

/// H-5: a connection that breaks in the middle of an answer is taken up again; nothing is lost and
/// nothing comes twice.
#[tokio::test]
async fn a_broken_connection_is_taken_up_again() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let gate = Gate::closed();
    model.push(Script::answer().text("one ").gate(&gate).text("two"));
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let proxy = Proxy::start(&server).await;
    let mut command = to(&server, KEY);
    // The server is called by its own name, and reached through the proxy.
    command.env("http_proxy", format!("http://{}", proxy.address));
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let session = editor.new_session("/work").await;
    let id = editor.say(&session, "count").await;
    editor.updated("the beginning", |update| update["content"]["text"] == "one ").await;
    assert!(proxy.cut() > 0, "it goes through the proxy");
    gate.release(1);
    assert_eq!(editor.response(&id).await["result"]["stopReason"], "end_turn");
    assert_eq!(editor.text(0, "agent_message_chunk"), "one two");
}

/// a key that is not valid is named; so are a project and a tenant that are not there.
#[tokio::test]
async fn what_is_wrong_is_named() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let new = json!({"cwd": "/work", "mcpServers": []});
    let mut editor = EditorProcess::initialized(to(&server, "wrong"), json!({})).await;
    let refused = editor.request("session/new", new.clone()).await;
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("PARLOR_API_KEY"), "{refused}");

    let mut command = to(&server, KEY);
    command.args(["--tenant", "other"]);
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let refused = editor.request("session/new", new.clone()).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("belongs to the tenant 'home'"), "{message}");

    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["acp", "--project", "cakes", "--url", &format!("http://{}", server.address())]);
    command.env("PARLOR_API_KEY", KEY);
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let refused = editor.request("session/new", new.clone()).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("no project 'cakes'; known projects: recipes"), "{message}");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["acp", "--project", "recipes", "--url", &format!("http://{nobody}")]);
    command.env("PARLOR_API_KEY", KEY);
    let mut editor = EditorProcess::initialized(command, json!({})).await;
    let refused = editor.request("session/new", new).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("does not answer at http://{nobody}")), "{message}");
    assert_eq!(refused["error"]["data"]["code"], "unavailable");
}

/// What is wrong with the command line is said on standard error, and nothing on standard output.
#[tokio::test]
async fn a_wrong_command_line_is_refused() {
    let (dir, model) = (tempfile::tempdir().unwrap(), ScriptedModel::start().await.unwrap());
    let server = Server::start_with(dir.path(), &model, &tools(), &[]).await;
    let url = format!("http://{}", server.address());
    let refused = async |mut command: Command, why: &str| {
        let output = command.output().await.unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{error}");
        assert!(error.contains(why), "{error}");
    };
    let acp = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.arg("acp").args(arguments).current_dir(dir.path()).env_remove("PARLOR_API_KEY");
        command
    };
    refused(acp(&["--project", "recipes", "--url", &url]), "PARLOR_API_KEY").await;
    refused(acp(&["--project", "recipes", "--url", "ftp://x"]), "such as https://").await;
    refused(acp(&["--project", "../x"]), "a project is").await;
    refused(acp(&["--project", "cakes"]), "known projects: recipes").await;
    refused(acp(&["--project", "recipes", "--tenant", "x"]), "known tenants: home").await;
    // The data directory of a server that runs.
    let command = in_process(dir.path(), &model, &tools());
    refused(command, "--url URL").await;
}
