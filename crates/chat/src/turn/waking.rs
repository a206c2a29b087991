//! What a running turn waits for: the agent, the stop signal, and an open prompt.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use futures_util::StreamExt;
use parlor_agent::TurnRunner;
use tokio::sync::oneshot;

use super::running::{Next, RunningTurn};
use crate::live_turns::Stop;

impl RunningTurn {
    /// Waits for the agent, for the stop signal, and for an open prompt.
    pub(super) async fn next(
        &mut self,
        agent: &mut dyn TurnRunner,
        stop: &mut oneshot::Receiver<Stop>,
    ) -> Next {
        let mut next = poll_fn(|cx| match agent.poll_next_unpin(cx) {
            Poll::Ready(event) => Poll::Ready(Next::Event(event)),
            Poll::Pending if self.spending.poll_look(cx).is_ready() => Poll::Ready(Next::Look),
            Poll::Pending if self.stopped.is_some() || stop.is_terminated() => Poll::Pending,
            Poll::Pending => match Pin::new(&mut *stop).poll(cx) {
                Poll::Ready(Ok(why)) => Poll::Ready(Next::Stop(why)),
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
            },
        });
        let since = Instant::now();
        if !self.wait.is_open() {
            let next = next.await;
            self.spending.worked_since(since);
            return next;
        }
        let next = tokio::select! {
            biased;
            next = &mut next => next,
            wake = self.wait.wake(self.stopped.is_none()) => Next::Prompt(wake),
        };
        self.timing.waited(since);
        next
    }
}
