//! Plays a script to one client.

use std::io;
use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::http::{LAST_CHUNK, chunk, head, read_request};
use crate::record::Record;
use crate::script::{Script, Step};

/// Serves one connection until the client leaves or a script breaks it.
pub(crate) async fn serve(stream: TcpStream, record: Arc<Record>) {
    record.counts.send_modify(|counts| {
        counts.accepted += 1;
        counts.open += 1;
    });
    // A drop guard: the server may also be dropped under its connections.
    let _open = OpenConnection(Arc::clone(&record));
    let (read, write) = stream.into_split();
    let mut connection = Connection { read: BufReader::new(read), write };
    while let Ok(Some(request)) = read_request(&mut connection.read).await {
        let script = record.take(request).finished();
        match connection.play(script).await {
            Ok(Ending::Whole) => {}
            Ok(Ending::Broken) => {
                // Without lingering the client gets a reset, not an end.
                if let Ok(stream) = connection.read.into_inner().reunite(connection.write) {
                    let _ = stream.set_zero_linger();
                }
                return;
            }
            Err(_) => {
                record.counts.send_modify(|counts| counts.left += 1);
                return;
            }
        }
    }
}

struct OpenConnection(Arc<Record>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.open -= 1);
    }
}

enum Ending {
    Whole,
    Broken,
}

struct Connection {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
}

impl Connection {
    /// An error means that the client has left.
    async fn play(&mut self, script: Script) -> io::Result<Ending> {
        if !matches!(script.steps.first(), Some(Step::Silence)) {
            self.write.write_all(head(script.status, &script.headers).as_bytes()).await?;
            self.send(&script, script.framing.prelude().as_bytes()).await?;
        }
        for step in &script.steps {
            match step {
                Step::Event(event) => {
                    self.send(&script, script.framing.event(event).as_bytes()).await?;
                }
                Step::Raw(bytes) => self.send(&script, bytes).await?,
                Step::Delay(delay) => self.unless_left(sleep(*delay)).await?,
                Step::Gate(gate) => self.unless_left(gate.pass()).await?,
                Step::Steady { count, every, text } => {
                    let mut ticks = interval(*every);
                    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
                    for number in 0..*count {
                        ticks.tick().await;
                        let delta = json!({"type": "text_delta", "text": text(number)});
                        let event =
                            json!({"type": "content_block_delta", "index": 0, "delta": delta});
                        self.send(&script, script.framing.event(&event).as_bytes()).await?;
                    }
                }
                Step::Silence => self.unless_left(std::future::pending()).await?,
                Step::Reset => return Ok(Ending::Broken),
            }
        }
        self.write.write_all(LAST_CHUNK).await?;
        Ok(Ending::Whole)
    }

    async fn send(&mut self, script: &Script, bytes: &[u8]) -> io::Result<()> {
        for piece in script.framing.pieces(bytes) {
            self.write.write_all(&chunk(piece)).await?;
        }
        Ok(())
    }

    /// Waits, and notices if the client goes meanwhile. Clients send nothing
    /// while an answer runs, so whatever can be read is their leaving.
    async fn unless_left(&mut self, wait: impl Future<Output = ()>) -> io::Result<()> {
        let mut byte = [0];
        tokio::select! {
            () = wait => Ok(()),
            _ = self.read.read(&mut byte) => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}
