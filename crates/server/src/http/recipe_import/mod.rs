//! `POST /api/recipes/import`: a recipe from a web page or from text, as a draft. Nothing is
//! stored: the person reviews it and saves it as any recipe.
//!
//! It counts as a message, because it can make this server ask another one ([`page`]).

mod page;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_chat::Caller;
use serde::Deserialize;

use super::body::Json;
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;
use page::PageReader;

/// Exactly one of both.
#[derive(Debug, Deserialize)]
pub(crate) struct Import {
    /// A page, JSON, or words.
    #[serde(default)]
    text: Option<String>,
    /// The address of a page.
    #[serde(default)]
    url: Option<String>,
}

/// The draft, and what was not understood.
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    principal: Principal,
    ClientAddress(address): ClientAddress,
    Json(Import { text, url }): Json<Import>,
) -> Result<Response, ApiError> {
    let Caller { session, tenant, .. } = &principal.caller;
    let sender = Sender { session, address, tenant, project: None };
    app.rate_limits.take(&sender).await?;
    let text = match (text, url) {
        (Some(text), None) => text,
        (None, Some(url)) => PageReader::new().read(&url).await?,
        _ => return Err(ApiError::malformed("Give either a text or a url.")),
    };
    json(&parlor_recipes::import(&text)?)
}
