//! A tenant's first use: it gets the sample recipes, once, in the language of who uses it first.

use std::sync::PoisonError;

use parlor_database::query;
use parlor_protocol::TenantId;

use super::{RecipeStore, recipes};
use crate::clock;
use crate::error::RecipeError;
use crate::samples::{self, SampleLanguage};

impl RecipeStore {
    /// Adds the samples on the first use of a tenant, in this language. Later it changes
    /// nothing: the recipes belong to the tenant.
    pub async fn first_use(
        &self,
        tenant: &TenantId,
        language: SampleLanguage,
    ) -> Result<(), RecipeError> {
        self.add_samples(tenant, language).await
    }

    /// Adds the samples unless somebody came before, who said in which language.
    pub(super) async fn add_samples_once(&self, tenant: &TenantId) -> Result<(), RecipeError> {
        self.add_samples(tenant, SampleLanguage::default()).await
    }

    /// The tenant's row and the samples are one transaction, and the row stays when the
    /// samples are deleted.
    async fn add_samples(
        &self,
        tenant: &TenantId,
        language: SampleLanguage,
    ) -> Result<(), RecipeError> {
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
            for content in samples::all(language)? {
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
