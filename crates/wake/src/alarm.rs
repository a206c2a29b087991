//! A time that comes.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::Waits;

/// A time that comes. Made within a tokio runtime that has timers.
#[derive(Debug)]
pub struct Alarm {
    /// When the timer fires. It may be asked at another time; it never fires before.
    at: Instant,
    timer: Pin<Box<Sleep>>,
    waits: Waits,
}

impl Alarm {
    /// An alarm for this time.
    pub fn new(at: Instant) -> Self {
        Self { at, timer: Box::pin(sleep_until(at)), waits: Waits::default() }
    }

    /// Waits until the time has come. Then it stays so, until it is set again.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.waits.is(cx) && Instant::now() < self.at {
            return Poll::Pending;
        }
        // The timer keeps who asked last; but not if the task has had its share of
        // this round, so it must not be asked how much is left of that.
        self.waits.set(cx);
        ready!(Pin::new(&mut unconstrained(self.timer.as_mut())).poll(cx));
        self.waits.nobody();
        Poll::Ready(())
    }

    /// Sets it to another time.
    pub fn set(&mut self, at: Instant) {
        self.at = at;
        self.timer.as_mut().reset(at);
        self.waits.nobody();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use tokio::time::interval;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    async fn rings(alarm: &mut Alarm) -> Duration {
        let asked = Instant::now();
        poll_fn(|cx| alarm.poll(cx)).await;
        asked.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn it_rings_in_time_and_can_be_set_again() {
        let mut alarm = Alarm::new(Instant::now() + SECOND);
        assert_eq!(rings(&mut alarm).await, SECOND);
        assert_eq!(rings(&mut alarm).await, Duration::ZERO);
        alarm.set(Instant::now() + 3 * SECOND);
        assert_eq!(rings(&mut alarm).await, 3 * SECOND);
        alarm.set(Instant::now() + 9 * SECOND);
        alarm.set(Instant::now() + SECOND);
        assert_eq!(rings(&mut alarm).await, SECOND);
    }

    /// A task that is polled for other reasons, over and over, is still woken.
    #[tokio::test(start_paused = true)]
    async fn asking_often_loses_nothing() {
        let begun = Instant::now();
        let mut alarm = Alarm::new(begun + 10 * SECOND);
        let mut other = interval(SECOND / 3);
        loop {
            tokio::select! {
                biased;
                () = poll_fn(|cx| alarm.poll(cx)) => break,
                // In the end nothing but the alarm wakes it.
                _ = other.tick(), if begun.elapsed() < 5 * SECOND => {}
            }
        }
        assert_eq!(begun.elapsed(), 10 * SECOND);
    }

    /// A task that did so much at once that the runtime holds it back.
    #[tokio::test(start_paused = true)]
    async fn a_task_that_had_its_share_is_still_woken() {
        let begun = Instant::now();
        let mut alarm = Alarm::new(begun + SECOND);
        let (sender, mut work) = tokio::sync::mpsc::channel(1000);
        (0..1000).for_each(|piece| sender.try_send(piece).unwrap());
        poll_fn(|cx| {
            while work.poll_recv(cx).is_ready() {}
            alarm.poll(cx)
        })
        .await;
        assert_eq!((begun.elapsed(), work.len()), (SECOND, 0));
    }

    /// Polled by another task than before, it wakes that one.
    #[tokio::test(start_paused = true)]
    async fn the_last_who_asked_is_woken() {
        let mut alarm = Alarm::new(Instant::now() + SECOND);
        let mut nobody = Context::from_waker(futures_util::task::noop_waker_ref());
        assert!(alarm.poll(&mut nobody).is_pending());
        let asked = tokio::spawn(async move { rings(&mut alarm).await });
        assert_eq!(asked.await.unwrap(), SECOND);
    }
}
