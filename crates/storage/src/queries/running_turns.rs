//! The turns that run on all nodes, for the limits on turns at the same time.

use parlor_database::query;
use parlor_protocol::{ProjectId, TenantId};

use crate::columns::counter;
use crate::error::StorageError;
use crate::store::Store;

/// How many turns run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningTurns {
    /// Those of the tenant.
    pub of_tenant: u64,
    /// Those of one project of the tenant.
    pub of_project: u64,
}

impl Store {
    /// The turns that run now, whichever node takes them.
    pub async fn running_turns(
        &self,
        tenant: &TenantId,
        project: &ProjectId,
    ) -> Result<RunningTurns, StorageError> {
        let row = query(
            "SELECT COUNT(*) AS of_tenant, COUNT(*) FILTER (WHERE c.project = $2) AS of_project
             FROM turns t JOIN conversations c ON c.id = t.conversation_id
             WHERE t.tenant = $1 AND t.status = 'running'",
        )
        .bind(tenant.as_str())
        .bind(project.as_str())
        .fetch_one(self.reader())
        .await?;
        Ok(RunningTurns {
            of_tenant: counter(&row, "of_tenant")?,
            of_project: counter(&row, "of_project")?,
        })
    }
}
