//! Third-party servers by the authors of the protocol, from npm, with a lock file:
//! `server-everything` over both transports, and `server-filesystem` for previews.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use parlor_agent::ContentBlock;
use parlor_agent::tools::{ElicitationReply, ToolEvent, ToolOutcome, Tools};
use parlor_mcp::McpHost;
use serde_json::{Value, json};

use crate::npm::install;

use super::{begin, call, host, next, ready, text, until};

const EVERYTHING: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const FILES: &str = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

/// The server that has one of everything.
async fn program() -> PathBuf {
    install("mcp/third_party").await.join(EVERYTHING)
}

/// The filesystem server.
pub(crate) async fn file_server() -> PathBuf {
    install("mcp/third_party").await.join(FILES)
}

/// M-1: a third-party server over standard input and output.
#[tokio::test]
async fn a_server_by_others_works_over_pipes() {
    let program = program().await;
    let host = host(&[("everything", json!({"command": "node", "args": [program, "stdio"]}))]);
    use_it(&host).await;
    // B-2: its environment, as a third-party program sees it.
    let seen: Value =
        serde_json::from_str(&text(&host, "everything_get-env", json!({})).await).unwrap();
    let may = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ"];
    assert!(seen.as_object().unwrap().keys().all(|name| may.contains(&name.as_str())), "{seen}");
}

/// M-1: the same server over streamable HTTP.
#[tokio::test]
async fn a_server_by_others_works_over_http() {
    let program = program().await;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let _server = Running::start(&program, port);
    until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let settings = json!({"url": url, "allow_private_addresses": true});
    use_it(&host(&[("everything", settings)])).await;
}

async fn use_it(host: &McpHost) {
    ready(host, "everything").await;
    assert_eq!(text(host, "everything_echo", json!({"message": "hello"})).await, "Echo: hello");
    let sum = text(host, "everything_get-sum", json!({"a": 2, "b": 3})).await;
    assert!(sum.contains('5'), "{sum}");
    let picture = call(host, "everything_get-tiny-image", json!({})).await;
    let ToolOutcome::Answered { content, .. } = &picture else { panic!("{picture:?}") };
    let is_png = |block: &ContentBlock| matches!(block, ContentBlock::Image { media_type, .. } if media_type == "image/png");
    assert!(content.iter().any(is_png), "{content:?}");
    let wrong = call(host, "everything_get-sum", json!({"a": "two"})).await;
    assert!(matches!(wrong, ToolOutcome::Answered { is_error: true, .. }), "{wrong:?}");
    // It adds this tool, with `list_changed`, once it knows that the client can ask people.
    let asks = "everything_trigger-elicitation-request";
    until("it adds a tool", || host.list().iter().any(|tool| tool.spec.name == asks)).await;
    let mut asking = begin(host, asks, json!({}));
    let ToolEvent::Elicitation { schema, reply, .. } = next(&mut asking).await else {
        panic!("it asks")
    };
    assert_eq!(schema["properties"]["email"]["format"], "email");
    reply.send(ElicitationReply::Accept(json!({"name": "Ana"}))).unwrap();
    let ToolEvent::Done(outcome) = next(&mut asking).await else { panic!("it ends") };
    assert!(super::words(&outcome).unwrap().contains("Ana"), "{outcome:?}");
}

/// The server as a process of its own, on a port.
struct Running(Child);

impl Running {
    fn start(program: &Path, port: u16) -> Self {
        let mut node = Command::new("node");
        node.arg(program).arg("streamableHttp").env("PORT", port.to_string());
        Self(node.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}
