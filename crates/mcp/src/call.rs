//! One tool call, from waiting for its server to the outcome.
//!
//! A call is sent once, and its outcome claims no more than is known:
//! - it was never sent completely, or the server rejected the request: it did not run;
//! - the server answered, possibly with an error: that is the result;
//! - it timed out or the connection broke after it was sent: its outcome is unknown.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use parlor_agent::tools::{Tool, ToolCall, ToolEvent, ToolFuture, ToolOutcome, ToolStream};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, RequestId,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::callee::Callee;
use super::connection::Connection;
use super::in_flight::Registration;
use super::input;
use super::progress::{Progress, ProgressSlot};
use super::result::{self, ResultRules};
use super::server_handle::ServerHandle;
use super::settings::LoginOf;

/// The metadata key of the run's id, with which a server can recognise a repeated call.
const RUN_ID: &str = "parlor/run-id";
/// How long a preview may take: a person waits for the approval that shows it.
const PREVIEW_TIMEOUT: Duration = Duration::from_secs(5);
/// How long sending a cancel notification may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// Calls a tool. The stream is lazy: nothing is sent before it is polled.
pub(super) fn stream(callee: Callee, tool: Tool, call: ToolCall) -> ToolStream {
    // One question at a time: a server that asks a second one waits for the first answer.
    let (questions, asked) = mpsc::channel(1);
    let slot = Arc::<ProgressSlot>::default();
    let outcome = Box::pin(run(callee, tool, call, questions, slot.clone()));
    Box::pin(CallStream { asked, progress: Progress::new(slot), outcome: Some(outcome) })
}

/// A call that fails before it is sent.
pub(super) fn not_run(why: String) -> ToolStream {
    Box::pin(futures_util::stream::iter([ToolEvent::Done(ToolOutcome::NotRun(why))]))
}

/// Calls a tool that changes nothing, for a preview. Its server cannot ask a person meanwhile.
pub(super) async fn for_preview(
    callee: &Callee,
    tool: &str,
    arguments: Map<String, Value>,
) -> Option<ServerResult> {
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(tool, arguments)));
    let answer = async {
        let (_server, connection) = callee.connected().await.ok()?;
        let _permit = connection.permit().await?;
        let _registered = connection.in_flight.begin(None, Arc::default());
        connection.peer.send_request(request).await.ok()
    };
    timeout(PREVIEW_TIMEOUT, answer).await.ok().flatten()
}

/// The questions of a call, its progress, and its outcome at the end.
struct CallStream {
    asked: mpsc::Receiver<ToolEvent>,
    progress: Progress,
    outcome: Option<ToolFuture<ToolOutcome>>,
}

impl Stream for CallStream {
    type Item = ToolEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ToolEvent>> {
        let Some(mut outcome) = self.outcome.take() else { return Poll::Ready(None) };
        if let Poll::Ready(result) = outcome.as_mut().poll(cx) {
            return Poll::Ready(Some(ToolEvent::Done(result)));
        }
        self.outcome = Some(outcome);
        if let Poll::Ready(Some(question)) = self.asked.poll_recv(cx) {
            return Poll::Ready(Some(question));
        }
        self.progress.poll(cx).map(|progress| Some(ToolEvent::Progress(progress)))
    }
}

async fn run(
    callee: Callee,
    tool: Tool,
    call: ToolCall,
    questions: mpsc::Sender<ToolEvent>,
    progress: Arc<ProgressSlot>,
) -> ToolOutcome {
    let (server, connection) = match callee.connected().await {
        Ok(connected) => connected,
        Err(outcome) => return outcome,
    };
    if !callee.has(&tool) {
        let name = &tool.spec.name;
        return ToolOutcome::NotRun(format!(
            "The call did not run: for this person the server \"{}\" has another tool \"{name}\" \
             than the one that was listed. The list is renewed: look at it before you try again.",
            server.spec.name
        ));
    }
    let Ok(Some(_permit)) = timeout(tool.timeout, connection.permit()).await else {
        let why = format!("The server \"{}\" is busy with other calls.", server.spec.name);
        return ToolOutcome::NotRun(why);
    };
    let registration = connection.in_flight.begin(Some(questions), progress);
    let run = call.run;
    let mut params = params(&tool.name, call.arguments);
    let mut rounds = 0;
    let answer = loop {
        let Some(answer) = send(&connection, &registration, &tool, params.clone(), run).await
        else {
            return ToolOutcome::NotRun(format!("The server \"{}\" has ended.", server.spec.name));
        };
        rounds += 1;
        match answer {
            Ok(ServerResult::InputRequiredResult(needs)) if rounds < input::MOST_ROUNDS => {
                params = input::answered(params, needs, &registration).await;
            }
            answer => break answer,
        }
    };
    // Deregistered before the server is checked: this call no longer counts as in flight.
    drop(registration);
    conclude(&server, &connection, answer, &tool)
}

