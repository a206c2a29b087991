//! Apps: pages that MCP servers bring, and what these pages call (I-6).
//!
//! A page is served with a policy of its own: in a sandbox, so that its origin is nobody's, and with
//! the origins that its server named. It can be shown only inside our own page, and reaches nothing
//! of ours but by asking the page around it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parlor_agent::tools::AppPage;
use parlor_chat::AppCallOutcome;
use parlor_protocol::{ConversationId, MessageId, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::body::Json;
use super::errors::ApiError;
use super::{edge, json};
use crate::app::App;
use crate::auth::Principal;

const LONGEST_NAME: usize = 128;

/// A call of an app.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppCall {
    /// The tool's name at its server.
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// What became of it: a result, or the turn in which it is made.
#[derive(Debug, Serialize)]
struct AppCallAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<TurnId>,
}

/// `GET /api/conversations/{id}/apps/{message}/page`: the page that shows the result of a tool.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    principal: Principal,
    Path((conversation, message)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (conversation, message) = ids(&conversation, &message)?;
    let page = app.chat.app_page(&principal.caller, conversation, message).await?;
    let policy = policy(&page);
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    let mut response = (kind, page.html).into_response();
    response.extensions_mut().insert(edge::FramePolicy::for_own_pages(policy?));
    Ok(response)
}

/// `POST /api/conversations/{id}/apps/{message}/call`: a call of that page. A call that needs no
/// approval and only reads is answered at once (200); any other begins a turn (202).
pub(crate) async fn call(
    State(app): State<Arc<App>>,
    principal: Principal,
    Path((conversation, message)): Path<(String, String)>,
    Json(call): Json<AppCall>,
) -> Result<Response, ApiError> {
    let (conversation, message) = ids(&conversation, &message)?;
    if call.tool.is_empty() || call.tool.len() > LONGEST_NAME {
        return Err(ApiError::malformed("tool: it must have 1 to 128 characters."));
    }
    app.rate_limits.take_app_call(&principal.caller.session).await?;
    let AppCall { tool, arguments } = call;
    let outcome =
        app.chat.call_from_app(&principal.caller, conversation, message, &tool, arguments);
    match outcome.await? {
        AppCallOutcome::Answered(result) => {
            json(&AppCallAnswer { result: Some(result.into_inner()), turn_id: None })
        }
        AppCallOutcome::Began(begun) => {
            let answer = AppCallAnswer { result: None, turn_id: Some(begun.turn_id) };
            Ok((StatusCode::ACCEPTED, json(&answer)?).into_response())
        }
    }
}

fn ids(conversation: &str, message: &str) -> Result<(ConversationId, MessageId), ApiError> {
    let conversation = conversation.parse().map_err(|_| ApiError::not_found())?;
    let message = message.parse().map_err(|_| ApiError::not_found())?;
    Ok((conversation, message))
}

/// What the page may do. Its scripts and styles stand in the page itself.
fn policy(page: &AppPage) -> Result<HeaderValue, ApiError> {
    let from = |own: &str, origins: &[String]| -> String {
        let all: Vec<&str> =
            own.split_whitespace().chain(origins.iter().map(String::as_str)).collect();
        if all.is_empty() { "'none'".to_owned() } else { all.join(" ") }
    };
    let resources = &page.resources;
    let policy = format!(
        "sandbox allow-scripts allow-forms; default-src 'none'; script-src {}; style-src {}; \
         img-src {}; font-src {}; media-src {}; connect-src {}; frame-src {}; worker-src blob:; \
         form-action 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'self'",
        from("'unsafe-inline' blob:", resources),
        from("'unsafe-inline'", resources),
        from("data: blob:", resources),
        from("data:", resources),
        from("data: blob:", resources),
        from("", &page.connect),
        from("", &page.frames),
    );
    HeaderValue::try_from(policy).map_err(|_| ApiError::internal())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-6: what a page may do is what its server named, and never anything of ours.
    #[test]
    fn the_policy_of_a_page() {
        let page = AppPage {
            html: String::new(),
            connect: vec!["https://api.example.org".to_owned()],
            resources: vec!["https://cdn.example.org".to_owned()],
            frames: Vec::new(),
        };
        let policy = policy(&page).unwrap();
        assert_eq!(
            policy.to_str().unwrap(),
            "sandbox allow-scripts allow-forms; default-src 'none'; \
             script-src 'unsafe-inline' blob: https://cdn.example.org; \
             style-src 'unsafe-inline' https://cdn.example.org; \
             img-src data: blob: https://cdn.example.org; font-src data: https://cdn.example.org; \
             media-src data: blob: https://cdn.example.org; connect-src https://api.example.org; \
             frame-src 'none'; worker-src blob:; form-action 'none'; base-uri 'none'; \
             object-src 'none'; frame-ancestors 'self'"
        );
    }
}
