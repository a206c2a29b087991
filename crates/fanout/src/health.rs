//! Whether the channel works, as the own beat shows: what was sent has to come back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_metrics::Counter;
use tokio::time::Instant;

/// Without a payload of our own for this long the channel is not heard: three beats.
const SILENCE: Duration = Duration::from_secs(3);

/// How the channel is, for the administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What carries the hints: `postgres`, `redis`, or `none` for one node alone.
    pub kind: &'static str,
    /// Whether the own beat came back lately.
    pub heard: bool,
    /// Why not, and what to do about it. It holds no password.
    pub problem: Option<String>,
}

/// How many payloads there were. One carries all hints that came up within a moment.
#[derive(Debug, Default)]
pub struct Payloads {
    /// Those that were sent.
    pub sent: Counter,
    /// Attempts to send that failed.
    pub failed: Counter,
    /// Those of other nodes that came.
    pub received: Counter,
}

/// Records what the tasks of a channel find.
#[derive(Debug)]
pub(crate) struct Monitor {
    kind: &'static str,
    start: Instant,
    /// When a payload of our own came back, in milliseconds after `start` and from 1 on. 0 if
    /// none did since the connection was lost.
    heard_at: AtomicU64,
    found: Mutex<Found>,
    payloads: Payloads,
}

#[derive(Debug, Default)]
struct Found {
    /// Why nothing is received.
    receiving: Option<String>,
    /// Why nothing is sent.
    sending: Option<String>,
    /// Whether the log says that the channel is not heard.
    warned: bool,
}

impl Monitor {
    pub(crate) fn new(kind: &'static str) -> Self {
        let (heard_at, found) = (AtomicU64::new(0), Mutex::default());
        Self { kind, start: Instant::now(), heard_at, found, payloads: Payloads::default() }
    }

    /// A payload of our own came back.
    pub(crate) fn heard(&self) {
        let at = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard_at.store(at.saturating_add(1), Ordering::Relaxed);
        let mut found = self.found();
        found.receiving = None;
        if std::mem::take(&mut found.warned) {
            tracing::info!(channel = self.kind, "the channel between nodes is heard again");
        }
    }

    /// There is no connection to receive with.
    pub(crate) fn lost(&self, problem: String) {
        self.not_heard(|found| found.receiving = Some(problem));
    }

    /// Connected, but nothing of our own comes back. `meaning` is why, unless nothing could be
    /// sent.
    pub(crate) fn silent(&self, meaning: &str) {
        self.not_heard(|found| {
            found.receiving = found.sending.is_none().then(|| meaning.to_owned());
        });
    }

    /// A payload was sent.
    pub(crate) fn sent(&self) {
        self.payloads.sent.add(1);
        self.found().sending = None;
    }

    /// A payload could not be sent. If that lasts, the channel is no longer heard.
    pub(crate) fn not_sent(&self, problem: String) {
        self.payloads.failed.add(1);
        self.found().sending = Some(problem);
    }

    /// A payload of another node came.
    pub(crate) fn received(&self) {
        self.payloads.received.add(1);
    }

    pub(crate) fn payloads(&self) -> &Payloads {
        &self.payloads
    }

    pub(crate) fn is_heard(&self) -> bool {
        self.last_heard().is_some_and(|at| at.elapsed() < SILENCE)
    }

    /// Waits until nothing of our own came back for too long, counted from now.
    pub(crate) async fn silence(&self) {
        let begin = Instant::now();
        loop {
            let last = self.last_heard().map_or(begin, |at| at.max(begin));
            if last.elapsed() >= SILENCE {
                return;
            }
            tokio::time::sleep_until(last + SILENCE).await;
        }
    }

    pub(crate) fn health(&self) -> Health {
        let heard = self.is_heard();
        let found = self.found();
        let problem = || found.receiving.clone().or_else(|| found.sending.clone());
        let connecting = || "it is being connected".to_owned();
        let problem = (!heard).then(|| problem().unwrap_or_else(connecting));
        Health { kind: self.kind, heard, problem }
    }

    fn not_heard(&self, find: impl FnOnce(&mut Found)) {
        self.heard_at.store(0, Ordering::Relaxed);
        let mut found = self.found();
        find(&mut found);
        let problem = found.receiving.as_ref().or(found.sending.as_ref()).map(String::as_str);
        if !found.warned {
            tracing::warn!(
                channel = self.kind,
                problem,
                "the channel between nodes is not heard; storage is polled instead"
            );
        }
        found.warned = true;
    }

    fn last_heard(&self) -> Option<Instant> {
        let at = self.heard_at.load(Ordering::Relaxed).checked_sub(1)?;
        Some(self.start + Duration::from_millis(at))
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-2: three beats that do not come back, or a lost connection, and it is not heard.
    #[tokio::test(start_paused = true)]
    async fn a_channel_is_heard_while_its_beats_come_back() {
        let monitor = Monitor::new("test");
        assert!(!monitor.is_heard());
        for _ in 0..5 {
            monitor.heard();
            tokio::time::sleep(Duration::from_secs(2)).await;
            assert!(monitor.is_heard());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!monitor.is_heard());
        monitor.heard();
        assert_eq!(monitor.health(), Health { kind: "test", heard: true, problem: None });
        monitor.lost("gone".to_owned());
        assert!(!monitor.is_heard());
        assert_eq!(monitor.health().problem.as_deref(), Some("gone"));
    }

    /// E-2: silence is counted from the last beat, or from the connection.
    #[tokio::test(start_paused = true)]
    async fn silence_is_noticed() {
        let monitor = Monitor::new("test");
        let begin = Instant::now();
        monitor.silence().await;
        assert_eq!(begin.elapsed().as_secs(), 3);
        let beats = async {
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                monitor.heard();
            }
        };
        tokio::join!(monitor.silence(), beats);
        assert_eq!(begin.elapsed().as_secs(), 10);
    }

    /// E-2: silence means what the channel says it does, but not if nothing could be sent.
    #[tokio::test]
    async fn the_cause_of_silence_is_found() {
        let monitor = Monitor::new("test");
        monitor.silent("a pooler");
        assert_eq!(monitor.health().problem.as_deref(), Some("a pooler"));
        monitor.not_sent("refused".to_owned());
        monitor.silent("a pooler");
        assert_eq!(monitor.health().problem.as_deref(), Some("refused"));
        monitor.sent();
        monitor.heard();
        assert_eq!(monitor.health().problem, None);
    }
}
