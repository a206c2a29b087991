//! Conversations: reading, listing, renaming. Their messages are in
//! [`crate::queries::conversation_view`].

use parlor_database::{Batch, Executor, Query, Row, query};
use parlor_protocol::{
    ConversationId, Mode, NodeId, PersonId, ProjectId, TenantId, Timestamp, Visibility,
};
use serde::Serialize;

use crate::columns::{counter, like_pattern, optional, optional_counter, parsed, to_column};
use crate::error::{MOST_PINNED, StorageError};
use crate::pages::{self, PageCursor};
use crate::path::Path;
use crate::scope::{Scope, sees, sees_deleted, with_place};
use crate::served::Served;
use crate::store::Store;
use crate::tables::search_entries;

/// How long a conversation without a message is kept: 30 days.
const UNUSED_FOR_MS: i64 = 30 * 86_400_000;

/// One conversation, without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The project whose agent takes its turns.
    pub project: ProjectId,
    /// Its title.
    pub title: Served<String>,
    /// Whether the agent plans or acts.
    pub mode: Mode,
    /// The folder that an editor had open when it began; none if it began in a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whose it is; none if it is the shared account's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// Who sees it.
    pub visibility: Visibility,
    /// When it began.
    pub created_at: Timestamp,
    /// When something was last written to it.
    pub updated_at: Timestamp,
    /// Whether a turn runs.
    pub running: bool,
    /// Whether the viewer has it on top of their list.
    #[serde(skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// Whether the viewer has it in their archive.
    #[serde(skip_serializing_if = "is_false")]
    pub archived: bool,
    /// When it was deleted, if that can still be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// The epoch that writes of its turns must carry.
    #[serde(skip)]
    pub epoch: u64,
    /// The next number of its log.
    #[serde(skip)]
    pub next_seq: u64,
    /// The node that has the files of its agent, if that is a program.
    #[serde(skip)]
    pub home: Option<NodeId>,
    /// The number of the last turn of its current path, if it has branches.
    #[serde(skip)]
    pub(crate) leaf: Option<u64>,
}

impl Conversation {
    /// Its current path.
    pub fn path(&self) -> Path {
        Path::to(self.id, self.leaf)
    }
}

/// A conversation that begins.
#[derive(Debug, Clone)]
pub struct NewConversation {
    /// The project whose agent takes its turns.
    pub project: ProjectId,
    /// Its title; empty if its first message is yet to come.
    pub title: String,
    /// Whether the agent plans or acts.
    pub mode: Mode,
    /// The folder that the editor has open in which it begins.
    pub folder: Option<String>,
    /// Whose it is. That of a person is private at first; one of the shared account never is.
    pub person: Option<PersonId>,
}

/// What changes about a conversation; `None` leaves it as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConversationChanges<'a> {
    /// The title, which is the person's own text.
    pub title: Option<&'a str>,
    /// Whether the agent plans or acts.
    pub mode: Option<Mode>,
    /// Who sees it.
    pub visibility: Option<Visibility>,
}

/// The row of a conversation that begins.
#[derive(Debug)]
pub(crate) struct NewRow<'a> {
    pub(crate) id: ConversationId,
    pub(crate) tenant: &'a TenantId,
    pub(crate) new: &'a NewConversation,
    pub(crate) next_seq: u64,
    pub(crate) next_position: u64,
    pub(crate) home: Option<NodeId>,
    pub(crate) now: Timestamp,
}

/// Which conversations there are to choose from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConversationList {
    /// Those that are not in the viewer's archive; on the first page, those on top of their list first.
    #[default]
    Current,
    /// Those in the viewer's archive.
    Archived,
    /// Those that the viewer deleted, or that were the shared account's, as long as that can be undone.
    Deleted,
    /// All but those that were deleted.
    All,
}

/// Which conversations a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConversationFilter<'a> {
    /// Those of this list.
    pub list: ConversationList,
    /// Those whose title contains this text.
    pub text: Option<&'a str>,
    /// Those of this project.
    pub project: Option<&'a ProjectId>,
    /// Those that an editor began in this folder.
    pub folder: Option<&'a str>,
}

