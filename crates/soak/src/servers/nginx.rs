//! nginx before several nodes: plain round-robin, without sticky sessions and without buffers.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;

use rustix::process::Signal;

use super::server::Server;
use super::{folder_of, program};
use crate::process::free_port;

const PROGRAM: &str = "TEST_NGINX";

/// The proxy.
pub(crate) struct Proxy {
    server: Server,
    pub(crate) port: u16,
}

impl Proxy {
    /// Chooses a port; the nodes have to know it before the proxy starts.
    pub(crate) fn prepare(folder: &Path) -> anyhow::Result<Self> {
        let (program, folder) = (program(PROGRAM)?, folder_of(folder, "nginx")?);
        let port = free_port()?;
        let arguments = ["-p", ".", "-c", "nginx.conf", "-e", "stderr"].map(str::to_owned).to_vec();
        let answers = Box::new(move || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        let server = Server { name: "nginx", program, arguments, folder, answers, process: None };
        Ok(Self { server, port })
    }

    /// Starts it before these nodes.
    pub(crate) async fn start(&mut self, nodes: &[u16]) -> anyhow::Result<()> {
        fs::write(self.server.folder.join("nginx.conf"), configuration(self.port, nodes))?;
        self.server.start().await
    }

    pub(crate) async fn stop(&mut self) {
        self.server.stop(Signal::TERM).await;
    }
}

/// A request goes to the next node only if a node refuses the connection, or if it is a GET: nginx
/// does not repeat a POST that was sent.
fn configuration(port: u16, nodes: &[u16]) -> String {
    let nodes: String = nodes
        .iter()
        .map(|node| format!("        server 127.0.0.1:{node} max_fails=1 fail_timeout=1s;\n"))
        .collect();
    format!(
        "daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events {{
    worker_connections 1024;
}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    upstream nodes {{
{nodes}    }}
    map $http_upgrade $connection_upgrade {{
        default upgrade;
        '' '';
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://nodes;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_buffering off;
            proxy_connect_timeout 1s;
            proxy_read_timeout 60s;
            proxy_next_upstream error;
        }}
    }}
}}
"
    )
}
