//! Extractors: the tenant, the recipe in the path, and the body. Unknown fields are
//! ignored, so that a client may send back a recipe as it got it.

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use parlor_protocol::Timestamp;
use serde::de::DeserializeOwned;

use super::{TenantScope, Vault};
use crate::error::{RecipeError, Refusal};
use crate::limits;
use crate::recipe::RecipeId;

/// The recipe in the path. A text that is not an id is a 404, like an unknown id.
pub(super) struct RecipePath(pub(super) RecipeId);

/// The version that the request is about, if it names one: that of an `ETag`.
pub(super) struct IfMatch(pub(super) Option<Timestamp>);

/// The body, as JSON.
pub(super) struct JsonBody<T>(pub(super) T);

impl FromRequestParts<Vault> for TenantScope {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, vault: &Vault) -> Result<Self, Response> {
        parts.extensions.get().cloned().ok_or_else(|| (vault.refuse)(RecipeError::NoTenant))
    }
}

impl FromRequestParts<Vault> for RecipePath {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, vault: &Vault) -> Result<Self, Response> {
        let id = Path::<String>::from_request_parts(parts, vault).await;
        let id = id.map(|Path(id)| id).unwrap_or_default();
        id.parse().map(Self).map_err(|_| (vault.refuse)(Refusal::NotFound { id }.into()))
    }
}

impl FromRequestParts<Vault> for IfMatch {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, vault: &Vault) -> Result<Self, Response> {
        let mut given = parts.headers.get_all(header::IF_MATCH).iter();
        match (given.next().map(HeaderValue::to_str), given.next()) {
            (None, _) | (Some(Ok("*")), None) => Ok(Self(None)),
            (Some(Ok(tag)), None) if version(tag).is_some() => Ok(Self(version(tag))),
            _ => {
                let why = "If-Match: give the ETag of the recipe as it was read";
                Err((vault.refuse)(RecipeError::invalid(why)))
            }
        }
    }
}

/// The `ETag` of a recipe that was last changed then.
pub(super) fn version_tag(version: Timestamp) -> String {
    format!("\"{}\"", version.0)
}

/// A proxy that packs an answer makes its tag a weak one, which names the same version.
fn version(tag: &str) -> Option<Timestamp> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let version = Timestamp(tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()?);
    (version_tag(version) == tag).then_some(version)
}

impl<T: DeserializeOwned> FromRequest<Vault> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, vault: &Vault) -> Result<Self, Response> {
        let too_large = |_| (vault.refuse)(RecipeError::TooLarge(limits::BODY));
        let body = to_bytes(request.into_body(), limits::BODY).await.map_err(too_large)?;
        parse(&body).map(Self).map_err(vault.refuse)
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, RecipeError> {
    // serde would accept an array as the fields in their order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(RecipeError::invalid("the body must be a JSON object"));
    }
    let not_json =
        |why: &serde_json::Error| RecipeError::invalid(format!("the body is not JSON: {why}"));
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        match error.inner().is_data() {
            true => RecipeError::wrong_type(&error),
            false => not_json(error.inner()),
        }
    })?;
    json.end().map_err(|why| not_json(&why))?;
    Ok(value)
}