/// A page of the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationPage {
    /// The conversations, newest first.
    pub conversations: Vec<Conversation>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

const COLUMNS: &str = "c.*, k.pinned_at, k.archived_at, EXISTS (SELECT 1 FROM turns t
     WHERE t.conversation_id = c.id AND t.status = 'running') AS running";

impl ConversationList {
    /// What the rows of a page match. Those on top come before the first page.
    fn condition(self) -> String {
        match self {
            Self::Current => {
                format!("{} AND k.archived_at IS NULL AND k.pinned_at IS NULL", sees(1))
            }
            Self::Archived => format!("{} AND k.archived_at IS NOT NULL", sees(1)),
            Self::Deleted => sees_deleted(1),
            Self::All => sees(1),
        }
    }
}

impl Store {
    /// A conversation that is seen; any other is `NotFound`.
    pub async fn conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
    ) -> Result<Conversation, StorageError> {
        find(self.reader(), scope, id).await
    }

    /// The conversations that are seen and that a filter lets through, newest first, from a
    /// cursor on. One without a message has no title, and is not listed.
    pub async fn conversations(
        &self,
        scope: &Scope,
        filter: ConversationFilter<'_>,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<ConversationPage, StorageError> {
        let (before_time, before_id) = PageCursor::bounds(before);
        let rows = scope
            .bind(select(&filter.list.condition(), "c.updated_at DESC, c.id DESC LIMIT $9"))
            .bind(filter.text.map(like_pattern).unwrap_or_else(|| "%".to_owned()))
            .bind(before_time)
            .bind(before_id)
            .bind(filter.project.map(ProjectId::as_str))
            .bind(filter.folder)
            .bind(i64::from(limit) + 1)
            .fetch_all(self.reader())
            .await?;
        let rows = rows.iter().map(conversation).collect::<Result<_, _>>()?;
        let position = |row: &Conversation| (row.updated_at, row.id.to_string());
        let (rest, next_before) = pages::cut(rows, limit, position);
        let mut conversations = match (filter.list, before) {
            (ConversationList::Current, None) => self.pinned(scope, filter).await?,
            _ => Vec::new(),
        };
        conversations.extend(rest);
        Ok(ConversationPage { conversations, next_before })
    }

    /// Those on top of the viewer's list, the newest there first.
    async fn pinned(
        &self,
        scope: &Scope,
        filter: ConversationFilter<'_>,
    ) -> Result<Vec<Conversation>, StorageError> {
        let is_pinned =
            format!("{} AND k.archived_at IS NULL AND k.pinned_at IS NOT NULL", sees(1));
        let rows = scope
            .bind(select(&is_pinned, "k.pinned_at DESC, c.id DESC LIMIT $9"))
            .bind(filter.text.map(like_pattern).unwrap_or_else(|| "%".to_owned()))
            .bind(i64::MAX)
            .bind("")
            .bind(filter.project.map(ProjectId::as_str))
            .bind(filter.folder)
            .bind(i64::from(MOST_PINNED))
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(conversation).collect()
    }

    /// Creates a conversation whose first message is yet to come. Older ones of the tenant
    /// that never got one are removed: an editor creates one whenever it opens a chat.
    pub async fn create_conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
        new: &NewConversation,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "DELETE FROM conversations
                 WHERE tenant = $1 AND title = '' AND next_seq = 1 AND created_at < $2",
            )
            .bind(tenant.as_str())
            .bind(now.0 - UNUSED_FOR_MS);
        let (next_seq, next_position) = (1, 1);
        insert(&mut batch, &NewRow { id, tenant, new, next_seq, next_position, home: None, now });
        self.run(batch).await
    }

    /// Changes a conversation that is seen.
    pub async fn update_conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
        changes: ConversationChanges<'_>,
    ) -> Result<(), StorageError> {
        let ConversationChanges { title, mode, visibility } = changes;
        let mut transaction = self.begin().await?;
        let update = query(format!(
            "UPDATE conversations AS c SET title = COALESCE($5, title),
             mode = COALESCE($6, mode), visibility = COALESCE($7, visibility)
             WHERE c.id = $1 AND {}",
            sees(2)
        ));
        let updated = scope
            .bind(update.bind(id.to_string()))
            .bind(title)
            .bind(mode.map(mode_name))
            .bind(visibility.map(Visibility::as_str))
            .execute(&mut *transaction)
            .await?;
        if updated == 0 {
            return Err(StorageError::NotFound);
        }
        if let Some(title) = title {
            let mut batch = Batch::default();
            search_entries::put_title(&mut batch, id, title);
            transaction.run(batch).await?;
        }
        Ok(transaction.commit().await?)
    }
}

