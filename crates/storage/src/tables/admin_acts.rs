//! What administrators did that changes who may come in, or what runs. Only ever added to.

use parlor_database::{Row, query};
use parlor_protocol::{PersonId, TenantId, Timestamp};
use serde::Serialize;

use crate::columns::{optional, parsed};
use crate::error::StorageError;
use crate::pages::{self, PageCursor};
use crate::store::Store;

/// Something that an administrator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdminAct {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The tenant; its administrators know it.
    #[serde(skip)]
    pub tenant: TenantId,
    /// The session or key that did it.
    pub session: String,
    /// The name of the person, or that of the session or key of the shared account.
    pub name: String,
    /// The person who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// What: `key_created`, `person_disabled`, …
    pub act: String,
    /// Whom or what it was about, by id.
    pub subject: String,
    /// The same by name.
    pub subject_name: String,
}

/// A page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdminActPage {
    /// The acts, newest first.
    pub acts: Vec<AdminAct>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl Store {
    /// Adds an act.
    pub async fn add_admin_act(&self, act: &AdminAct) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        query(
            "INSERT INTO admin_acts
             (id, at, tenant, session, name, person, act, subject, subject_name)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&act.id)
        .bind(act.at.0)
        .bind(act.tenant.as_str())
        .bind(&act.session)
        .bind(&act.name)
        .bind(act.person.map(|person| person.to_string()))
        .bind(&act.act)
        .bind(&act.subject)
        .bind(&act.subject_name)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The acts of a tenant's administrators, newest first, from a cursor on.
    pub async fn admin_acts(
        &self,
        tenant: &TenantId,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<AdminActPage, StorageError> {
        let (at, id) = PageCursor::bounds(before);
        let rows = query(
            "SELECT * FROM admin_acts WHERE tenant = $1 AND (at < $2 OR (at = $2 AND id < $3))
             ORDER BY at DESC, id DESC LIMIT $4",
        )
        .bind(tenant.as_str())
        .bind(at)
        .bind(id)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.reader())
        .await?;
        let rows = rows.iter().map(admin_act).collect::<Result<_, _>>()?;
        let (acts, next_before) =
            pages::cut(rows, limit, |row: &AdminAct| (row.at, row.id.clone()));
        Ok(AdminActPage { acts, next_before })
    }
}

pub(crate) fn admin_act(row: &Row) -> Result<AdminAct, StorageError> {
    Ok(AdminAct {
        id: row.try_get("id")?,
        at: Timestamp(row.try_get("at")?),
        tenant: parsed(row, "tenant")?,
        session: row.try_get("session")?,
        name: row.try_get("name")?,
        person: optional(row, "person")?,
        act: row.try_get("act")?,
        subject: row.try_get("subject")?,
        subject_name: row.try_get("subject_name")?,
    })
}
