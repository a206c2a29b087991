//! The server behind real reverse proxies, with the files of `deploy/proxies`.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use parlor_testkit::{Gate, Script, proxies};
use reqwest::Client;
use reqwest::redirect::Policy;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::server_process::free_port;
use crate::sockets::{HOME, Socket};
use crate::streams::Events;
use crate::test_app::{ADMIN_KEY, PASSWORD, PATIENCE, Settings, TestApp, refusal};

const NGINX: &str = include_str!("../../../../deploy/proxies/nginx.conf");
const CADDY: &str = include_str!("../../../../deploy/proxies/Caddyfile");
const HAPROXY: &str = include_str!("../../../../deploy/proxies/haproxy.cfg");

/// The address of the server in those files.
const SERVER: &str = "127.0.0.1:8787";

/// A proxy that runs, in a folder of its own.
struct Proxy {
    process: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Proxy {
    /// Starts the program in a folder with this file.
    fn start(program: PathBuf, file: &str, text: &str, arguments: &[&str], port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), text).unwrap();
        let process = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .env("XDG_DATA_HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, address: SocketAddr::from(([127, 0, 0, 1], port)), _folder: folder }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        let _ended = pid.map(|pid| kill_process(pid, Signal::TERM));
        let _waited = self.process.wait();
    }
}

/// The text with another in place of one that must be there.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "the file has no more {old:?}");
    text.replace(old, new)
}

/// nginx with the file, without TLS: O-5, H-2, W-1.
#[tokio::test]
async fn nginx_passes_everything_on() {
    let Some(program) = proxies::nginx() else { return };
    behind(|port, server| {
        let text = replaced(NGINX, SERVER, server);
        let text = replaced(&text, "listen 443 ssl", &format!("listen 127.0.0.1:{port}"));
        let text: String =
            text.lines().filter(|line| !line.contains("ssl_")).flat_map(|line| [line, "\n"]).collect();
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let paths: String = kinds.iter().map(|kind| format!("{kind}_temp_path {kind};\n")).collect();
        let text = format!(
            "daemon off;\npid nginx.pid;\nerror_log stderr crit;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{text}}}\n"
        );
        let arguments = ["-p", ".", "-c", "nginx.conf", "-e", "stderr"];
        Proxy::start(program, "nginx.conf", &text, &arguments, port)
    })
    .await;
}

/// Caddy with the file, without TLS: O-5, H-2, W-1.
#[tokio::test]
async fn caddy_passes_everything_on() {
    let Some(program) = proxies::caddy() else { return };
    behind(|port, server| {
        let text = replaced(CADDY, SERVER, server);
        let text = replaced(&text, "chat.example.org {", &format!("http://127.0.0.1:{port} {{"));
        let text = format!("{{\n\tadmin off\n\tauto_https off\n}}\n{text}");
        let arguments = ["run", "--config", "Caddyfile", "--adapter", "caddyfile"];
        Proxy::start(program, "Caddyfile", &text, &arguments, port)
    })
    .await;
}

/// `HAProxy` with the file, without TLS: O-5, H-2, W-1.
#[tokio::test]
async fn haproxy_passes_everything_on() {
    let Some(program) = proxies::haproxy() else { return };
    behind(|port, server| {
        let text = replaced(HAPROXY, SERVER, server);
        let tls = ":443 ssl crt /etc/ssl/chat.example.org.pem";
        let text = replaced(&text, tls, &format!("127.0.0.1:{port}"));
        Proxy::start(program, "haproxy.cfg", &text, &["-db", "-f", "haproxy.cfg"], port)
    })
    .await;
}

/// What people do, through a proxy: log in, read text while it streams, talk over a WebSocket, send a
/// large body.
async fn behind(start: impl FnOnce(u16, &str) -> Proxy) {
    let port = free_port();
    let more = format!(
        "[server]\npublic_url = \"http://127.0.0.1:{port}\"\ntrusted_proxies = [\"127.0.0.1\"]"
    );
    let app = TestApp::configured(Settings { more: &more, ..Settings::default() }).await;
    let proxy = start(port, &app.address.to_string());
    let url = |path: &str| format!("http://{}{path}", proxy.address);
    let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    ready(&client, &url("/readyz")).await;

    let form = format!("password={}", PASSWORD.replace(' ', "+"));
    let login = client
        .post(url("/login"))
        .header("content-type", "application/x-www-form-urlencoded")
        .header("origin", url(""))
        .body(form);
    assert_eq!(login.send().await.unwrap().status(), 303, "a person logs in");

    let message = |body: String| {
        let request = client.post(url("/api/chat")).header("x-api-key", ADMIN_KEY);
        request.header("content-type", "application/json").body(body).send()
    };
    let gate = Gate::closed();
    app.model.push(Script::answer().text("so far").gate(&gate).text(" and more"));
    let mut events = Events::of(message(json!({"message": "hello"}).to_string()).await.unwrap());
    assert_eq!(events.find("chunk").await.data["text"], "so far", "before the rest is written");
    gate.release(1);
    assert_eq!(events.rest().await.last().unwrap().name, "done");

    let mut socket = Socket::at(proxy.address, HOME, &[("x-api-key", ADMIN_KEY)]).await.unwrap();
    socket.send(&json!({"message": "hello"})).await;
    while socket.next().await.expect("the proxy closed the socket")["type"] != "done" {}

    // It is ours to refuse, not the proxy's.
    let picture = json!({"message": "look", "image": {"data": "A".repeat(5_000_000), "media_type": "image/png"}});
    let (status, code) = refusal(message(picture.to_string()).await.unwrap()).await;
    assert!(status == 400 && code.contains("image"), "{status} {code}");
}

/// Waits until the proxy has found the server.
async fn ready(client: &Client, url: &str) {
    let answers = async {
        while !client.get(url).send().await.is_ok_and(|answer| answer.status() == 200) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, answers).await.expect("the proxy does not answer");
}
