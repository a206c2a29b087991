//! The database: a file or a server ([`parlor_database`]).
//!
//! - [`open`]: opening and migrating it.
//! - [`recipes`]: the rows of recipes.
//! - [`runs`]: changes that carried a run id, so that each happens once.
//! - [`tenants`]: the samples for a tenant's first use.
//! - [`transfer`]: the list of tables, for copies into another database.
//!
//! Several processes may write at the same time: every change locks the tenant's row from
//! its beginning, and reads what it needs itself.

mod open;
mod recipes;
mod runs;
mod tenants;
mod transfer;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use parlor_database::{Connection, Database, PoolUse, Transaction, query};
use parlor_metrics::Timings;
use parlor_protocol::TenantId;

use crate::change::{Change, Run};
use crate::clock;
use crate::error::RecipeError;
use crate::recipe::{Recipe, RecipeId, Summary};
use runs::Outcome;

pub use transfer::component;

/// The recipes of all tenants. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RecipeStore {
    database: Database,
    /// Tenants that have had their samples, as far as this process knows.
    known_tenants: Arc<Mutex<HashSet<TenantId>>>,
}

/// A recipe before and after a change that was not made. `None` is no recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    /// The recipe as it is.
    pub before: Option<Recipe>,
    /// The recipe as it would be.
    pub after: Option<Recipe>,
}

impl RecipeStore {
    /// How long writes took until they were on the disk.
    pub fn commits(&self) -> &Timings {
        self.database.commits()
    }

    /// How many connections are in use.
    pub fn pool(&self) -> PoolUse {
        self.database.pool()
    }

    /// All recipes of a tenant, by title.
    pub async fn list(&self, tenant: &TenantId) -> Result<Vec<Summary>, RecipeError> {
        self.add_samples_once(tenant).await?;
        recipes::list(&self.database, tenant).await
    }

    /// One recipe of a tenant.
    pub async fn get(&self, tenant: &TenantId, id: RecipeId) -> Result<Recipe, RecipeError> {
        self.add_samples_once(tenant).await?;
        recipes::get(&self.database, tenant, id).await
    }

    /// Makes a change, all or nothing, and returns the recipe as it is now; a deleted
    /// one as it was. With a run, the same change is made once.
    pub async fn change(
        &self,
        tenant: &TenantId,
        change: Change,
        run: Option<Run<'_>>,
    ) -> Result<Recipe, RecipeError> {
        self.add_samples_once(tenant).await?;
        let mut transaction = self.begin_change(tenant).await?;
        if let Some(run) = run
            && let Some(first) = runs::find(&mut transaction, tenant, run).await?
        {
            return first.into_result();
        }
        let outcome = Outcome::new(apply(&mut transaction, tenant, change).await)?;
        if let Some(run) = run {
            runs::remember(&mut transaction, tenant, run, &outcome).await?;
        }
        transaction.commit().await?;
        outcome.into_result()
    }

    /// What a change would do: it is made in a transaction, which is rolled back.
    pub async fn dry_run(&self, tenant: &TenantId, change: Change) -> Result<DryRun, RecipeError> {
        self.add_samples_once(tenant).await?;
        let mut transaction = self.begin_change(tenant).await?;
        let before = match &change {
            Change::Create(_) => None,
            Change::Replace(id, ..) | Change::Update(id, _) | Change::Delete(id) => {
                Some(recipes::get(&mut transaction, tenant, *id).await?)
            }
        };
        let is_delete = matches!(change, Change::Delete(_));
        let after = apply(&mut transaction, tenant, change).await?;
        // Rolls back.
        drop(transaction);
        Ok(DryRun { before, after: (!is_delete).then_some(after) })
    }

    /// Whether the database can be read and written right now.
    pub async fn check(&self) -> Result<(), RecipeError> {
        Ok(self.database.check().await?)
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// Begins a transaction that excludes other changes of the tenant's recipes: what it
    /// reads is still so when it writes.
    async fn begin_change(&self, tenant: &TenantId) -> Result<Transaction, RecipeError> {
        let mut transaction = self.begin().await?;
        query("UPDATE tenants SET first_used_at = first_used_at WHERE tenant = $1")
            .bind(tenant.as_str())
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    /// Begins a transaction that may read before it writes.
    async fn begin(&self) -> Result<Transaction, RecipeError> {
        Ok(self.database.begin().await?)
    }
}

/// Makes a change inside a transaction. A refusal comes before any write.
async fn apply(
    transaction: &mut Connection,
    tenant: &TenantId,
    change: Change,
) -> Result<Recipe, RecipeError> {
    let now = clock::now();
    match change {
        Change::Create(content) => recipes::create(transaction, tenant, content, now).await,
        Change::Replace(id, content, version) => {
            let old = recipes::get(&mut *transaction, tenant, id).await?;
            if version.is_some_and(|version| version != old.updated_at) {
                return Err(RecipeError::Changed);
            }
            recipes::put(transaction, tenant, old, content, now).await
        }
        Change::Update(id, input) => {
            let old = recipes::get(&mut *transaction, tenant, id).await?;
            let content = input.change(&old.content)?;
            recipes::put(transaction, tenant, old, content, now).await
        }
        Change::Delete(id) => recipes::delete(transaction, tenant, id).await,
    }
}
