//! Takes times: the best of several rounds, which is what the code can do when
//! it is left alone.

use std::time::{Duration, Instant};

/// For what takes microseconds: a few of fifty rounds are never interrupted.
pub(crate) fn best(mut run: impl FnMut()) -> Duration {
    let mut round = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..50).map(|_| round()).min().unwrap_or_default()
}

/// For what takes milliseconds: the time on the processor, because on a busy
/// machine every round is interrupted.
pub(crate) fn least(rounds: u32, mut run: impl FnMut()) -> Duration {
    let mut round = || {
        let (wall, cpu) = (Instant::now(), on_the_processor());
        run();
        let spent = on_the_processor().zip(cpu).map(|(now, then)| now.saturating_sub(then));
        spent.unwrap_or_else(|| wall.elapsed())
    };
    (0..rounds).map(|_| round()).min().unwrap_or_default()
}

/// How long this thread has run, where the system tells. It brings the number
/// up to date when a thread gives way.
fn on_the_processor() -> Option<Duration> {
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
