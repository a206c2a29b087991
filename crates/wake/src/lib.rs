//! What a busy task waits for besides its work: a word that may be said to it,
//! and a time that may come.
//!
//! A task that streams is woken for every piece of text, and is then polled as a
//! whole. A future that hardly ever has anything to say would take a lock or go
//! to the timers each time. These remember who waits for them: asked again by
//! the same task, they look at one place in memory, or at the clock, and no more.

mod alarm;
mod word;

use std::task::{Context, Waker};

pub use alarm::Alarm;
pub use word::{Listener, Speaker, word};

/// The task that will be woken.
#[derive(Debug, Default)]
struct Waits(Option<Waker>);

impl Waits {
    fn is(&self, cx: &Context<'_>) -> bool {
        self.0.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()))
    }

    fn set(&mut self, cx: &Context<'_>) {
        self.0 = Some(cx.waker().clone());
    }

    fn nobody(&mut self) {
        self.0 = None;
    }
}
