//! The HTTP routes. They answer for whomever the server let in; how a
//! refusal looks, and which status it has, is the server's to say.

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
use crate::store::RecipeStore;
use extract::{Given, Named};

/// Whose recipes a request may see. The server puts it into the request's
/// extensions when it knows who is asking; without it nothing is served.
#[derive(Debug, Clone)]
pub struct TenantScope(pub TenantId);

/// Either way it is an answer.
type Answer = Result<Response, Response>;

/// What the handlers can reach.
#[derive(Debug, Clone)]
struct Vault {
    store: RecipeStore,
    refuse: fn(RecipeError) -> Response,
}

/// The routes of `/api/recipes`. `refuse` writes a refusal.
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
    Given(input): Given<RecipeInput>,
) -> Answer {
    let content = input.complete().map_err(vault.refuse)?;
    let change = Change::Create(content);
    let recipe = vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    let mut answer = vault.answer(StatusCode::CREATED, &recipe);
    if let Ok(place) = HeaderValue::try_from(format!("/api/recipes/{}", recipe.id)) {
        answer.headers_mut().insert(header::LOCATION, place);
    }
    Ok(answer)
}

/// `GET /api/recipes/{id}`.
async fn read(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    Named(id): Named,
) -> Answer {
    let recipe = vault.store.get(&tenant, id).await.map_err(vault.refuse)?;
    Ok(vault.answer(StatusCode::OK, &recipe))
}

/// `PUT /api/recipes/{id}`: the whole recipe; what is left out is gone.
async fn replace(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    Named(id): Named,
    Given(input): Given<RecipeInput>,
) -> Answer {
    let content = input.complete().map_err(vault.refuse)?;
    let change = Change::Replace(id, content);
    let recipe = vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    Ok(vault.answer(StatusCode::OK, &recipe))
}

/// `DELETE /api/recipes/{id}`.
async fn delete(
    State(vault): State<Vault>,
    TenantScope(tenant): TenantScope,
    Named(id): Named,
) -> Result<StatusCode, Response> {
    let change = Change::Delete(id);
    vault.store.change(&tenant, change, None).await.map_err(vault.refuse)?;
    Ok(StatusCode::NO_CONTENT)
}

impl Vault {
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

    /// a request that nobody vouched for gets nothing.
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
