//! A login page that a person opens in a browser on this machine: the address is printed, and a
//! listener on this machine waits until the browser is sent back.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use parlor_mcp::LoginPage;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

const PATH: &str = "/callback";
/// The longest request of a browser that is read.
const MAX_REQUEST: usize = 16 << 10;
const READ_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Cache-Control: no-store\r\nConnection: close\r\n\r\n\
    This page can be closed; the terminal says how it went.\n";
const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Waits for a browser on this machine.
#[derive(Debug, Clone)]
pub(super) struct LocalPage {
    listener: Arc<TcpListener>,
    own: String,
}

impl LocalPage {
    /// Listens on a free port of this machine.
    pub(super) async fn listen() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let own = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
        Ok(Self { listener: Arc::new(listener), own })
    }

    /// The address that the browser was sent back to.
    async fn sent_back(self) -> Result<String, String> {
        loop {
            let (stream, _) = self.listener.accept().await.map_err(|error| error.to_string())?;
            if let Ok(Some(path)) = timeout(READ_TIMEOUT, answered(stream)).await {
                return Ok(format!("{}{path}", self.own));
            }
        }
    }
}

/// Answers a request; returns its path if it is the one that is waited for.
async fn answered(mut stream: TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.windows(2).any(|end| end == b"\r\n") {
        let read = stream.read_buf(&mut request).await.ok()?;
        if read == 0 || request.len() > MAX_REQUEST {
            return None;
        }
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.strip_prefix("GET ")?.split(' ').next()?;
    let is_ours = path.strip_prefix(PATH).is_some_and(|rest| rest.starts_with('?'));
    let answer = if is_ours { ANSWER } else { NOT_FOUND };
    // A browser that does not wait for the answer has told what it had to.
    let _told = stream.write_all(answer.as_bytes()).await;
    let _closed = stream.shutdown().await;
    is_ours.then(|| path.to_owned())
}

impl LoginPage for LocalPage {
    fn redirect_uri(&self) -> String {
        format!("{}{PATH}", self.own)
    }

    fn open(
        &self,
        address: String,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<String, String>> + Send>> {
        eprintln!("log in at {address}");
        Box::pin(self.clone().sent_back())
    }
}
