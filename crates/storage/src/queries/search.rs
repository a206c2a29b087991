//! Search in what was said, and in titles (U-8).
//!
//! 1. What was typed becomes words and phrases ([`crate::search_text::wanted`]).
//! 2. The index of words finds entries of the tenant, the newest first; those of conversations that
//!    the viewer does not see are left out. Nothing is sorted, so the cost is that of a page.
//! 3. Where a conversation has branches, only messages on its current path are found: each is
//!    looked up.
//! 4. Titles are found with the first page, as they are now.

use parlor_database::{Connection, Row, Words, query};
use parlor_protocol::{ConversationId, MessageId, ProjectId, Role, Timestamp};
use serde::Serialize;

use crate::columns::{optional_counter, parsed};
use crate::error::StorageError;
use crate::pages::PageCursor;
use crate::queries::branches;
use crate::scope::{Scope, sees, with_place};
use crate::search_text::excerpt::{Excerpt, excerpt, marked};
use crate::search_text::wanted::wanted;
use crate::served::Served;
use crate::store::Store;
use crate::tables::messages::role_from_name;

/// The index, as the migrations name it.
const INDEX: &str = "search";
/// So many titles are found at most.
const TITLES: i64 = 6;
/// Entries that are read at once: some are not on the current path.
const ROWS: i64 = 60;
/// So often entries are read for one page. What is older is on the next one.
const READS: usize = 5;

/// A conversation whose title was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TitleHit {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Its project.
    pub project: ProjectId,
    /// Its title, with what was found in it.
    pub title: Served<Excerpt>,
    /// Whether the viewer has it in their archive.
    pub archived: bool,
    /// When something was last written to it.
    pub updated_at: Timestamp,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The message.
    pub message_id: MessageId,
    /// The project.
    pub project: ProjectId,
    /// The title of the conversation.
    pub title: Served<String>,
    /// Whether the viewer has the conversation in their archive.
    pub archived: bool,
    /// Who said it.
    pub role: Role,
    /// When.
    pub at: Timestamp,
    /// The part of it where it was found.
    pub excerpt: Served<Excerpt>,
}

/// A page of what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchPage {
    /// Titles, the newest first. Only on the first page.
    pub titles: Vec<TitleHit>,
    /// Messages, the newest first.
    pub messages: Vec<Hit>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl Store {
    /// What is found in the conversations that are seen, the newest first, from a cursor on.
    pub async fn search(
        &self,
        scope: &Scope,
        typed: &str,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<SearchPage, StorageError> {
        let wanted = wanted(typed);
        if wanted.is_empty() {
            return Ok(SearchPage::default());
        }
        let mut snapshot = self.snapshot().await?;
        let titles = match before {
            None => self.titles(&mut snapshot, scope, &wanted).await?,
            Some(_) => Vec::new(),
        };
        let mut messages = Vec::new();
        let mut next = before.cloned();
        for read in 1..=READS {
            let rows = self.entries(&mut snapshot, scope, &wanted, next.as_ref()).await?;
            let is_last = rows.len() < ROWS as usize;
            for row in &rows {
                if messages.len() == limit as usize {
                    return Ok(SearchPage { titles, messages, next_before: next });
                }
                let at = Timestamp(row.try_get("entry_at")?);
                next = Some(PageCursor::at(at, row.try_get("entry_id")?));
                if is_on_current_path(&mut snapshot, row).await? {
                    messages.push(hit(row, &wanted)?);
                }
            }
            if is_last || read == READS {
                let next_before = next.filter(|_| !is_last);
                return Ok(SearchPage { titles, messages, next_before });
            }
        }
        Ok(SearchPage { titles, messages, next_before: None })
    }

    /// The entries of messages, with the messages and their conversations.
    async fn entries(
        &self,
        snapshot: &mut Connection,
        scope: &Scope,
        wanted: &[Words],
        before: Option<&PageCursor>,
    ) -> Result<Vec<Row>, StorageError> {
        let index = self.database().full_text();
        let (at, id) = PageCursor::bounds(before);
        let page = match before {
            Some(_) => format!("AND {}", index.is_before(INDEX, "$6", "$7")),
            // The values are bound anyway.
            None => "AND $6 >= 0 AND $7 = ''".to_owned(),
        };
        let select = query(format!(
            "SELECT e.id AS entry_id, e.at AS entry_at, c.id AS conversation_id, c.project, c.title,
             c.leaf, k.archived_at, m.id, m.role, m.content, m.created_at, t.start_seq
             FROM {} JOIN conversations c ON c.id = e.conversation_id {}
             JOIN messages m ON m.id = e.id LEFT JOIN turns t ON t.id = m.turn_id
             WHERE {} AND {} {page} ORDER BY {} LIMIT $8",
            index.entries(INDEX),
            with_place(1),
            index.matches("$4", "$5"),
            sees(1),
            index.newest_first(),
        ));
        let select = scope.bind(select).bind(kind('m', scope)).bind(index.value(wanted));
        Ok(select.bind(at).bind(id).bind(ROWS).fetch_all(snapshot).await?)
    }

    async fn titles(
        &self,
        snapshot: &mut Connection,
        scope: &Scope,
        wanted: &[Words],
    ) -> Result<Vec<TitleHit>, StorageError> {
        let index = self.database().full_text();
        let select = query(format!(
            "SELECT c.id, c.project, c.title, c.updated_at, k.archived_at
             FROM {} JOIN conversations c ON c.id = e.id {}
             WHERE {} AND {} ORDER BY {} LIMIT $6",
            index.entries(INDEX),
            with_place(1),
            index.matches("$4", "$5"),
            sees(1),
            index.newest_first(),
        ));
        let select = scope.bind(select).bind(kind('t', scope)).bind(index.value(wanted));
        let rows = select.bind(TITLES).fetch_all(snapshot).await?;
        rows.iter().map(|row| title_hit(row, wanted)).collect()
    }
}

/// The kind of the entries of a tenant, as the migrations make it.
fn kind(of: char, scope: &Scope) -> String {
    let hex = scope.tenant().as_str().bytes().map(|byte| format!("{byte:02x}"));
    std::iter::once(of.to_string()).chain(hex).collect()
}

/// Whether a message is on the path that its conversation goes on with.
async fn is_on_current_path(snapshot: &mut Connection, row: &Row) -> Result<bool, StorageError> {
    let (Some(leaf), Some(turn)) =
        (optional_counter(row, "leaf")?, optional_counter(row, "start_seq")?)
    else {
        return Ok(true);
    };
    branches::is_on_path(snapshot, parsed(row, "conversation_id")?, leaf, turn).await
}

fn hit(row: &Row, wanted: &[Words]) -> Result<Hit, StorageError> {
    Ok(Hit {
        conversation_id: parsed(row, "conversation_id")?,
        message_id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        title: Served::new(row.try_get("title")?),
        archived: row.try_get::<Option<i64>>("archived_at")?.is_some(),
        role: role_from_name(row.try_get("role")?),
        at: Timestamp(row.try_get("created_at")?),
        excerpt: Served::new(excerpt(row.try_get("content")?, wanted)),
    })
}

fn title_hit(row: &Row, wanted: &[Words]) -> Result<TitleHit, StorageError> {
    Ok(TitleHit {
        conversation_id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        title: Served::new(marked(row.try_get("title")?, wanted)),
        archived: row.try_get::<Option<i64>>("archived_at")?.is_some(),
        updated_at: Timestamp(row.try_get("updated_at")?),
    })
}
