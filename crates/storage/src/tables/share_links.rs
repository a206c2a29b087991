//! Links with which a conversation is shared (Y-2).
//!
//! A link is found by the hash of its token alone. It is in force until it expires, is taken back, its
//! conversation is deleted, or whoever made it is shut out.

use parlor_database::{Row, query};
use parlor_protocol::{
    ConversationId, LinkAudience, PersonId, ProjectId, ShareLinkId, TenantId, Timestamp,
};
use serde::Serialize;

use crate::columns::{counter, optional_counter, parsed};
use crate::error::StorageError;
use crate::scope::{Scope, sees, sees_conversation};
use crate::store::Store;

/// A link that is made.
#[derive(Debug, Clone)]
pub struct NewShareLink {
    /// Its id.
    pub id: ShareLinkId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The person who makes it.
    pub person: Option<PersonId>,
    /// Their name, or that of the session or key of the shared account.
    pub name: String,
    /// Who may open it.
    pub audience: LinkAudience,
    /// Whether it shows what follows too; otherwise only what is there when it is made.
    pub follows: bool,
    /// Whether it shows what tools gave back.
    pub results: bool,
    /// When it is made.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

/// A link that is in force, for those who may take it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedShareLink {
    /// Its id.
    pub id: ShareLinkId,
    /// The name of who made it.
    pub made_by: String,
    /// Who may open it.
    pub audience: LinkAudience,
    /// Whether it shows what follows too.
    pub follows: bool,
    /// Whether it shows what tools gave back.
    pub results: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// How often it was opened.
    pub opened: u64,
    /// When it was last opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_opened_at: Option<Timestamp>,
}

/// A link that somebody opens with its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareLink {
    /// Its id.
    pub id: ShareLinkId,
    /// The tenant.
    pub tenant: TenantId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The project of the conversation.
    pub project: ProjectId,
    /// Who may open it.
    pub audience: LinkAudience,
    /// When it was made.
    pub created_at: Timestamp,
    /// The last number of the log that it shows; none if it shows what follows too.
    pub until: Option<u64>,
    /// The title that the conversation had then.
    pub(crate) title: Option<String>,
    /// The number of the last turn of the path as it was then, if there were branches.
    pub(crate) leaf: Option<u64>,
    /// Whether it shows what tools gave back.
    pub results: bool,
}

/// Whether a link is in force at the time $2.
const IN_FORCE: &str = "(l.expires_at IS NULL OR l.expires_at > $2) AND NOT EXISTS
     (SELECT 1 FROM people p WHERE p.id = l.person AND p.disabled_at IS NOT NULL)";

impl Store {
    /// Stores a link to a conversation that is seen, under the hash of its token. Unless it follows, it
    /// shows what is there now. Those of the conversation that expired are removed.
    pub async fn add_share_link(
        &self,
        scope: &Scope,
        hash: &str,
        new: &NewShareLink,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        query("DELETE FROM share_links WHERE conversation_id = $1 AND expires_at <= $2")
            .bind(new.conversation.to_string())
            .bind(new.created_at.0)
            .execute(&mut *transaction)
            .await?;
        let insert = query(format!(
            "INSERT INTO share_links (id, hash, tenant, conversation_id, person, name, audience,
                 until, title, leaf, results, created_at, expires_at)
             SELECT $1, $2, c.tenant, c.id, $3, $4, $5,
                 CASE WHEN $6 THEN NULL ELSE COALESCE((SELECT MAX(e.seq) FROM events e
                     WHERE e.conversation_id = c.id AND e.kind <> 'block'), 0) END,
                 CASE WHEN $6 THEN NULL ELSE c.title END,
                 CASE WHEN $6 THEN NULL ELSE c.leaf END,
                 $7, $8, $9
             FROM conversations c WHERE c.id = $10 AND {}",
            sees(11)
        ))
        .bind(new.id.to_string())
        .bind(hash)
        .bind(new.person.map(|person| person.to_string()))
        .bind(&new.name)
        .bind(new.audience.as_str())
        .bind(new.follows)
        .bind(new.results)
        .bind(new.created_at.0)
        .bind(new.expires_at.map(|at| at.0))
        .bind(new.conversation.to_string());
        if scope.bind(insert).execute(&mut *transaction).await? == 0 {
            return Err(StorageError::NotFound);
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The links of a conversation that is seen which are in force, the newest first.
    pub async fn share_links(
        &self,
        scope: &Scope,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<Vec<ListedShareLink>, StorageError> {
        let select = query(format!(
            "SELECT l.* FROM share_links l WHERE l.conversation_id = $1 AND {IN_FORCE} AND {}
             ORDER BY l.created_at DESC, l.id DESC",
            sees_conversation("l.conversation_id", 3)
        ))
        .bind(conversation.to_string())
        .bind(now.0);
        let rows = scope.bind(select).fetch_all(self.reader()).await?;
        rows.iter().map(listed).collect()
    }

    /// Takes a link to a conversation that is seen back.
    pub async fn delete_share_link(
        &self,
        scope: &Scope,
        conversation: ConversationId,
        id: ShareLinkId,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let delete = query(format!(
            "DELETE FROM share_links AS l WHERE l.id = $1 AND l.conversation_id = $2 AND {}",
            sees_conversation("l.conversation_id", 3)
        ))
        .bind(id.to_string())
        .bind(conversation.to_string());
        if scope.bind(delete).execute(&mut *transaction).await? == 0 {
            return Err(StorageError::NotFound);
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The link of a token, if it is in force.
    pub async fn share_link(
        &self,
        hash: &str,
        now: Timestamp,
    ) -> Result<Option<ShareLink>, StorageError> {
        let row = query(format!(
            "SELECT l.*, c.project FROM share_links l JOIN conversations c
             ON c.id = l.conversation_id
             WHERE l.hash = $1 AND c.deleted_at IS NULL AND {IN_FORCE}"
        ))
        .bind(hash)
        .bind(now.0)
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(share_link).transpose()
    }

    /// Notes that a link was opened.
    pub async fn share_link_opened(
        &self,
        id: ShareLinkId,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        query("UPDATE share_links SET opened = opened + 1, last_opened_at = $2 WHERE id = $1")
            .bind(id.to_string())
            .bind(now.0)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn listed(row: &Row) -> Result<ListedShareLink, StorageError> {
    let time = |column| row.try_get::<Option<i64>>(column).map(|at| at.map(Timestamp));
    Ok(ListedShareLink {
        id: parsed(row, "id")?,
        made_by: row.try_get("name")?,
        audience: LinkAudience::from_name(row.try_get("audience")?),
        follows: optional_counter(row, "until")?.is_none(),
        results: row.try_get("results")?,
        created_at: Timestamp(row.try_get("created_at")?),
        expires_at: time("expires_at")?,
        opened: counter(row, "opened")?,
        last_opened_at: time("last_opened_at")?,
    })
}

fn share_link(row: &Row) -> Result<ShareLink, StorageError> {
    Ok(ShareLink {
        id: parsed(row, "id")?,
        tenant: parsed(row, "tenant")?,
        conversation: parsed(row, "conversation_id")?,
        project: parsed(row, "project")?,
        audience: LinkAudience::from_name(row.try_get("audience")?),
        created_at: Timestamp(row.try_get("created_at")?),
        until: optional_counter(row, "until")?,
        title: row.try_get("title")?,
        leaf: optional_counter(row, "leaf")?,
        results: row.try_get("results")?,
    })
}
