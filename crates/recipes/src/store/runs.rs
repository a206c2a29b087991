//! Changes that carried a run id. The row is written in the transaction of the
//! change, so there is never one without the other, even after `kill -9`: the same
//! run again gets the first outcome, even if that is a refusal, and changes nothing.

use parlor_database::{Connection, query};
use parlor_protocol::TenantId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recipes::to_json;
use crate::change::Run;
use crate::clock;
use crate::error::{RecipeError, Refusal};
use crate::recipe::Recipe;

/// How long a run is remembered: far longer than any client retries.
const REMEMBERED_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// How a run ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Done(Box<Recipe>),
    Refused(Refusal),
}

impl Outcome {
    /// The outcome to remember. Validation errors and failures are none: nothing was
    /// changed, and nothing is remembered.
    pub(super) fn new(result: Result<Recipe, RecipeError>) -> Result<Self, RecipeError> {
        match result {
            Ok(recipe) => Ok(Self::Done(Box::new(recipe))),
            Err(RecipeError::Refused(refusal)) => Ok(Self::Refused(refusal)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn into_result(self) -> Result<Recipe, RecipeError> {
        match self {
            Self::Done(recipe) => Ok(*recipe),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }
}

/// The outcome of the same run, if there was one. The same id with another tool or
/// other arguments is an error.
pub(super) async fn find(
    transaction: &mut Connection,
    tenant: &TenantId,
    run: Run<'_>,
) -> Result<Option<Outcome>, RecipeError> {
    let row = query("SELECT tool, arguments, outcome FROM runs WHERE tenant = $1 AND run_id = $2")
        .bind(tenant.as_str())
        .bind(run.id.as_str())
        .fetch_optional(&mut *transaction)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let (tool, arguments): (String, String) = (row.try_get("tool")?, row.try_get("arguments")?);
    let arguments: Value = from_json(&arguments)?;
    if tool != run.tool || arguments != *run.arguments {
        return Err(RecipeError::RunReused(run.id.to_string()));
    }
    let outcome: String = row.try_get("outcome")?;
    Ok(Some(from_json(&outcome)?))
}

/// Stores a run, and deletes those that are too old.
pub(super) async fn remember(
    transaction: &mut Connection,
    tenant: &TenantId,
    run: Run<'_>,
    outcome: &Outcome,
) -> Result<(), RecipeError> {
    let now = clock::now().0;
    query("DELETE FROM runs WHERE at < $1")
        .bind(now - REMEMBERED_MS)
        .execute(&mut *transaction)
        .await?;
    query(
        "INSERT INTO runs (tenant, run_id, tool, arguments, outcome, at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(tenant.as_str())
    .bind(run.id.as_str())
    .bind(run.tool)
    .bind(to_json(run.arguments)?)
    .bind(to_json(outcome)?)
    .bind(now)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, RecipeError> {
    serde_json::from_str(text).map_err(|error| RecipeError::Corrupt(format!("a run: {error}")))
}
