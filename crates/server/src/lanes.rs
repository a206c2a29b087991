//! The threads that serve: one for each core, each with a runtime of its own.
//!
//! A connection stays on the lane that it was given, and so does what begins
//! there: the turn of a message, the request to the model, and the stream that
//! answers the message. These wake one another for every piece of text. On one
//! thread that is a push to a queue; between threads it is a call to the system,
//! and what they touch moves from one core's cache to the other's. A reader who
//! comes on another connection may be on another lane, and is woken from there.
//!
//! The price: what computes for long on a lane holds up its neighbours. Passwords,
//! pictures, large results of tools and previews are done elsewhere
//! (`spawn_blocking`). What all share, the writer of the database, the flusher and
//! the tools, is on the thread that started the lanes; so are turns that a restart
//! took up.

use std::io;
use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long work that was moved elsewhere may take to end with its lane.
const ENDING: Duration = Duration::from_secs(1);

/// The lanes. They end when this is dropped, with all that runs on them.
#[derive(Debug)]
pub struct Lanes {
    runtimes: Vec<Handle>,
    next: usize,
    threads: Vec<JoinHandle<()>>,
    stop: DropGuard,
}

impl Lanes {
    /// Starts one for each core.
    pub fn start() -> io::Result<Self> {
        let count = Self::count();
        let stop = CancellationToken::new();
        let (mut runtimes, mut threads) = (Vec::new(), Vec::new());
        // If one cannot be started, those before it end.
        let guard = stop.clone().drop_guard();
        for number in 0..count {
            let thread = thread::Builder::new().name(format!("lane-{number}"));
            let (stop, (sender, made)) = (stop.clone(), mpsc::channel());
            threads.push(thread.spawn(move || run(&sender, &stop))?);
            runtimes.push(made.recv().map_err(io::Error::other)??);
        }
        Ok(Self { runtimes, next: 0, threads, stop: guard })
    }

    /// How many there are.
    pub(crate) fn count() -> usize {
        thread::available_parallelism().map_or(1, NonZero::get)
    }

    /// The next one, in turn.
    pub(crate) fn next(&mut self) -> &Handle {
        self.next = (self.next + 1) % self.runtimes.len();
        &self.runtimes[self.next]
    }

    /// Ends them, and waits until nothing runs on them any more.
    pub(crate) async fn close(self) {
        drop(self.stop);
        for thread in self.threads {
            // A lane that panicked has ended, too.
            let _ended = spawn_blocking(|| thread.join()).await;
        }
    }
}

/// The runtime is made here: if it could not be handed to a thread, it would have
/// to be dropped where waiting is not allowed.
fn run(made: &mpsc::Sender<io::Result<Handle>>, stop: &CancellationToken) {
    // Who started it waits for what is sent.
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let _received = made.send(Ok(runtime.handle().clone()));
            runtime.block_on(stop.cancelled());
            runtime.shutdown_timeout(ENDING);
        }
        Err(error) => {
            let _received = made.send(Err(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a task begins stays on its lane, and ends with it.
    #[tokio::test]
    async fn work_stays_on_its_lane() {
        let mut lanes = Lanes::start().unwrap();
        let count = lanes.runtimes.len();
        let mut names = Vec::new();
        for _ in 0..count * 2 {
            let name = || thread::current().name().map(str::to_owned);
            let both = async move { (name(), tokio::spawn(async move { name() }).await.unwrap()) };
            let (here, begun) = lanes.next().spawn(both).await.unwrap();
            assert_eq!(here, begun);
            names.push(here.unwrap());
        }
        assert_eq!(names[..count], names[count..]);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);

        let endless = lanes.next().spawn(std::future::pending::<()>());
        lanes.close().await;
        assert!(endless.await.unwrap_err().is_cancelled());
    }
}
