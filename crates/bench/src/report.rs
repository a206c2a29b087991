//! Prints the results, Parlor beside the pass-through.

use std::time::Duration;

use crate::held::Held;
use crate::load::Round;
use crate::process::memory_kb;
use crate::target::Target;

pub(crate) fn start(binary: &str, parlor: &Target, disk: Duration) -> anyhow::Result<()> {
    let size = std::fs::metadata(binary)?.len() as f64 / 1e6;
    println!("binary {size:.1} MB, cold start {:.0?}", parlor.cold_start);
    println!("idle memory {:.1} MB", memory_kb(parlor.pid())? as f64 / 1e3);
    println!("one wait for the disk {disk:.1?}: a turn's first token has one behind it");
    Ok(())
}

/// Prints the title and the header of a table.
pub(crate) fn table(title: &str) {
    println!("\n{title}");
    println!(
        "{:<10} {:<12} {:>9} {:>10} {:>10} {:>10} {:>12} {:>8} {:>8}",
        "streams", "", "events/s", "µs/event", "p50", "p99", "first token", "RSS MB", "others"
    );
}

/// A round of Parlor, relative to the same round of the pass-through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    streams: usize,
    cpu: f64,
    p99: f64,
    first_token_ms: f64,
}

pub(crate) fn round(streams: usize, bare: &Round, parlor: &Round) -> Ratio {
    row(streams, "pass-through", bare);
    row(streams, "parlor", parlor);
    let times = |ours: f64, theirs: f64| if theirs > 0.0 { ours / theirs } else { f64::NAN };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = Ratio {
        streams,
        cpu: times(cpu_per_event(parlor), cpu_per_event(bare)),
        p99: times(ms(at(&parlor.latencies, 99)), ms(at(&bare.latencies, 99))),
        first_token_ms: ms(at(&parlor.first, 50)) - ms(at(&bare.first, 50)),
    };
    ratio.print("ratio");
    ratio
}

/// Prints the median of rounds that were repeated.
pub(crate) fn middle(mut ratios: Vec<Ratio>) {
    while let Some(Ratio { streams, .. }) = ratios.last().copied() {
        let (same, others): (Vec<_>, Vec<_>) =
            ratios.into_iter().partition(|ratio| ratio.streams == streams);
        ratios = others;
        let middle = |figure: fn(&Ratio) -> f64| {
            let mut figures: Vec<f64> = same.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        if same.len() > 1 {
            let (cpu, p99) = (middle(|ratio| ratio.cpu), middle(|ratio| ratio.p99));
            let first_token_ms = middle(|ratio| ratio.first_token_ms);
            Ratio { streams, cpu, p99, first_token_ms }.print(&format!("middle of {}", same.len()));
        }
    }
}

impl Ratio {
    fn print(&self, name: &str) {
        let Self { streams, cpu, p99, first_token_ms } = self;
        println!(
            "{streams:<10} {name:<12} CPU × {cpu:.2}, p99 × {p99:.2}, first token + {first_token_ms:.1} ms"
        );
    }
}

pub(crate) fn held(held: &Held) {
    println!("{} held {}: {:.1} KB each", held.count, held.what, held.kb_each);
}

fn row(streams: usize, name: &str, round: &Round) {
    println!(
        "{streams:<10} {name:<12} {:>9.0} {:>10.1} {:>10.1?} {:>10.1?} {:>12.1?} {:>8.1} {:>8.2}",
        round.events as f64 / round.took.as_secs_f64(),
        cpu_per_event(round),
        at(&round.latencies, 50),
        at(&round.latencies, 99),
        at(&round.first, 50),
        round.memory_kb as f64 / 1e3,
        round.others,
    );
}

fn cpu_per_event(round: &Round) -> f64 {
    round.cpu.as_secs_f64() * 1e6 / round.events.max(1) as f64
}

/// The duration below which so many percent are.
pub(crate) fn at(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or_default()
}
