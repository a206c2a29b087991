//! What a server may send: that its tools changed, the progress of a call, and questions to the
//! person of a call (M-3). Everything else is refused.

use std::sync::Arc;

use parlor_agent::tools::ElicitationReply;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use tokio::sync::Notify;

use super::apps;
use super::in_flight::{Asker, InFlight};
use super::transport::Ending;

/// A longer question is refused.
const LONGEST_QUESTION: usize = 10_000;
const LARGEST_SCHEMA: usize = 64 << 10;

/// The client side of a connection.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) in_flight: Arc<InFlight>,
    pub(super) tools_changed: Arc<Notify>,
    pub(super) ending: Ending,
    /// Whether pages of the server are shown.
    pub(super) apps: bool,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::new();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        capabilities.extensions = self.apps.then(apps::capability);
        let us = Implementation::new("parlor", env!("CARGO_PKG_VERSION"));
        // The newest version in which a server can ask a question during a call.
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.in_flight.progressed(progress);
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some((message, schema)) = form(request) else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let call = match self.in_flight.asker(context.extensions.get::<InboundStreamOrigin>()) {
            Asker::Call(call) => call,
            Asker::Nobody => return Ok(ElicitResult::new(ElicitationAction::Decline)),
            Asker::Unclear => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        let reply = tokio::select! {
            reply = call.ask(message, schema) => reply,
            () = context.ct.cancelled() => ElicitationReply::Cancel,
            () = self.ending.reached() => ElicitationReply::Cancel,
        };
        Ok(elicited(reply))
    }
}

/// A person's answer, in the form of the protocol.
pub(super) fn elicited(reply: ElicitationReply) -> ElicitResult {
    match reply {
        ElicitationReply::Accept(answer) => {
            ElicitResult::new(ElicitationAction::Accept).with_content(answer)
        }
        ElicitationReply::Decline => ElicitResult::new(ElicitationAction::Decline),
        ElicitationReply::Cancel => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// The message and schema of a question for a person. A question that refers to a web page is
/// refused: Parlor cannot see what happens there.
pub(super) fn form(request: ElicitRequestParams) -> Option<(String, Value)> {
    let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request
    else {
        return None;
    };
    let schema = serde_json::to_value(requested_schema).ok()?;
    let fits = message.len() <= LONGEST_QUESTION && schema.to_string().len() <= LARGEST_SCHEMA;
    fits.then_some((message, schema))
}