/// A statement over the conversations `c` that the viewer sees and that a filter lets through.
fn select(condition: &str, order: &str) -> Query {
    query(format!(
        "SELECT {COLUMNS} FROM conversations c {} WHERE {condition}
         AND c.title <> '' AND LOWER(c.title) LIKE $4 ESCAPE '!'
         AND (c.updated_at < $5 OR (c.updated_at = $5 AND c.id < $6))
         AND c.project = COALESCE($7, c.project)
         AND COALESCE(c.folder, '') = COALESCE($8, c.folder, '') ORDER BY {order}",
        with_place(1)
    ))
}

/// Inserts the row of a conversation that begins. Its epoch is 1.
pub(crate) fn insert(batch: &mut Batch, row: &NewRow<'_>) {
    batch
        .add(
            "INSERT INTO conversations (id, tenant, project, title, mode, epoch, next_seq,
             next_position, created_at, updated_at, home, folder, person, visibility)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $8, $9, $10, $11, $12)",
        )
        .bind(row.id.to_string())
        .bind(row.tenant.as_str())
        .bind(row.new.project.as_str())
        .bind(&row.new.title)
        .bind(mode_name(row.new.mode))
        .bind(to_column(row.next_seq))
        .bind(to_column(row.next_position))
        .bind(row.now.0)
        .bind(row.home.map(|home| home.to_string()))
        .bind(row.new.folder.as_deref())
        .bind(row.new.person.map(|person| person.to_string()))
        .bind(first_visibility(row.new.person).as_str());
    if !row.new.title.is_empty() {
        search_entries::put_title(batch, row.id, &row.new.title);
    }
}

/// That of a person is private until they share it.
fn first_visibility(person: Option<PersonId>) -> Visibility {
    if person.is_some() { Visibility::Private } else { Visibility::Tenant }
}

/// A conversation that is seen.
pub(crate) async fn find(
    on: impl Into<Executor<'_>>,
    scope: &Scope,
    id: ConversationId,
) -> Result<Conversation, StorageError> {
    let (place, seen) = (with_place(2), sees(2));
    let select =
        query(format!("SELECT {COLUMNS} FROM conversations c {place} WHERE c.id = $1 AND {seen}"));
    let row = scope.bind(select.bind(id.to_string())).fetch_one(on).await?;
    conversation(&row)
}

fn is_false(value: &bool) -> bool {
    !value
}

pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "plan",
        Mode::Act => "act",
    }
}

pub(crate) fn mode_from_name(name: &str) -> Mode {
    if name == "plan" { Mode::Plan } else { Mode::Act }
}

fn conversation(row: &Row) -> Result<Conversation, StorageError> {
    Ok(Conversation {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        title: Served::new(row.try_get("title")?),
        mode: mode_from_name(row.try_get("mode")?),
        folder: row.try_get("folder")?,
        person: optional(row, "person")?,
        visibility: Visibility::from_name(row.try_get("visibility")?),
        created_at: Timestamp(row.try_get("created_at")?),
        updated_at: Timestamp(row.try_get("updated_at")?),
        running: row.try_get("running")?,
        pinned: row.try_get::<Option<i64>>("pinned_at")?.is_some(),
        archived: row.try_get::<Option<i64>>("archived_at")?.is_some(),
        deleted_at: row.try_get::<Option<i64>>("deleted_at")?.map(Timestamp),
        epoch: counter(row, "epoch")?,
        next_seq: counter(row, "next_seq")?,
        home: optional(row, "home")?,
        leaf: optional_counter(row, "leaf")?,
    })
}
