//! Prints what was measured, Parlor beside the pass-through.

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

/// What the columns are.
pub(crate) fn table(title: &str) {
    println!("\n{title}");
    println!(
        "{:<10} {:<12} {:>9} {:>10} {:>10} {:>10} {:>12} {:>8} {:>8}",
        "streams", "", "events/s", "µs/event", "p50", "p99", "first token", "RSS MB", "others"
    );
}

pub(crate) fn round(streams: usize, bare: &Round, parlor: &Round) {
    row(streams, "pass-through", bare);
    row(streams, "parlor", parlor);
    let times = |ours: f64, theirs: f64| if theirs > 0.0 { ours / theirs } else { f64::NAN };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{streams:<10} {:<12} CPU × {:.2}, p99 × {:.2}, first token + {:.1} ms",
        "ratio",
        times(cpu_per_event(parlor), cpu_per_event(bare)),
        times(ms(at(&parlor.latencies, 99)), ms(at(&bare.latencies, 99))),
        ms(at(&parlor.first, 50)) - ms(at(&bare.first, 50)),
    );
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

fn at(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or_default()
}
