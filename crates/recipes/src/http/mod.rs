//! The HTTP routes. The server authenticates requests before, and decides the
//! status and body of errors.

mod extract;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use parlor_protocol::TenantId;
use serde::Serialize;
use serde_json::json;

use crate::change::Change;
use crate::error::RecipeError;
use crate::input::RecipeInput;
use crate::recipe::Recipe;
use crate::store::RecipeStore;
use extract::{IfMatch, JsonBody, RecipePath, version_tag};

/// The tenant whose recipes a request may see. The server puts it into the request's
/// extensions once the request is authenticated; without it nothing is served.
#[derive(Debug, Clone)]
pub struct TenantScope(pub TenantId);

/// The response to a request, or to its error.
type Answer = Result<Response, Response>;

/// The state of the handlers.
#[derive(Debug, Clone)]
struct Vault {
    store: RecipeStore,
    refuse: fn(RecipeError) -> Response,
}

/// The routes of `/api/recipes`. `refuse` makes the response to an error.
pub fn router<S>(store: RecipeStore, refuse: fn(RecipeError) -> Response) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new()
        .route("/api/recipes", get(list).post(create))
        .route("/api/recipes/{id}", get(read).put(replace).delete(delete))
        .with_state(Vault { store, refuse })
}

/// `GET /api/recipes`.
async fn list(State(vault): State<Vault>, TenantScope(tenant): TenantScope) -> Answer {
    let recipes = vault.store.list(&tenant).await.map_err(vault.refuse)?;
    Ok(vault.answer(StatusCode::OK, &json!({"recipes": recipes})))
}

/// `POST /api/recipes`.
async fn create(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    JsonBody(input): JsonBody<RecipeInput>,
) -> Answer {
    let content = input.complete().map_err(vault.refuse)?;
    let change = Change::Create(content);
    let recipe = vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    let mut answer = vault.versioned(StatusCode::CREATED, &recipe);
    if let Ok(location) = HeaderValue::try_from(format!("/api/recipes/{}", recipe.id)) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    Ok(answer)
}

/// `GET /api/recipes/{id}`.
async fn read(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    RecipePath(id): RecipePath,
) -> Answer {
    let recipe = vault.store.get(&tenant, id).await.map_err(vault.refuse)?;
    Ok(vault.versioned(StatusCode::OK, &recipe))
}

/// `PUT /api/recipes/{id}`: the whole recipe; fields that are left out are removed. With
/// `If-Match`, only if nobody changed it in the meantime.
async fn replace(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    RecipePath(id): RecipePath,
    IfMatch(version): IfMatch,
    JsonBody(input): JsonBody<RecipeInput>,
) -> Answer {
    let content = input.complete().map_err(vault.refuse)?;
    let change = Change::Replace(id, content, version);
    let recipe = vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    Ok(vault.versioned(StatusCode::OK, &recipe))
}

/// `DELETE /api/recipes/{id}`.
async fn delete(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    RecipePath(id): RecipePath,
) -> Result<StatusCode, Response> {
    let change = Change::Delete(id);
    vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    Ok(StatusCode::NO_CONTENT)
}

impl Vault {
    /// A recipe with its version, for `If-Match`.
    fn versioned(&self, status: StatusCode, recipe: &Recipe) -> Response {
        let mut answer = self.answer(status, recipe);
        if let Ok(version) = HeaderValue::try_from(version_tag(recipe.updated_at)) {
            answer.headers_mut().insert(header::ETAG, version);
        }
        answer
    }

    fn answer(&self, status: StatusCode, value: &impl Serialize) -> Response {
        let body = match serde_json::to_vec(value) {
            Ok(body) => body,
            Err(error) => return (self.refuse)(RecipeError::Corrupt(error.to_string())),
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::FromRequestParts;
    use axum::http::Request;

    use super::*;

    /// a request without a tenant is refused.
    #[tokio::test]
    async fn without_a_tenant_nothing_is_served() {
        let dir = tempfile::tempdir().unwrap();
        let store = RecipeStore::open(&dir.path().join("recipes.db")).await.unwrap();
        let refuse = |error: RecipeError| Response::new(Body::from(error.code().as_str()));
        let vault = Vault { store, refuse };
        let (mut parts, ()) = Request::new(()).into_parts();
        assert!(TenantScope::from_request_parts(&mut parts, &vault).await.is_err());
        parts.extensions.insert(TenantScope("home".parse().unwrap()));
        assert!(TenantScope::from_request_parts(&mut parts, &vault).await.is_ok());
    }
}
