//! Requests that no well-behaved client would send.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::test_app::{PATIENCE, TestApp};

/// Sends bytes and reads until the server closes the connection.
pub(crate) async fn exchange(app: &TestApp, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(request).await.unwrap();
    read_to_end(&mut stream).await
}

pub(crate) async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset after the response counts as the end.
    let _end = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("it hangs");
    String::from_utf8_lossy(&answer).into_owned()
}

/// A request with exactly these header lines.
pub(crate) async fn request(app: &TestApp, line: &str, headers: &[&str]) -> String {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    exchange(app, format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").as_bytes()).await
}
