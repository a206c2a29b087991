//! The worker threads: one per core, each with a runtime of its own.
//!
//! A connection stays on the worker thread that it was given, and so does what begins
//! there: the turn of a message, the request to the model, and the stream of events.
//! These wake one another for every piece of text. On one thread that is a push to a
//! queue; between threads it is a system call, and data moves between the caches of
//! two cores. A reader on another connection may be on another worker thread.
//!
//! The price: a long computation holds up the other streams of its thread. Passwords,
//! images, large tool results and previews go to `spawn_blocking`. Shared tasks (the
//! database writer, the flusher, the tools, and turns that were recovered after a
//! restart) run on the thread that started the workers.

use std::io;
use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long blocking work may take to end with its worker thread.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The worker threads. They end when this is dropped, with all tasks on them.
#[derive(Debug)]
pub struct WorkerThreads {
    runtimes: Vec<Handle>,
    next: usize,
    threads: Vec<JoinHandle<()>>,
    stop: DropGuard,
}

impl WorkerThreads {
    /// Starts one per core.
    pub fn start() -> io::Result<Self> {
        let count = Self::count();
        let stop = CancellationToken::new();
        let (mut runtimes, mut threads) = (Vec::new(), Vec::new());
        // If one cannot be started, this ends those before it.
        let guard = stop.clone().drop_guard();
        for number in 0..count {
            let thread = thread::Builder::new().name(format!("worker-{number}"));
            let (stop, (sender, started)) = (stop.clone(), mpsc::channel());
            threads.push(thread.spawn(move || run(&sender, &stop))?);
            runtimes.push(started.recv().map_err(io::Error::other)??);
        }
        Ok(Self { runtimes, next: 0, threads, stop: guard })
    }

    /// How many there are.
    pub(crate) fn count() -> usize {
        thread::available_parallelism().map_or(1, NonZero::get)
    }

    /// The next one, round-robin.
    pub(crate) fn next(&mut self) -> &Handle {
        self.next = (self.next + 1) % self.runtimes.len();
        &self.runtimes[self.next]
    }

    /// Ends them and waits until nothing runs on them.
    pub(crate) async fn close(self) {
        drop(self.stop);
        for thread in self.threads {
            // A thread that panicked has ended, too.
            let _ended = spawn_blocking(|| thread.join()).await;
        }
    }
}

/// The runtime is made on its own thread: dropping it blocks, which is not allowed in
/// the async code that starts the workers.
fn run(started: &mpsc::Sender<io::Result<Handle>>, stop: &CancellationToken) {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let _received = started.send(Ok(runtime.handle().clone()));
            runtime.block_on(stop.cancelled());
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        }
        Err(error) => {
            let _received = started.send(Err(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a task spawns stays on its thread, and ends with it.
    #[tokio::test]
    async fn work_stays_on_its_thread() {
        let mut workers = WorkerThreads::start().unwrap();
        let count = workers.runtimes.len();
        let mut names = Vec::new();
        for _ in 0..count * 2 {
            let name = || thread::current().name().map(str::to_owned);
            let both = async move { (name(), tokio::spawn(async move { name() }).await.unwrap()) };
            let (here, spawned) = workers.next().spawn(both).await.unwrap();
            assert_eq!(here, spawned);
            names.push(here.unwrap());
        }
        assert_eq!(names[..count], names[count..]);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);

        let endless = workers.next().spawn(std::future::pending::<()>());
        workers.close().await;
        assert!(endless.await.unwrap_err().is_cancelled());
    }
}
