//! The loop over the editor's lines. Each request is carried out in a task of its own, so
//! that a prompt can be cancelled, and questions be answered, while it runs.

use std::collections::HashMap;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CancelNotification, CancelRequestNotification, Error,
    PROTOCOL_LEVEL_METHOD_NAMES, SessionId,
};
use parlor_process::{LineError, LineReader};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::task::{JoinError, JoinSet};

use super::agent::{Agent, Begun};
use super::editor::Gone;
use super::json_rpc::{self, Incoming};

/// The longest line: an image of several megabytes, and text beside it.
const LONGEST_LINE: usize = 32 << 20;
/// How many requests are carried out at once.
const MOST_REQUESTS: usize = 256;

/// Serves the editor until it closes the input, or no longer reads.
pub(super) async fn serve(agent: Arc<Agent>, input: impl AsyncRead + Unpin) -> anyhow::Result<()> {
    match serve_lines(agent, input).await {
        Err(error) if error.is::<Gone>() => Ok(()),
        served => served,
    }
}

async fn serve_lines(agent: Arc<Agent>, input: impl AsyncRead + Unpin) -> anyhow::Result<()> {
    let mut lines = LineReader::new(input, LONGEST_LINE);
    let mut requests = Requests::new(agent);
    loop {
        tokio::select! {
            line = lines.next() => match line {
                Ok(Some(line)) => requests.line(&line).await?,
                Ok(None) | Err(LineError::Unfinished) => return Ok(()),
                Err(error) => {
                    let parse_error = Error::parse_error().data(json!(error.to_string()));
                    requests.refuse(&Value::Null, parse_error).await?;
                    return Err(anyhow::Error::new(error).context("the editor"));
                }
            },
            Some(ended) = requests.tasks.join_next() => requests.ended(ended)?,
        }
    }
}

/// The requests that are being carried out. Dropping it ends them.
struct Requests {
    agent: Arc<Agent>,
    tasks: JoinSet<(String, Result<(), Gone>)>,
    /// The prompts among them, by the ids of their requests.
    prompts: HashMap<String, SessionId>,
}

impl Requests {
    fn new(agent: Arc<Agent>) -> Self {
        Self { agent, tasks: JoinSet::new(), prompts: HashMap::new() }
    }

    async fn line(&mut self, line: &[u8]) -> Result<(), Gone> {
        match json_rpc::parse(line) {
            None => Ok(()),
            Some(Incoming::Request { id, method, params }) => {
                self.request(id, method, params).await
            }
            Some(Incoming::Notification { method, params }) => {
                self.notification(&method, &params);
                Ok(())
            }
            Some(Incoming::Response { id, outcome }) => {
                self.agent.editor.answered(&id, outcome);
                Ok(())
            }
            Some(Incoming::Invalid { id, error }) => self.refuse(&id, error).await,
        }
    }

    async fn request(&mut self, id: Value, method: String, params: Value) -> Result<(), Gone> {
        if self.tasks.len() >= MOST_REQUESTS {
            let why = json!("too many requests at the same time");
            return self.refuse(&id, Error::internal_error().data(why)).await;
        }
        let session = params.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        let begun = match self.agent.begin(method, params) {
            Ok(begun) => begun,
            Err(error) => return self.refuse(&id, error).await,
        };
        let key = id.to_string();
        if let (Begun::Prompt(_), Some(session)) = (&begun, session) {
            self.prompts.insert(key.clone(), SessionId::new(session));
        }
        let agent = Arc::clone(&self.agent);
        self.tasks.spawn(async move { (key, carry_out(&agent, &id, begun).await) });
        Ok(())
    }

    /// Unknown notifications are ignored.
    fn notification(&self, method: &str, params: &Value) {
        if method == AGENT_METHOD_NAMES.session_cancel {
            if let Ok(cancel) = CancelNotification::deserialize(params) {
                self.agent.cancel(&cancel.session_id);
            }
        } else if method == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request
            && let Ok(cancel) = CancelRequestNotification::deserialize(params)
            && let Some(session) = self.prompts.get(&json!(cancel.request_id).to_string())
        {
            self.agent.cancel(session);
        }
    }

    async fn refuse(&self, id: &Value, error: Error) -> Result<(), Gone> {
        self.agent.editor.respond(id, Err(error)).await
    }

    fn ended(&mut self, ended: Result<(String, Result<(), Gone>), JoinError>) -> Result<(), Gone> {
        let Ok((key, written)) = ended else { return Ok(()) };
        self.prompts.remove(&key);
        written
    }
}

async fn carry_out(agent: &Agent, id: &Value, begun: Begun) -> Result<(), Gone> {
    match agent.carry_out(begun).await {
        Ok(reply) => {
            agent.editor.respond(id, Ok(reply.result)).await?;
            if let Some(session) = reply.attach {
                session.attach();
            }
            Ok(())
        }
        Err(error) => agent.editor.respond(id, Err(error)).await,
    }
}
