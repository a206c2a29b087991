//! A tenant's first use: it gets the sample recipes, once.

use std::sync::PoisonError;

use parlor_database::query;
use parlor_protocol::TenantId;

use super::{RecipeStore, recipes};
use crate::clock;
use crate::error::RecipeError;
use crate::samples;

impl RecipeStore {
    /// Adds the samples on the first use of a tenant. The tenant's row and the samples
    /// are one transaction, and the row stays when the samples are deleted.
    pub(super) async fn add_samples_once(&self, tenant: &TenantId) -> Result<(), RecipeError> {
        if self.is_known(tenant) {
            return Ok(());
        }
        let now = clock::now();
        let mut transaction = self.begin().await?;
        let added = query(
            "INSERT INTO tenants (tenant, first_used_at) VALUES ($1, $2)
             ON CONFLICT (tenant) DO NOTHING",
        )
        .bind(tenant.as_str())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        if added > 0 {
            for content in samples::all()? {
                recipes::create(&mut transaction, tenant, content, now).await?;
            }
        }
        transaction.commit().await?;
        self.set_known(tenant);
        Ok(())
    }

    fn is_known(&self, tenant: &TenantId) -> bool {
        self.known_tenants.lock().unwrap_or_else(PoisonError::into_inner).contains(tenant)
    }

    fn set_known(&self, tenant: &TenantId) {
        self.known_tenants.lock().unwrap_or_else(PoisonError::into_inner).insert(tenant.clone());
    }
}
