//! A server behind two pipes: one JSON message per line.
//!
//! A line that cannot be a message, such as a greeting on standard output, is skipped. A line that
//! begins like a message but cannot be parsed may have been the response to a call: then the
//! connection is closed, so that no call waits for a lost response.

use std::io;

use parlor_process::{LineError, LineReader, LineWriter};
use rmcp::RoleClient;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use super::task_support;
use super::transport::{Ending, LARGEST_MESSAGE};

/// The capacity of the queue for a server that reads slowly.
const WAITING: usize = 16;

/// The transport over two pipes.
pub(super) struct Lines<R> {
    reader: LineReader<R>,
    /// Dropped when the transport is closed; that closes the pipe.
    writer: Option<LineWriter>,
    ending: Ending,
}

/// What a line turned out to be.
#[derive(Debug)]
enum Line {
    Message(Box<ServerJsonRpcMessage>),
    Skip,
    Broken(&'static str),
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Starts the task that writes.
    pub(super) fn new(
        reader: R,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        ending: Ending,
    ) -> Self {
        Self {
            reader: LineReader::new(reader, LARGEST_MESSAGE),
            writer: Some(LineWriter::new(writer, WAITING)),
            ending,
        }
    }

    /// The next message, or why there are no more, if there is a reason to report.
    async fn next_message(&mut self) -> Result<ServerJsonRpcMessage, Option<&'static str>> {
        loop {
            let line = match self.reader.next().await {
                Ok(Some(line)) => line,
                Err(LineError::TooLong(_)) => {
                    return Err(Some("it sent a message that is too long"));
                }
                Ok(None) | Err(LineError::Unfinished | LineError::Unreadable(_)) => {
                    return Err(None);
                }
            };
            match read(&line) {
                Line::Message(message) => return Ok(*message),
                Line::Skip => {}
                Line::Broken(why) => return Err(Some(why)),
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleClient> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let writer = self.writer.clone();
        async move {
            let writer = writer.ok_or(io::ErrorKind::BrokenPipe)?;
            writer.send(serde_json::to_vec(&message)?).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        match self.next_message().await {
            Ok(message) => Some(message),
            Err(why) => {
                self.ending.set(why);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.writer = None;
        Ok(())
    }
}

fn read(line: &[u8]) -> Line {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    let is_object =
        line.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    if !is_object {
        return Line::Skip;
    }
    if std::str::from_utf8(line).is_err() {
        return Line::Broken("it sent a message that is not UTF-8");
    }
    if let Ok(message) = serde_json::from_slice(&task_support::marked(line)) {
        return Line::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(value) => foreign(&value),
        Err(_) => Line::Broken("it sent a message that is not JSON"),
    }
}

/// Handles JSON that is not a message of the protocol. If it has the id of a request, that request
/// fails; anything else is skipped.
fn foreign(value: &Value) -> Line {
    let id: Option<RequestId> =
        value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match id {
        Some(id) if value.get("method").is_none() => {
            let error = ErrorData::internal_error("the answer could not be read", None);
            Line::Message(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
        }
        _ => Line::Skip,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn sort(line: &str) -> &'static str {
        match read(line.as_bytes()) {
            Line::Message(message) => match *message {
                ServerJsonRpcMessage::Response(_) => "response",
                ServerJsonRpcMessage::Error(_) => "error",
                ServerJsonRpcMessage::Request(_) => "request",
                ServerJsonRpcMessage::Notification(_) => "notification",
            },
            Line::Skip => "skip",
            Line::Broken(_) => "broken",
        }
    }

    /// FAULTS 4: a line that is not a message is skipped, a lost response closes the connection.
    #[test]
    fn lines_are_told_apart() {
        for (line, sorted) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "response"),
            ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n", "response"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, "error"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request"),
            (r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":1,"error":"wrong"}"#, "error"),
            (r#"{"level":"info","message":"started"}"#, "skip"),
            ("Server running on stdio", "skip"),
            ("{'printed': 'by Python'}", "skip"),
            ("", "skip"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":["#, "broken"),
            (r#"{ "jsonrpc":"2.0","id":1,"result":nothing}"#, "broken"),
        ] {
            assert_eq!(sort(line), sorted, "{line}");
        }
        assert!(matches!(read(b"{\"id\":1,\"result\":\"\xff\"}"), Line::Broken(_)));
        let deep = format!("{{\"id\":1,\"result\":{}", "[".repeat(100_000));
        assert_eq!(sort(&deep), "broken");
    }

    /// Reading is cancel-safe: a message that was read in part is not lost.
    #[tokio::test]
    async fn a_read_that_was_given_up_goes_on_later() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut lines = Lines::new(ours, tokio::io::sink(), Ending::default());
        theirs.write_all(br#"{"jsonrpc":"2.0","id":1,"#).await.unwrap();
        tokio::select! {
            biased;
            _ = lines.receive() => panic!("there is no whole line yet"),
            () = tokio::task::yield_now() => {}
        }
        theirs.write_all(b"\"result\":{}}\n").await.unwrap();
        assert!(matches!(lines.receive().await, Some(ServerJsonRpcMessage::Response(_))));
        drop(theirs);
        assert!(lines.receive().await.is_none());
    }
}
