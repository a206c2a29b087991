//! The calls that a server works on, and which of them a question belongs to (M-3).
//!
//! A question must never reach the person of another call. Over HTTP it comes on
//! the stream of its call, which names it. Over pipes nothing names it: there it
//! belongs to the only call that runs. If several run, nobody can tell; the
//! question is taken back, and from then on this server gets one call at a time,
//! so that the next question finds its person. `parallel_calls = 1` does the same
//! from the beginning.

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

/// The calls that run.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    calls: Mutex<Vec<Arc<Running>>>,
    asked_among_several: AtomicBool,
}

/// A call that runs.
#[derive(Debug)]
pub(super) struct Running {
    request: Mutex<Option<RequestId>>,
    /// Takes questions; without it, nobody can be asked.
    questions: Option<mpsc::Sender<ToolEvent>>,
    asked: Mutex<u32>,
    /// How many questions are open: meanwhile the call's time stands still.
    open: watch::Sender<usize>,
    /// Names the call in what the server tells of its progress.
    progress_token: Mutex<Option<ProgressToken>>,
    progress: Arc<ProgressSlot>,
}

/// Whom a question belongs to.
#[derive(Debug)]
pub(super) enum Asker {
    Call(Arc<Running>),
    /// It is nobody's, so nobody is asked.
    Nobody,
    /// It may be anybody's of several.
    Unclear,
}

/// Keeps a call on the list.
#[derive(Debug)]
pub(super) struct Registration {
    list: Arc<InFlight>,
    call: Arc<Running>,
}

impl InFlight {
    /// Puts a call on the list. Without `questions` it cannot ask anybody.
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

    pub(super) fn is_empty(&self) -> bool {
        self.calls().is_empty()
    }

    /// Whether calls have to go one by one, so that a question finds its person.
    pub(super) fn one_at_a_time(&self) -> bool {
        self.asked_among_several.load(Ordering::Relaxed)
    }

    /// Who asks. `origin` is the stream that the question came on, if it has one.
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

    /// A server tells how far a call is. What names no call that runs is dropped.
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
    /// The request that the call became, and what names it in news of its progress.
    pub(super) fn sent_as(&self, id: RequestId, token: ProgressToken) {
        *lock(&self.call.request) = Some(id);
        *lock(&self.call.progress_token) = Some(token);
    }

    /// Asks the person of the call.
    pub(super) async fn ask(&self, message: String, schema: Value) -> ElicitationReply {
        self.call.ask(message, schema).await
    }

    /// Tells how many questions are open.
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

/// A question that waits for its answer.
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
