//! The rows of recipes.

use parlor_database::{Connection, Executor, Row, query};
use parlor_protocol::{TenantId, Timestamp};
use serde::de::DeserializeOwned;

use crate::error::{RecipeError, Refusal};
use crate::limits;
use crate::recipe::{Content, Recipe, RecipeId, Summary};

pub(super) async fn list(
    on: impl Into<Executor<'_>>,
    tenant: &TenantId,
) -> Result<Vec<Summary>, RecipeError> {
    let rows = query(
        "SELECT id, title, description, servings, prep_time_minutes, cook_time_minutes, updated_at
         FROM recipes WHERE tenant = $1 ORDER BY title_key",
    )
    .bind(tenant.as_str())
    .fetch_all(on)
    .await?;
    rows.iter().map(summary).collect()
}

pub(super) async fn get(
    on: impl Into<Executor<'_>>,
    tenant: &TenantId,
    id: RecipeId,
) -> Result<Recipe, RecipeError> {
    let row = query("SELECT * FROM recipes WHERE tenant = $1 AND id = $2")
        .bind(tenant.as_str())
        .bind(id.to_string())
        .fetch_optional(on)
        .await?;
    recipe(&row.ok_or_else(|| not_found(id))?)
}

pub(super) async fn create(
    transaction: &mut Connection,
    tenant: &TenantId,
    content: Content,
    now: Timestamp,
) -> Result<Recipe, RecipeError> {
    let count = query("SELECT COUNT(*) AS recipes FROM recipes WHERE tenant = $1")
        .bind(tenant.as_str())
        .fetch_one(&mut *transaction)
        .await?;
    if count.try_get::<i64>("recipes")? >= limits::RECIPES {
        return Err(Refusal::Full { most: limits::RECIPES }.into());
    }
    let recipe = Recipe { id: RecipeId::make(), content, created_at: now, updated_at: now };
    refuse_taken_title(transaction, tenant, &recipe).await?;
    write(transaction, tenant, &recipe).await?;
    Ok(recipe)
}

/// Replaces the content of a recipe.
pub(super) async fn put(
    transaction: &mut Connection,
    tenant: &TenantId,
    old: Recipe,
    content: Content,
    now: Timestamp,
) -> Result<Recipe, RecipeError> {
    // Each change has a time of its own, also within a millisecond and if the clock was set
    // back: it is the version of the recipe.
    let updated_at = Timestamp(now.0.max(old.updated_at.0.saturating_add(1)));
    let recipe = Recipe { content, updated_at, ..old };
    refuse_taken_title(transaction, tenant, &recipe).await?;
    write(transaction, tenant, &recipe).await?;
    Ok(recipe)
}

/// Deletes a recipe, and returns it as it was.
pub(super) async fn delete(
    transaction: &mut Connection,
    tenant: &TenantId,
    id: RecipeId,
) -> Result<Recipe, RecipeError> {
    let recipe = get(&mut *transaction, tenant, id).await?;
    query("DELETE FROM recipes WHERE tenant = $1 AND id = $2")
        .bind(tenant.as_str())
        .bind(id.to_string())
        .execute(&mut *transaction)
        .await?;
    Ok(recipe)
}

async fn refuse_taken_title(
    transaction: &mut Connection,
    tenant: &TenantId,
    recipe: &Recipe,
) -> Result<(), RecipeError> {
    let other =
        query("SELECT id, title FROM recipes WHERE tenant = $1 AND title_key = $2 AND id <> $3")
            .bind(tenant.as_str())
            .bind(recipe.content.title_key())
            .bind(recipe.id.to_string())
            .fetch_optional(&mut *transaction)
            .await?;
    match other {
        None => Ok(()),
        Some(row) => {
            Err(Refusal::TitleTaken { title: row.try_get("title")?, id: row.try_get("id")? }.into())
        }
    }
}

async fn write(
    transaction: &mut Connection,
    tenant: &TenantId,
    recipe: &Recipe,
) -> Result<(), RecipeError> {
    let content = &recipe.content;
    query(
        "INSERT INTO recipes
         (id, tenant, title, title_key, description, servings, prep_time_minutes,
          cook_time_minutes, ingredients, steps, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (id) DO UPDATE SET
          title = excluded.title, title_key = excluded.title_key,
          description = excluded.description, servings = excluded.servings,
          prep_time_minutes = excluded.prep_time_minutes,
          cook_time_minutes = excluded.cook_time_minutes,
          ingredients = excluded.ingredients, steps = excluded.steps,
          updated_at = excluded.updated_at",
    )
    .bind(recipe.id.to_string())
    .bind(tenant.as_str())
    .bind(&content.title)
    .bind(content.title_key())
    .bind(&content.description)
    .bind(content.servings.map(i64::from))
    .bind(content.prep_time_minutes.map(i64::from))
    .bind(content.cook_time_minutes.map(i64::from))
    .bind(to_json(&content.ingredients)?)
    .bind(to_json(&content.steps)?)
    .bind(recipe.created_at.0)
    .bind(recipe.updated_at.0)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn summary(row: &Row) -> Result<Summary, RecipeError> {
    Ok(Summary {
        id: id(row)?,
        title: row.try_get("title")?,
        description: row.try_get("description")?,
        servings: count(row, "servings")?,
        prep_time_minutes: count(row, "prep_time_minutes")?,
        cook_time_minutes: count(row, "cook_time_minutes")?,
        updated_at: Timestamp(row.try_get("updated_at")?),
    })
}

fn recipe(row: &Row) -> Result<Recipe, RecipeError> {
    Ok(Recipe {
        id: id(row)?,
        content: Content {
            title: row.try_get("title")?,
            description: row.try_get("description")?,
            servings: count(row, "servings")?,
            prep_time_minutes: count(row, "prep_time_minutes")?,
            cook_time_minutes: count(row, "cook_time_minutes")?,
            ingredients: from_json(row, "ingredients")?,
            steps: from_json(row, "steps")?,
        },
        created_at: Timestamp(row.try_get("created_at")?),
        updated_at: Timestamp(row.try_get("updated_at")?),
    })
}

fn id(row: &Row) -> Result<RecipeId, RecipeError> {
    let text: String = row.try_get("id")?;
    text.parse().map_err(|_| RecipeError::Corrupt(format!("column id holds {text:?}")))
}

fn count(row: &Row, column: &str) -> Result<Option<u32>, RecipeError> {
    let number: Option<i64> = row.try_get(column)?;
    let corrupt = |number| RecipeError::Corrupt(format!("column {column} holds {number}"));
    number.map(|number| u32::try_from(number).map_err(|_| corrupt(number))).transpose()
}

fn from_json<T: DeserializeOwned>(row: &Row, column: &str) -> Result<T, RecipeError> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text)
        .map_err(|error| RecipeError::Corrupt(format!("column {column}: {error}")))
}

pub(super) fn to_json(value: &impl serde::Serialize) -> Result<String, RecipeError> {
    serde_json::to_string(value).map_err(|error| RecipeError::Corrupt(error.to_string()))
}

fn not_found(id: RecipeId) -> RecipeError {
    Refusal::NotFound { id: id.to_string() }.into()
}
