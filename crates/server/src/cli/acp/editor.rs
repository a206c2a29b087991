//! The editor at the other end of standard input and output: what it is sent, and what it is
//! asked.
//!
//! A request of ours waits in a map until its response comes. The editor may never answer:
//! whoever waits can stop waiting, and then withdraws the request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CancelRequestNotification, ClientCapabilities, Error,
    PROTOCOL_LEVEL_METHOD_NAMES, SessionId, SessionNotification, SessionUpdate,
};
use parlor_process::LineWriter;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;

use super::json_rpc::{self, RpcError};

/// The editor.
#[derive(Debug)]
pub(super) struct Editor {
    lines: LineWriter,
    asked: Mutex<Asked>,
    capabilities: OnceLock<ClientCapabilities>,
}

/// Requests that wait for a response.
#[derive(Debug, Default)]
struct Asked {
    last: i64,
    waiting: HashMap<i64, oneshot::Sender<Result<Value, RpcError>>>,
}

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Asking {
    id: i64,
    response: oneshot::Receiver<Result<Value, RpcError>>,
}

/// The editor has gone: it no longer reads.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the editor has gone")]
pub(super) struct Gone;

impl Editor {
    pub(super) fn new(lines: LineWriter) -> Self {
        Self { lines, asked: Mutex::default(), capabilities: OnceLock::new() }
    }

    /// Keeps what the editor said that it can do. It says so once.
    pub(super) fn set_capabilities(&self, capabilities: ClientCapabilities) {
        let _said_before = self.capabilities.set(capabilities);
    }

    /// Whether it can show a form.
    pub(super) fn has_forms(&self) -> bool {
        let elicitation = self.capabilities.get().and_then(|can| can.elicitation.as_ref());
        elicitation.is_some_and(|elicitation| elicitation.supports_form())
    }

    /// Responds to a request of the editor.
    pub(super) async fn respond(
        &self,
        id: &Value,
        outcome: Result<Value, Error>,
    ) -> Result<(), Gone> {
        self.send(json_rpc::response(id, outcome)).await
    }

    /// Sends updates of a conversation, in order.
    pub(super) async fn update(
        &self,
        session: &SessionId,
        updates: Vec<SessionUpdate>,
    ) -> Result<(), Gone> {
        for update in updates {
            let notification = SessionNotification::new(session.clone(), update);
            let method = CLIENT_METHOD_NAMES.session_update;
            self.send(json_rpc::notification(method, &notification)).await?;
        }
        Ok(())
    }

    /// Sends a request.
    pub(super) async fn ask(&self, method: &str, params: &impl Serialize) -> Result<Asking, Gone> {
        let (sender, response) = oneshot::channel();
        let id = {
            let mut asked = self.asked();
            asked.last += 1;
            let id = asked.last;
            asked.waiting.insert(id, sender);
            id
        };
        self.send(json_rpc::request(id, method, params)).await?;
        Ok(Asking { id, response })
    }

    /// Takes the response to a request. One that nobody waits for is dropped.
    pub(super) fn answered(&self, id: &Value, outcome: Result<Value, RpcError>) {
        let waiting = id.as_i64().and_then(|id| self.asked().waiting.remove(&id));
        if let Some(waiting) = waiting {
            let _nobody_waits = waiting.send(outcome);
        }
    }

    /// Tells the editor that a request needs no answer any more.
    pub(super) async fn withdraw(&self, id: i64) -> Result<(), Gone> {
        if self.asked().waiting.remove(&id).is_none() {
            return Ok(());
        }
        let method = PROTOCOL_LEVEL_METHOD_NAMES.cancel_request;
        self.send(json_rpc::notification(method, &CancelRequestNotification::new(id))).await
    }

    /// Stops waiting for a request without telling the editor, which withdrew it itself.
    pub(super) fn forget(&self, id: i64) {
        self.asked().waiting.remove(&id);
    }

    async fn send(&self, line: Vec<u8>) -> Result<(), Gone> {
        self.lines.send(line).await.map_err(|_| Gone)
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    /// The id of the request.
    pub(super) fn id(&self) -> i64 {
        self.id
    }

    /// Waits for the response; `None` once the request was withdrawn.
    pub(super) async fn response(self) -> Option<Result<Value, RpcError>> {
        self.response.await.ok()
    }
}
