//! Measures one poll of what a stream waits for besides its next event: a signal that it must end,
//! and a timer. A streaming task is polled as a whole for every event, so each of these is polled
//! every time, and is rarely ready.
//!
//! Run it in release mode: `cargo run --release -p parlor-bench -- poll-cost`. Minimum of five runs
//! on two busy cores:
//!
//! | polled | ns |
//! |---|---|
//! | `OnceLock` and `AtomicWaker`, as in the server's `stream_end` | 13 |
//! | `oneshot::Receiver` | 15 |
//! | `Notify`, its future kept | 15 |
//! | `CancellationToken`, its future kept: one thread, two threads that share it | 27, 55 |
//! | `CancellationToken`, its future made anew: one thread, two threads | 44, 91 |
//! | `watch::Receiver::changed`, made anew | 73 |
//! | `Sleep` | 17 |
//! | `Interval` | 20 |
//! | `Sleep`, made anew | 100 |
//! | `Instant::now` | 43 |
//!
//! So a hand-written signal and timer are not worth having: a one-shot signal took 23 ns, and a
//! timer that read the clock first took 39 ns. What matters is to share nothing between streams,
//! and to create no new future for each event.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use futures_util::task::AtomicWaker;
use tokio::runtime::Builder;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, interval_at, sleep_until};
use tokio_util::sync::CancellationToken;

const POLLS: u32 = 3_000_000;
const HOUR: Duration = Duration::from_secs(3_600);

/// Measures and prints everything.
pub(crate) async fn run() {
    signals().await;
    timers().await;
    shared_by_threads();
}

async fn signals() {
    let signal: (OnceLock<u8>, AtomicWaker) = (OnceLock::new(), AtomicWaker::new());
    measure("OnceLock and AtomicWaker", |cx| {
        signal.1.register(cx.waker());
        signal.0.get().map_or(Poll::Pending, |_| Poll::Ready(()))
    })
    .await;
    let (_sender, mut receiver) = oneshot::channel::<u8>();
    measure("oneshot", |cx| Pin::new(&mut receiver).poll(cx).map(drop)).await;
    let notify = Notify::new();
    let mut notified = pin!(notify.notified());
    measure("Notify, kept", |cx| notified.as_mut().poll(cx)).await;
    let (_sender, mut receiver) = watch::channel(0_u8);
    measure("watch, anew", |cx| pin!(receiver.changed()).poll(cx).map(drop)).await;
    cancellation("one thread", &CancellationToken::new()).await;
}

async fn timers() {
    let later = Instant::now() + HOUR;
    let mut sleep = Box::pin(sleep_until(later));
    measure("Sleep, kept", |cx| sleep.as_mut().poll(cx)).await;
    let mut interval = interval_at(later, HOUR);
    measure("Interval", |cx| interval.poll_tick(cx).map(drop)).await;
    measure("Sleep, anew", |cx| pin!(sleep_until(later)).poll(cx)).await;
    measure("Instant::now", |_| {
        std::hint::black_box(Instant::now());
        Poll::Pending
    })
    .await;
}

async fn cancellation(threads: &str, token: &CancellationToken) {
    let mut cancelled = pin!(token.cancelled());
    let name = format!("CancellationToken, kept, {threads}");
    measure(&name, |cx| cancelled.as_mut().poll(cx)).await;
    let name = format!("CancellationToken, anew, {threads}");
    measure(&name, |cx| pin!(token.cancelled()).poll(cx)).await;
}

fn shared_by_threads() {
    let token = Arc::new(CancellationToken::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            let token = Arc::clone(&token);
            scope.spawn(move || {
                if let Ok(runtime) = Builder::new_current_thread().enable_all().build() {
                    runtime.block_on(cancellation("two threads", &token));
                }
            });
        }
    });
}

async fn measure(name: &str, mut poll: impl FnMut(&mut Context<'_>) -> Poll<()>) {
    let begun = Instant::now();
    let polls = poll_fn(|cx| {
        for _ in 0..POLLS {
            let _pending = std::hint::black_box(poll(cx));
        }
        Poll::Ready(())
    });
    // Without this, the runtime would make a task yield that polls so often.
    unconstrained(polls).await;
    let each = begun.elapsed().as_secs_f64() * 1e9 / f64::from(POLLS);
    println!("{name:<45} {each:>6.1} ns");
}
