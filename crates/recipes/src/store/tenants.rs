//! A tenant's first use: it finds some recipes there, once.

use std::sync::PoisonError;

use parlor_protocol::TenantId;

use super::{RecipeStore, recipes};
use crate::clock;
use crate::error::RecipeError;
use crate::samples;

impl RecipeStore {
    /// Puts the samples there if nobody of this tenant has been here before. The
    /// mark and the samples are one transaction, and the mark stays when they go.
    pub(super) async fn welcome(&self, tenant: &TenantId) -> Result<(), RecipeError> {
        if self.is_welcomed(tenant) {
            return Ok(());
        }
        let now = clock::now();
        let mut transaction = self.write().await?;
        let marked = sqlx::query(
            "INSERT INTO tenants (tenant, first_used_at) VALUES ($1, $2)
             ON CONFLICT (tenant) DO NOTHING",
        )
        .bind(tenant.as_str())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        if marked.rows_affected() > 0 {
            for content in samples::all()? {
                recipes::create(&mut transaction, tenant, content, now).await?;
            }
        }
        transaction.commit().await?;
        self.set_welcomed(tenant);
        Ok(())
    }

    fn is_welcomed(&self, tenant: &TenantId) -> bool {
        self.welcomed.lock().unwrap_or_else(PoisonError::into_inner).contains(tenant)
    }

    fn set_welcomed(&self, tenant: &TenantId) {
        self.welcomed.lock().unwrap_or_else(PoisonError::into_inner).insert(tenant.clone());
    }
}
