//! The progress of a call, as its server reports it.
//!
//! A server may report as often as it likes. Only the newest report is kept, and the reader of a
//! call gets at most one per [`BETWEEN`]: a person cannot read faster.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use parlor_protocol::ToolProgress;
use rmcp::model::ProgressNotificationParam;
use tokio::time::{Instant, Sleep, sleep_until};

/// The minimum time between two reports.
const BETWEEN: Duration = Duration::from_millis(250);
/// The longest message of a report, in characters.
const LONGEST_MESSAGE: usize = 200;

/// Holds the newest report until it is read.
#[derive(Debug, Default)]
pub(super) struct ProgressSlot {
    newest: Mutex<Option<ToolProgress>>,
    reader: AtomicWaker,
}

impl ProgressSlot {
    /// Replaces the unread report. A report whose numbers are not finite is dropped.
    pub(super) fn set(&self, report: ProgressNotificationParam) {
        if !report.progress.is_finite() {
            return;
        }
        let total = report.total.filter(|total| total.is_finite() && *total > 0.0);
        let message = report.message.map(|text| text.chars().take(LONGEST_MESSAGE).collect());
        let progress = ToolProgress { done: report.progress.max(0.0), total, message };
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        self.reader.wake();
    }

    fn take(&self) -> Option<ToolProgress> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The reader's side: at most one report every [`BETWEEN`].
pub(super) struct Progress {
    slot: Arc<ProgressSlot>,
    /// No report is read before it completes.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Progress {
    pub(super) fn new(slot: Arc<ProgressSlot>) -> Self {
        Self { slot, pause: None }
    }

    /// The next report.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ToolProgress> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        self.slot.reader.register(cx.waker());
        match self.slot.take() {
            Some(progress) => {
                self.pause = Some(Box::pin(sleep_until(Instant::now() + BETWEEN)));
                Poll::Ready(progress)
            }
            None => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use rmcp::model::{NumberOrString, ProgressToken};

    use super::*;

    fn report(done: f64) -> ProgressNotificationParam {
        ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(1)), done)
    }

    /// M-3: a flood of reports becomes a few, and the newest is never lost.
    #[tokio::test(start_paused = true)]
    async fn a_flood_of_reports_is_thinned_and_the_newest_arrives() {
        let slot = Arc::<ProgressSlot>::default();
        let mut progress = Progress::new(slot.clone());
        slot.set(report(1.0));
        assert_eq!(poll_fn(|cx| progress.poll(cx)).await.done, 1.0);
        let before = Instant::now();
        for done in 2..1_000 {
            slot.set(report(f64::from(done)));
        }
        assert_eq!(poll_fn(|cx| progress.poll(cx)).await.done, 999.0);
        assert!(before.elapsed() >= BETWEEN);
    }

    #[test]
    fn a_report_that_is_no_number_is_dropped() {
        let slot = ProgressSlot::default();
        slot.set(report(f64::NAN));
        assert_eq!(slot.take(), None);
        let mut long = report(-1.0);
        (long.total, long.message) = (Some(0.0), Some("x".repeat(10_000)));
        slot.set(long);
        let kept = slot.take().unwrap();
        assert_eq!((kept.done, kept.total), (0.0, None));
        assert_eq!(kept.message.unwrap().len(), LONGEST_MESSAGE);
    }
}
