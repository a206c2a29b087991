//! The load client: opens streams, checks every piece, and measures its latency.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{bail, ensure};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;

use crate::process::{Cpu, others};
use crate::target::{Address, Target};

/// A piece of text with its number and the time when it was sent.
pub(crate) fn stamp(number: u64) -> String {
    format!("@{number}:{}@ and a few ordinary words ", now().as_nanos())
}

/// The current time, on a clock that all processes of this machine share.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// How clients connect.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Door {
    /// A POST that is answered with an event stream.
    Stream,
    /// A WebSocket.
    Socket,
}

/// The number of streams, and of pieces in each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) door: Door,
    pub(crate) streams: usize,
    pub(crate) pieces: u64,
}

/// The results of one round.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) events: u64,
    pub(crate) took: Duration,
    pub(crate) cpu: Duration,
    pub(crate) others: f64,
    pub(crate) latencies: Vec<Duration>,
    pub(crate) first: Vec<Duration>,
    pub(crate) memory_kb: u64,
}

impl Load {
    pub(crate) async fn run(self, target: &mut Target) -> anyhow::Result<Round> {
        let (cpu, machine, start) = (Cpu::of(target.pid())?, others()?, Instant::now());
        let mut streams = Vec::new();
        for _ in 0..self.streams {
            let pieces = self.pieces;
            streams.push(match self.door {
                Door::Stream => tokio::spawn(read_stream(target.chat(), pieces)),
                Door::Socket => tokio::spawn(read_socket(target.socket(""), pieces)),
            });
            // The starts of the streams are spread over one interval.
            tokio::time::sleep(crate::EVERY / self.streams as u32).await;
        }
        let (mut latencies, mut first) = (Vec::new(), Vec::new());
        for stream in streams {
            let seen = stream.await??;
            first.push(seen.first);
            latencies.extend(seen.latencies);
        }
        latencies.sort();
        first.sort();
        let took = start.elapsed();
        let used = Cpu::of(target.pid())?.since(&cpu);
        Ok(Round {
            events: latencies.len() as u64,
            took,
            cpu: used,
            others: others()?.busy_since(&machine, took) - used.as_secs_f64() / took.as_secs_f64(),
            latencies,
            first,
            memory_kb: crate::process::memory_kb(target.pid())?,
        })
    }
}

/// What one client has received. Every piece must come once and in order.
pub(crate) struct Seen {
    asked: Instant,
    pieces: u64,
    text: String,
    pub(crate) first: Duration,
    /// Of each piece, in order.
    pub(crate) latencies: Vec<Duration>,
    /// When each piece was sent.
    pub(crate) sent: Vec<Duration>,
}

impl Seen {
    pub(crate) fn new(pieces: u64) -> Self {
        Self {
            asked: Instant::now(),
            pieces,
            text: String::new(),
            first: Duration::ZERO,
            latencies: Vec::with_capacity(pieces as usize),
            sent: Vec::with_capacity(pieces as usize),
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.latencies.len() as u64 == self.pieces
    }

    pub(crate) fn take(&mut self, text: &str) -> anyhow::Result<()> {
        self.text.push_str(text);
        let now = now();
        while let Some((number, sent, rest)) = next_stamp(&self.text) {
            // The finished message repeats the whole text; it is not counted.
            if number == self.latencies.len() as u64 && number < self.pieces {
                if number == 0 {
                    self.first = self.asked.elapsed();
                }
                self.latencies.push(now.saturating_sub(Duration::from_nanos(sent)));
                self.sent.push(Duration::from_nanos(sent));
            } else {
                let (so_far, pieces) = (self.latencies.len(), self.pieces);
                ensure!(self.is_whole(), "piece {number} came after {so_far} of {pieces}: {text}");
            }
            self.text.drain(..rest);
        }
        Ok(())
    }

    pub(crate) fn end(self) -> anyhow::Result<Self> {
        ensure!(self.is_whole(), "{} of {} came", self.latencies.len(), self.pieces);
        Ok(self)
    }
}

/// Reads one stream to its end.
async fn read_stream(request: reqwest::RequestBuilder, pieces: u64) -> anyhow::Result<Seen> {
    let mut seen = Seen::new(pieces);
    let mut response = open(request).await?;
    while let Some(chunk) = response.chunk().await? {
        seen.take(&String::from_utf8_lossy(&chunk))?;
    }
    seen.end()
}

/// Sends a request that is answered with a stream.
pub(crate) async fn open(request: reqwest::RequestBuilder) -> anyhow::Result<reqwest::Response> {
    let response = request.send().await?;
    let status = response.status();
    if !status.is_success() {
        bail!("the answer is {status}: {}", response.text().await?);
    }
    Ok(response)
}

/// Sends one message over a WebSocket, and reads until the answer is complete.
async fn read_socket(door: Address, pieces: u64) -> anyhow::Result<Seen> {
    let mut seen = Seen::new(pieces);
    let mut socket = door.open().await?;
    let steady = format!("steady {pieces} {}", crate::EVERY.as_millis());
    socket.send(Message::text(serde_json::json!({"message": steady}).to_string())).await?;
    while !seen.is_whole() {
        let Some(frame) = socket.next().await else { break };
        if let Message::Text(text) = frame? {
            seen.take(&text)?;
        }
    }
    seen.end()
}

/// The first complete stamp in a text: its number, its time, and where it ends.
fn next_stamp(text: &str) -> Option<(u64, u64, usize)> {
    let start = text.find('@')? + 1;
    let end = start + text[start..].find('@')?;
    let (number, sent) = text[start..end].split_once(':')?;
    Some((number.parse().ok()?, sent.parse().ok()?, end + 1))
}
