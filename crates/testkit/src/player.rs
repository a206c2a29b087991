//! Plays a script to one client.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::frame::Frame;
use crate::http::{LAST_CHUNK, chunk, head, read_request};
use crate::record::Record;
use crate::say::Say;
use crate::script::{Script, Step};
use crate::side::side_answer;
use crate::wire::{Wire, wire_of};

/// Serves one connection until the client disconnects or a script breaks it.
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
        let mut wire = wire_of(&request);
        let (is_head, offered) = (request.method == "HEAD", request.offered());
        let script = match side_answer(&request, &*wire, record.for_agents) {
            Some(script) => {
                record.note(request);
                script
            }
            None => record.take(request).with_tools(&offered),
        };
        let played = match is_head {
            true => connection.head(&script).await.map(|()| Ending::Whole),
            false => connection.play(script, &mut *wire).await,
        };
        match played {
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
    /// An error means that the client disconnected.
    async fn play(&mut self, script: Script, wire: &mut dyn Wire) -> io::Result<Ending> {
        let mute = script.bare && matches!(script.steps.first(), Some(Step::Silence));
        if !mute {
            self.head(&script).await?;
            self.send(&script, script.framing.prelude().as_bytes()).await?;
        }
        if !script.bare {
            self.frames(&script, wire.begin(&script)).await?;
        }
        for step in &script.steps {
            if let Step::Reset = step {
                return Ok(Ending::Broken);
            }
            self.step(&script, step, wire).await?;
        }
        if script.ends && !script.bare {
            self.frames(&script, wire.end(&script)).await?;
        }
        self.write.write_all(LAST_CHUNK).await?;
        Ok(Ending::Whole)
    }

    async fn head(&mut self, script: &Script) -> io::Result<()> {
        self.write.write_all(head(script.status, &script.headers).as_bytes()).await
    }

    async fn step(&mut self, script: &Script, step: &Step, wire: &mut dyn Wire) -> io::Result<()> {
        match step {
            Step::Say(say) => self.frames(script, wire.say(say)).await,
            // It was replaced when the tools were known.
            Step::Do { .. } => Ok(()),
            Step::Event(event) => self.frames(script, vec![wire.event(event.clone())]).await,
            Step::Raw(bytes) => self.send(script, bytes).await,
            Step::Refusal { kind, message } => {
                let body = wire.refusal(script.status, kind.as_deref(), message);
                self.send(script, body.to_string().as_bytes()).await
            }
            Step::Delay(delay) => self.unless_left(sleep(*delay)).await,
            Step::Gate(gate) => self.unless_left(gate.pass()).await,
            Step::Steady { count, every, text } => {
                let mut ticks = interval(*every);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
                for number in 0..*count {
                    ticks.tick().await;
                    self.frames(script, wire.say(&Say::Text(text(number)))).await?;
                }
                Ok(())
            }
            Step::Silence => self.unless_left(std::future::pending()).await,
            // Nothing is left to do on a connection that breaks.
            Step::Reset => Ok(()),
        }
    }

    async fn frames(&mut self, script: &Script, frames: Vec<Frame>) -> io::Result<()> {
        for frame in frames {
            self.send(script, script.framing.event(&frame).as_bytes()).await?;
        }
        Ok(())
    }

    async fn send(&mut self, script: &Script, bytes: &[u8]) -> io::Result<()> {
        for piece in script.framing.pieces(bytes) {
            self.write.write_all(&chunk(piece)).await?;
        }
        Ok(())
    }

    /// Waits, and notices if the client disconnects meanwhile. Clients send nothing
    /// during a response, so anything that can be read is the disconnect.
    async fn unless_left(&mut self, wait: impl Future<Output = ()>) -> io::Result<()> {
        let mut byte = [0];
        tokio::select! {
            () = wait => Ok(()),
            _ = self.read.read(&mut byte) => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}
