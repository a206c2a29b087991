//! A word that is said once, to one listener.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

use crate::Waits;

/// A word that can be said, and who listens for it.
pub fn word<T>() -> (Speaker<T>, Listener<T>) {
    let line = Arc::new(Line { word: OnceLock::new(), waker: AtomicWaker::new() });
    (Speaker(Arc::clone(&line)), Listener { line, waits: Waits::default() })
}

#[derive(Debug)]
struct Line<T> {
    word: OnceLock<T>,
    waker: AtomicWaker,
}

/// Says the word. Dropped without a word, it leaves the listener waiting.
#[derive(Debug)]
pub struct Speaker<T>(Arc<Line<T>>);

impl<T> Speaker<T> {
    /// Says it; the first word counts.
    pub fn say(&self, word: T) {
        if self.0.word.set(word).is_ok() {
            self.0.waker.wake();
        }
    }
}

/// Listens for the word.
#[derive(Debug)]
pub struct Listener<T> {
    line: Arc<Line<T>>,
    waits: Waits,
}

impl<T: Copy> Listener<T> {
    /// What was said, if anything was. Nobody is woken for it.
    pub fn heard(&self) -> Option<T> {
        self.line.word.get().copied()
    }

    /// Waits for the word. It stays said.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<T> {
        if !self.waits.is(cx) && self.heard().is_none() {
            self.line.waker.register(cx.waker());
            self.waits.set(cx);
        }
        // Looked at after registering, so that what was said meanwhile is heard.
        self.heard().map_or(Poll::Pending, Poll::Ready)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use futures_util::FutureExt;
    use futures_util::task::noop_waker_ref;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test]
    async fn a_word_is_heard_whenever_it_is_said() {
        let (speaker, mut listener) = word();
        speaker.say(1);
        assert_eq!(poll_fn(|cx| listener.poll(cx)).now_or_never(), Some(1));

        let (speaker, mut listener) = word();
        let heard = tokio::spawn(async move { poll_fn(|cx| listener.poll(cx)).await });
        sleep(Duration::from_millis(1)).await;
        speaker.say(2);
        speaker.say(3);
        assert_eq!(heard.await.unwrap(), 2);
    }

    /// A task that is polled for other reasons, over and over, is still woken.
    #[tokio::test]
    async fn asking_often_loses_nothing() {
        let (speaker, mut listener) = word();
        let heard = tokio::spawn(async move {
            let mut other = tokio::time::interval(Duration::from_micros(100));
            loop {
                tokio::select! {
                    biased;
                    said = poll_fn(|cx| listener.poll(cx)) => return said,
                    _ = other.tick() => {}
                }
            }
        });
        sleep(Duration::from_millis(5)).await;
        speaker.say("now");
        assert_eq!(heard.await.unwrap(), "now");
    }

    /// Polled by another task than before, it wakes that one.
    #[tokio::test]
    async fn the_last_who_asked_is_woken() {
        let (speaker, mut listener) = word();
        assert!(listener.poll(&mut Context::from_waker(noop_waker_ref())).is_pending());
        let heard = tokio::spawn(async move { poll_fn(|cx| listener.poll(cx)).await });
        sleep(Duration::from_millis(1)).await;
        speaker.say(());
        heard.await.unwrap();
    }
}
