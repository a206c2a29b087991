//! The decisions of a tenant for its administrators: searched, page by page, newest first.
//!
//! Who decided about which tool, when and how, is for every administrator. What was asked and
//! answered is part of a conversation: where that is not seen it is left out, and a search does not
//! look into it either.

use parlor_database::query;
use parlor_protocol::{
    ConversationId, PersonId, ProjectId, PromptId, PromptOutcome, PromptStatus, Timestamp,
};
use serde::Serialize;
use serde_json::Value;

use crate::columns::{counter, like_pattern};
use crate::error::StorageError;
use crate::pages::{PageCursor, cut};
use crate::scope::{Scope, sees_or_saw};
use crate::store::Store;
use crate::tables::decisions::{Decision, decision};

/// How many decisions one page of a search looks at. The next page goes on from there.
const SEARCHED: i64 = 20_000;

/// Which decisions are wanted; texts are found anywhere, in whatever case.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecisionFilter<'f> {
    /// In the question, the reason, the tool or the name of who answered.
    pub text: Option<&'f str>,
    /// In the name of the tool.
    pub tool: Option<&'f str>,
    /// In the name of who answered.
    pub person: Option<&'f str>,
    /// How the prompt ended.
    pub outcome: Option<PromptOutcome>,
    /// From this time on.
    pub from: Option<Timestamp>,
    /// Before this time.
    pub to: Option<Timestamp>,
}

/// A decision as an administrator sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedDecision {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The project.
    pub project: ProjectId,
    /// Who asked: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// How the prompt ended.
    pub outcome: PromptOutcome,
    /// The session or key that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name of the person, or that of the session or key of the shared account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The person who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// The server of the tool that was decided on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Whether the person changed the arguments.
    pub edited: bool,
    /// Whether it holds for the rest of the conversation.
    pub remembered: bool,
    /// What was asked and answered, if the reader sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<DecisionContent>,
}

/// What was asked and answered, and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionContent {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The prompt that was decided.
    pub prompt_id: PromptId,
    /// The question as text.
    pub question: String,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The person's reason for a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run that it allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The arguments that were proposed, if others ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Value>,
    /// The arguments that ran, masked as in an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// SHA-256 of the exact argument bytes, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<String>,
    /// What others wrote that may be behind the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Value>,
}

/// A page of decisions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionPage {
    /// The decisions, newest first. There may be none although another page follows.
    pub decisions: Vec<ListedDecision>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl DecisionFilter<'_> {
    /// Whether rows may be passed over.
    fn skips(&self) -> bool {
        let Self { text, tool, person, outcome, from: _, to: _ } = self;
        text.is_some() || tool.is_some() || person.is_some() || outcome.is_some()
    }
}

impl Store {
    /// The decisions of a tenant that a filter lets through, newest first, from a cursor on.
    pub async fn decision_page(
        &self,
        scope: &Scope,
        filter: DecisionFilter<'_>,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<DecisionPage, StorageError> {
        let (at, id) = start(before, filter.to);
        let from = filter.from.map_or(i64::MIN, |from| from.0);
        let end = match filter.skips() {
            true => self.search_end(scope, (at, id), from).await?,
            false => None,
        };
        let (end_at, end_id) = end.as_ref().map_or((i64::MIN, ""), |(at, id)| (*at, id.as_str()));
        let seen = sees_or_saw("d.person", 1);
        let named = "LOWER(COALESCE(d.tool, '') || ' ' || COALESCE(d.answered_by, ''))";
        let said = "LOWER(d.question || ' ' || COALESCE(d.reason, ''))";
        let select = query(format!(
            "SELECT d.*, CAST(CASE WHEN {seen} THEN 1 ELSE 0 END AS BIGINT) AS seen
             FROM decisions d LEFT JOIN conversations c ON c.id = d.conversation_id AND c.deleted_at IS NULL
             WHERE d.tenant = $1 AND (d.at < $4 OR (d.at = $4 AND d.id < $5)) AND d.at >= $6
             AND (d.at > $7 OR (d.at = $7 AND d.id >= $8))
             AND ($9 IS NULL OR d.outcome = $9)
             AND ($10 IS NULL OR LOWER(COALESCE(d.tool, '')) LIKE $10 ESCAPE '!')
             AND ($11 IS NULL OR LOWER(COALESCE(d.answered_by, '')) LIKE $11 ESCAPE '!')
             AND ($12 IS NULL OR {named} LIKE $12 ESCAPE '!'
                  OR ({seen} AND {said} LIKE $12 ESCAPE '!'))
             ORDER BY d.at DESC, d.id DESC LIMIT $13"
        ));
        let rows = scope
            .bind(select)
            .bind(at)
            .bind(id)
            .bind(from)
            .bind(end_at)
            .bind(end_id)
            .bind(filter.outcome.map(|outcome| PromptStatus::from(outcome).as_str()))
            .bind(filter.tool.map(like_pattern))
            .bind(filter.person.map(like_pattern))
            .bind(filter.text.map(like_pattern))
            .bind(i64::from(limit) + 1)
            .fetch_all(self.reader())
            .await?;
        let decisions =
            rows.iter().map(|row| Ok(listed(decision(row)?, counter(row, "seen")? != 0)));
        let decisions = decisions.collect::<Result<Vec<_>, StorageError>>()?;
        let position = |one: &ListedDecision| (one.at, one.id.clone());
        let (decisions, next) = cut(decisions, limit, position);
        let next_before = next.or(end.map(|(at, id)| PageCursor::at(Timestamp(at), id)));
        Ok(DecisionPage { decisions, next_before })
    }

    /// The last row that a page of a search looks at, if there are more.
    async fn search_end(
        &self,
        scope: &Scope,
        (at, id): (i64, &str),
        from: i64,
    ) -> Result<Option<(i64, String)>, StorageError> {
        let row = query(
            "SELECT at, id FROM decisions WHERE tenant = $1 AND (at < $2 OR (at = $2 AND id < $3))
             AND at >= $4 ORDER BY at DESC, id DESC LIMIT 1 OFFSET $5",
        )
        .bind(scope.tenant().as_str())
        .bind(at)
        .bind(id)
        .bind(from)
        .bind(SEARCHED - 1)
        .fetch_optional(self.reader())
        .await?;
        row.map(|row| Ok((row.try_get("at")?, row.try_get("id")?))).transpose()
    }
}

/// Where a page begins: at the cursor, or at the end of the wanted time if that is earlier.
fn start(before: Option<&PageCursor>, to: Option<Timestamp>) -> (i64, &str) {
    let cursor = PageCursor::bounds(before);
    match to {
        Some(to) if to.0 <= cursor.0 => (to.0, ""),
        _ => cursor,
    }
}

fn listed(decision: Decision, is_seen: bool) -> ListedDecision {
    let content = DecisionContent {
        conversation_id: decision.conversation_id,
        prompt_id: decision.prompt_id,
        question: decision.question,
        response: decision.response,
        reason: decision.reason,
        run_id: decision.run_id,
        proposed: decision.proposed,
        arguments: decision.arguments,
        arguments_hash: decision.arguments_hash,
        sources: decision.sources,
    };
    ListedDecision {
        id: decision.id,
        at: decision.at,
        project: decision.project,
        origin: decision.origin,
        outcome: decision.outcome,
        session: decision.session,
        answered_by: decision.answered_by,
        person: decision.person,
        server: decision.server,
        tool: decision.tool,
        edited: decision.edited,
        remembered: decision.remembered,
        content: is_seen.then_some(content),
    }
}
