//! A server on the other end of two pipes: one JSON message in a line.
//!
//! What cannot be a message is noise, as of programs that greet on standard
//! output, and is skipped. What begins like one and is none may have been the
//! answer to a call: then the connection is over, and whoever waits is told,
//! instead of waiting for an answer that was lost.

use std::io;

use parlor_process::Budget;
use rmcp::RoleClient;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};

use super::task_support;
use super::transport::{Ending, LARGEST_MESSAGE};

/// Messages that wait for a server that is slow to read.
const WAITING: usize = 16;
/// What is read in a second; a program that writes more is slowed down.
const BYTES_PER_SECOND: usize = 64 << 20;

/// The transport over two pipes.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Gone when the transport is closed; then the writer closes its pipe.
    writer: Option<mpsc::Sender<Outgoing>>,
    ending: Ending,
    budget: Budget,
    /// Was read, and not yet taken from the budget.
    unpaid: usize,
}

/// A line, and whom to tell that it is written.
type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

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
        let (outgoing, queue) = mpsc::channel(WAITING);
        tokio::spawn(write(writer, queue));
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            line: Vec::new(),
            writer: Some(outgoing),
            ending,
            budget: Budget::new(BYTES_PER_SECOND),
            unpaid: 0,
        }
    }

    /// Reads up to the end of a line. Who is dropped in between goes on later
    /// where it was: what was read is kept in `self.line`.
    async fn read_line(&mut self) -> Result<Vec<u8>, Option<&'static str>> {
        loop {
            // Before reading and not after: nothing is lost if it is given up here.
            self.budget.take(std::mem::take(&mut self.unpaid)).await;
            let piece = self.reader.fill_buf().await.map_err(|_| None)?;
            if piece.is_empty() {
                return Err(None);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            if self.line.len() + length > LARGEST_MESSAGE {
                return Err(Some("it sent a message that is too long"));
            }
            self.line.extend_from_slice(&piece[..length]);
            self.reader.consume(length);
            self.unpaid += length;
            if end.is_some() {
                return Ok(std::mem::take(&mut self.line));
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
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let (done, written) = oneshot::channel();
            let writer = writer.ok_or(io::ErrorKind::BrokenPipe)?;
            writer.send((line, done)).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
            written.await.map_err(|_| io::ErrorKind::BrokenPipe)?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let problem = match self.read_line().await {
                Ok(line) => match read(&line) {
                    Line::Message(message) => return Some(*message),
                    Line::Skip => continue,
                    Line::Broken(why) => Some(why),
                },
                Err(why) => why,
            };
            self.ending.set(problem);
            return None;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.writer = None;
        Ok(())
    }
}

/// Writes lines one after the other, each to its end, until nobody sends any more.
async fn write(mut pipe: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some((line, done)) = queue.recv().await {
        let written = async {
            pipe.write_all(&line).await?;
            pipe.flush().await
        };
        let result = written.await;
        let failed = result.is_err();
        let _nobody_waits = done.send(result);
        if failed {
            return;
        }
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
        Ok(value) => stranger(&value),
        Err(_) => Line::Broken("it sent a message that is not JSON"),
    }
}

/// JSON that is no message of the protocol. If it answers something, whoever
/// asked gets an error; anything else is none of our business.
fn stranger(value: &Value) -> Line {
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

    /// FAULTS 4: noise is skipped, a lost answer ends the connection.
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

    /// A message that is dropped on the way while it is read is not lost.
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
