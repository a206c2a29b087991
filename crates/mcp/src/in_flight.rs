//! The calls in flight at a server, and which of them a question belongs to (M-3).
//!
//! A question must never reach the person of another call. Over HTTP it arrives on the stream of
//! its call, which identifies it. Over pipes nothing identifies it: it belongs to the only call in
//! flight. If there are several, the question is cancelled, and from then on this server gets one
//! call at a time, so that the next question is unambiguous. `parallel_calls = 1` does the same
//! from the start.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_agent::tools::{ElicitationReply, ToolEvent};
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestId};
use rmcp::service::InboundStreamOrigin;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::progress::ProgressSlot;

/// The most questions that one call may ask.
const MOST_QUESTIONS: u32 = 20;

/// The calls in flight at one server.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    calls: Mutex<Vec<Arc<Running>>>,
    asked_among_several: AtomicBool,
}

/// A call in flight.
#[derive(Debug)]
pub(super) struct Running {
    request: Mutex<Option<RequestId>>,
    /// Receives questions; without it, nobody can be asked.
    questions: Option<mpsc::Sender<ToolEvent>>,
    asked: Mutex<u32>,
    /// The number of open questions; while there are any, the call's timeout is paused.
    open: watch::Sender<usize>,
    /// The token of this call in the server's progress notifications.
    progress_token: Mutex<Option<ProgressToken>>,
    progress: Arc<ProgressSlot>,
}

/// The call that a question belongs to.
#[derive(Debug)]
pub(super) enum Asker {
    Call(Arc<Running>),
    /// No call: nobody is asked.
    Nobody,
    /// One of several calls, and nothing says which.
    Unclear,
}

/// Keeps a call registered until it is dropped.
#[derive(Debug)]
pub(super) struct Registration {
    list: Arc<InFlight>,
    call: Arc<Running>,
}

impl InFlight {
    /// Registers a call. Without `questions` it cannot ask anybody.
    pub(super) fn begin(
        self: &Arc<Self>,
        questions: Option<mpsc::Sender<ToolEvent>>,
        progress: Arc<ProgressSlot>,
    ) -> Registration {
        let call = Arc::new(Running {
            request: Mutex::default(),
            questions,
            asked: Mutex::default(),
            open: watch::Sender::new(0),
            progress_token: Mutex::default(),
            progress,
        });
        self.calls().push(call.clone());
        Registration { list: self.clone(), call }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.calls().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls().is_empty()
    }

    /// Whether calls have to run one at a time, so that a question can be attributed.
    pub(super) fn one_at_a_time(&self) -> bool {
        self.asked_among_several.load(Ordering::Relaxed)
    }

    /// The call that asks. `origin` is the stream on which the question arrived, if there is one.
    pub(super) fn asker(&self, origin: Option<&InboundStreamOrigin>) -> Asker {
        let calls = self.calls();
        if let Some(InboundStreamOrigin::OutboundRequest(id)) = origin {
            let named = calls.iter().find(|call| lock(&call.request).as_ref() == Some(id));
            return named.map_or(Asker::Nobody, |call| Asker::Call(call.clone()));
        }
        match calls.as_slice() {
            [] => Asker::Nobody,
            [call] => Asker::Call(call.clone()),
            _ => {
                self.asked_among_several.store(true, Ordering::Relaxed);
                Asker::Unclear
            }
        }
    }

    /// Stores a progress report for its call. A report with an unknown token is dropped.
    pub(super) fn progressed(&self, progress: ProgressNotificationParam) {
        let calls = self.calls();
        let token = Some(&progress.progress_token);
        if let Some(call) = calls.iter().find(|call| lock(&call.progress_token).as_ref() == token) {
            call.progress.set(progress);
        }
    }

    fn calls(&self) -> MutexGuard<'_, Vec<Arc<Running>>> {
        lock(&self.calls)
    }
}

impl Registration {
    /// Stores the id of the call's request and its progress token.
    pub(super) fn sent_as(&self, id: RequestId, token: ProgressToken) {
        *lock(&self.call.request) = Some(id);
        *lock(&self.call.progress_token) = Some(token);
    }

    /// Asks the person of this call.
    pub(super) async fn ask(&self, message: String, schema: Value) -> ElicitationReply {
        self.call.ask(message, schema).await
    }

    /// Watches the number of open questions.
    pub(super) fn open_questions(&self) -> watch::Receiver<usize> {
        self.call.open.subscribe()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.list.calls().retain(|call| !Arc::ptr_eq(call, &self.call));
    }
}

impl Running {
    /// Asks the person of this call.
    pub(super) async fn ask(&self, message: String, schema: Value) -> ElicitationReply {
        let Some(questions) = &self.questions else { return ElicitationReply::Decline };
        if !self.may_ask() {
            return ElicitationReply::Decline;
        }
        let _time_stands_still = Open::new(&self.open);
        let (reply, answer) = oneshot::channel();
        if questions.send(ToolEvent::Elicitation { message, schema, reply }).await.is_err() {
            return ElicitationReply::Cancel;
        }
        answer.await.unwrap_or(ElicitationReply::Cancel)
    }

    fn may_ask(&self) -> bool {
        let mut asked = lock(&self.asked);
        *asked += 1;
        *asked <= MOST_QUESTIONS
    }
}

/// Counts as an open question until it is dropped.
struct Open<'a>(&'a watch::Sender<usize>);

impl<'a> Open<'a> {
    fn new(open: &'a watch::Sender<usize>) -> Self {
        open.send_modify(|open| *open += 1);
        Self(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(number: i64) -> ProgressToken {
        ProgressToken(RequestId::Number(number))
    }

    /// M-3: a question reaches the person of its own call, or nobody.
    #[test]
    fn a_question_belongs_to_its_own_call_or_to_nobody() {
        let list = Arc::new(InFlight::default());
        assert!(matches!(list.asker(None), Asker::Nobody));
        let first = list.begin(None, Arc::default());
        first.sent_as(RequestId::Number(1), token(1));
        assert!(matches!(list.asker(None), Asker::Call(call) if Arc::ptr_eq(&call, &first.call)));
        let second = list.begin(None, Arc::default());
        second.sent_as(RequestId::Number(2), token(2));
        let on_stream = |n| InboundStreamOrigin::OutboundRequest(RequestId::Number(n));
        let asker = list.asker(Some(&on_stream(2)));
        assert!(matches!(asker, Asker::Call(call) if Arc::ptr_eq(&call, &second.call)));
        assert!(matches!(list.asker(Some(&on_stream(3))), Asker::Nobody));
        assert!(!list.one_at_a_time());
        assert!(matches!(list.asker(None), Asker::Unclear));
        assert!(list.one_at_a_time());
        drop(first);
        assert!(matches!(list.asker(None), Asker::Call(call) if Arc::ptr_eq(&call, &second.call)));
        drop(second);
        assert!(list.is_empty());
    }
}
