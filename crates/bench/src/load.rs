//! The load client: opens streams, checks every piece, notes how late it is.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::ensure;
use futures_util::StreamExt;

use crate::process::{Cpu, others};
use crate::target::Target;

/// All moments are counted from here; upstream and client are one process.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A piece that says which one it is, and when it was sent.
pub(crate) fn stamp(number: u64) -> String {
    format!("@{number}:{}@ and a few ordinary words ", START.elapsed().as_nanos())
}

/// So many streams with so many pieces each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) streams: usize,
    pub(crate) pieces: u64,
}

/// What a round showed.
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
            let request = target.chat();
            let pieces = self.pieces;
            streams.push(tokio::spawn(async move { read(request, pieces).await }));
            // Streams begin spread over one interval, as people do.
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

struct Seen {
    first: Duration,
    latencies: Vec<Duration>,
}

/// Reads one stream to its end. Every piece must come once and in order.
async fn read(request: reqwest::RequestBuilder, pieces: u64) -> anyhow::Result<Seen> {
    let asked = Instant::now();
    let response = request.send().await?;
    ensure!(response.status().is_success(), "the answer is {}", response.status());
    let mut body = response.bytes_stream();
    let mut seen = Seen { first: Duration::ZERO, latencies: Vec::with_capacity(pieces as usize) };
    let mut text = String::new();
    while let Some(chunk) = body.next().await {
        text.push_str(&String::from_utf8_lossy(&chunk?));
        let now = START.elapsed();
        while let Some((number, sent, rest)) = next_stamp(&text) {
            // The finished message repeats the whole text; it is not counted.
            if number == seen.latencies.len() as u64 && number < pieces {
                if number == 0 {
                    seen.first = asked.elapsed();
                }
                seen.latencies.push(now.saturating_sub(Duration::from_nanos(sent)));
            } else {
                ensure!(
                    seen.latencies.len() as u64 == pieces,
                    "piece {number} came after {} of {pieces}",
                    seen.latencies.len()
                );
            }
            text.drain(..rest);
        }
    }
    ensure!(seen.latencies.len() as u64 == pieces, "{} of {pieces} came", seen.latencies.len());
    Ok(seen)
}

/// The first complete stamp of a text: number, moment, and where it ends.
fn next_stamp(text: &str) -> Option<(u64, u64, usize)> {
    let start = text.find('@')? + 1;
    let end = start + text[start..].find('@')?;
    let (number, sent) = text[start..end].split_once(':')?;
    Some((number.parse().ok()?, sent.parse().ok()?, end + 1))
}