/// Sends a call and waits for its response; `None` if it could not be sent.
async fn send(
    connection: &Connection,
    registration: &Registration,
    tool: &Tool,
    params: CallToolRequestParams,
    run: Uuid,
) -> Option<Result<ServerResult, ServiceError>> {
    let options = PeerRequestOptions::no_options().with_meta(run_id(run));
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = connection.peer.send_cancellable_request(request, options).await.ok()?;
    registration.sent_as(handle.id.clone(), handle.progress_token.clone());
    let mut cancel = CancelOnDrop::new(&connection.peer, handle.id.clone());
    let answer = async {
        tokio::select! {
            biased;
            answer = handle.await_response() => answer,
            () = connection.ending.reached() => Err(ServiceError::TransportClosed),
        }
    };
    let answer = within(tool.timeout, registration.open_questions(), answer).await;
    if answer.is_some() {
        cancel.request = None;
    }
    Some(answer.unwrap_or(Err(ServiceError::Timeout { timeout: tool.timeout })))
}

fn conclude(
    server: &ServerHandle,
    connection: &Connection,
    answer: Result<ServerResult, ServiceError>,
    tool: &Tool,
) -> ToolOutcome {
    let spec = &server.spec;
    let rules = ResultRules {
        most_bytes: spec.max_result_bytes,
        artifacts: &spec.artifacts,
        app: spec.apps.then_some(tool.app.page.is_some()),
        trusted_labels: spec.trusted_labels,
    };
    let error = match answer {
        Ok(answer) => {
            connection.worked();
            return result::outcome(answer, rules);
        }
        Err(ServiceError::McpError(error)) => {
            connection.worked();
            return result::refused(&error, rules);
        }
        Err(error) => error,
    };
    connection.doubt.notify_one();
    let server = &spec.name;
    let what = match error {
        ServiceError::TransportSend(error)
            if let Some(why) = super::http::login_needed(&*error.error) =>
        {
            let why = format!("The call did not run at \"{server}\": {why}.");
            return match spec.login_of {
                LoginOf::Project => ToolOutcome::NotRun(why),
                LoginOf::Person => ToolOutcome::LoginNeeded(why),
            };
        }
        ServiceError::TransportSend(error) if was_not_delivered(&*error.error) => {
            return ToolOutcome::NotRun(format!("The call did not reach the server \"{server}\"."));
        }
        ServiceError::Timeout { timeout } => format!("did not answer within {timeout:?}"),
        ServiceError::TransportClosed => "ended during the call".to_owned(),
        _ => "gave no answer that could be read".to_owned(),
    };
    ToolOutcome::Unknown(format!(
        "The server \"{server}\" {what}. The tool may or may not have done its work."
    ))
}

/// A line that was not written completely cannot be read as a message.
fn was_not_delivered(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<std::io::Error>() || super::http::did_not_run(error)
}

fn params(tool: &str, arguments: Map<String, Value>) -> CallToolRequestParams {
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

fn run_id(run: Uuid) -> RequestMetaObject {
    Map::from_iter([(RUN_ID.to_owned(), Value::from(run.to_string()))]).into()
}

/// The future's output, or `None` after the timeout. The timeout is paused while a person is asked
/// something: the server cannot continue either.
async fn within<T>(
    mut left: Duration,
    mut open_questions: watch::Receiver<usize>,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut future = std::pin::pin!(future);
    loop {
        let is_running = *open_questions.borrow_and_update() == 0;
        let since = Instant::now();
        tokio::select! {
            biased;
            result = &mut future => return Some(result),
            () = sleep(left), if is_running => return None,
            Ok(()) = open_questions.changed() => {
                if is_running {
                    left = left.saturating_sub(since.elapsed());
                }
            }
        }
    }
}

/// Sends a cancel notification if the call is dropped before its response.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    request: Option<RequestId>,
}

impl CancelOnDrop {
    fn new(peer: &Peer<RoleClient>, request: RequestId) -> Self {
        Self { peer: peer.clone(), request: Some(request) }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("nobody waits for it any more".to_owned());
            let cancelled =
                peer.notify_cancelled(CancelledNotificationParam::new(Some(request), reason));
            // The call has ended for its caller, whether the notification is delivered or not.
            let _delivered = timeout(CANCEL_TIMEOUT, cancelled).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-3: the time that a person takes to answer does not count towards the timeout of a call.
    #[tokio::test(start_paused = true)]
    async fn time_stands_still_while_a_person_is_asked() {
        let second = Duration::from_secs(1);
        let asking = watch::Sender::new(0);
        let work = async {
            sleep(second / 2).await;
            asking.send_replace(1);
            sleep(second * 100).await;
            asking.send_replace(0);
            sleep(second / 4).await;
        };
        assert_eq!(within(second, asking.subscribe(), work).await, Some(()));
        let late = async {
            asking.send_replace(1);
            sleep(second * 100).await;
            asking.send_replace(0);
            sleep(second * 2).await;
        };
        assert_eq!(within(second, asking.subscribe(), late).await, None);
    }
}
