//! Just enough of HTTP/1.1 for the requests of model clients.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;

use crate::record::RecordedRequest;

/// The largest body that is read.
const LARGEST_BODY: usize = 64 << 20;

/// Reads the next request; `None` if the client disconnected.
pub(crate) async fn read_request(
    from: &mut BufReader<OwnedReadHalf>,
) -> io::Result<Option<RecordedRequest>> {
    let mut line = String::new();
    if from.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        from.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if length > LARGEST_BODY {
        return Err(io::Error::other("the request is too large"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).await?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(RecordedRequest { method, path, headers, body }))
}

/// The head of a chunked response.
pub(crate) fn head(status: u16, headers: &[(String, String)]) -> String {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\ntransfer-encoding: chunked\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head
}

/// One chunk of a body. An empty one would end it, and must not be written.
pub(crate) fn chunk(piece: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend_from_slice(piece);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// The end of a body.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
