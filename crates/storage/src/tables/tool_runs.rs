//! The ledger of tool runs: the status of each call, so that it is known after a crash.
//! A run is started at most once.

use parlor_database::{Batch, Connection, Executor, Query, Row, query};
use parlor_protocol::{Content, ConversationId, Timestamp, TurnId};
use serde_json::Value;
use uuid::Uuid;

use crate::columns::{counter, optional_json, parsed, to_json};
use crate::error::StorageError;
use crate::path::Path;
use crate::store::Store;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRun {
    /// Its id, which the server of the tool gets too.
    pub id: Uuid,
    /// The model's id of the call.
    pub call_id: String,
    /// The server of the tool.
    pub server: String,
    /// The tool, as the model calls it.
    pub tool: String,
    /// Its status.
    pub status: RunStatus,
    /// The exact bytes that run.
    pub arguments: String,
    /// The result for the model.
    pub result: Option<Value>,
    /// What is known of its result before it is there; older rows have none.
    pub label: Option<RunLabel>,
}

/// Whose words the result of a run holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLabel {
    /// Whose words it can hold.
    pub content: Content,
    /// Whether it can hold what is not public.
    pub is_private: bool,
    /// What is read, in a word.
    pub origin: Option<String>,
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// It waits for a person.
    Proposed,
    /// It may run.
    Approved,
    /// It runs, or ran when the server went down.
    Started,
    /// Its result is known.
    Finished,
    /// It was not allowed.
    Refused,
    /// The turn ended before it ran.
    Cancelled,
    /// It was started, and its outcome is unknown.
    OutcomeUnknown,
}

/// A change of the ledger, as part of a turn's step.
#[derive(Debug, Clone, PartialEq)]
pub enum RunWrite {
    /// A new run.
    Add(ToolRun),
    /// The next status of a run; the last one comes with its result.
    Move {
        /// The run.
        id: Uuid,
        /// Its next status.
        to: RunStatus,
        /// The result for the model.
        result: Option<Value>,
        /// Whether the model is told the result, and whose words it holds.
        told: Option<Told>,
    },
}

/// Whether the model is told a result, and whose words it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Whose words it holds.
    pub content: Content,
    /// Whether it holds what is not public.
    pub is_private: bool,
    /// Whether it reads like orders.
    pub is_suspicious: bool,
    /// Whether it is kept from the model, unless a person says otherwise.
    pub is_withheld: bool,
}

/// What the model was told on a path, and a person did not clear.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToldResults {
    /// Results that others may have written words of, the newest first.
    pub of_others: Vec<ToldResult>,
    /// How many there are.
    pub count: u64,
    /// Whether any result can hold what is not public.
    pub is_private: bool,
}

/// A result that the model was told.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldResult {
    /// The run.
    pub id: Uuid,
    /// The server of the tool.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What was read, in a word.
    pub origin: Option<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// Whether it reads like orders.
    pub is_suspicious: bool,
}

/// How many results of others are read.
const MOST_TOLD: u32 = 20;

fn newest_of_others() -> String {
    format!(
        "AND (r.content IS NULL OR r.content <> 'own')
         ORDER BY r.finished_at DESC, r.id DESC LIMIT {MOST_TOLD}"
    )
}

/// Results that the model was told on a path: those of the conversation, or those of the path since
/// its context was cleared.
fn told(path: Path, select: &str, more: &str) -> Query {
    let id = path.conversation().to_string();
    match path.leaf() {
        None => query(format!(
            "SELECT {select} FROM tool_runs r WHERE r.conversation_id = $1
             AND r.status = 'finished' AND NOT r.withheld AND NOT r.cleared {more}"
        ))
        .bind(id),
        // A clearing holds for the paths that it is on, so `cleared` does not count here.
        Some(leaf) => query(Path::walked(&format!(
            "SELECT {select} FROM path p
             JOIN turns t ON t.conversation_id = $1 AND t.start_seq BETWEEN p.first AND p.last
             JOIN tool_runs r ON r.turn_id = t.id
             WHERE r.status = 'finished' AND NOT r.withheld AND t.start_seq >= COALESCE((
                 SELECT MAX(c.start_seq) FROM turns c JOIN path q
                 ON c.start_seq BETWEEN q.first AND q.last
                 WHERE c.conversation_id = $1 AND c.clears), 0) {more}"
        )))
        .bind(id)
        .bind(leaf),
    }
}

impl Store {
    /// The run of a call, if there is one.
    pub async fn tool_run(
        &self,
        turn: TurnId,
        call_id: &str,
    ) -> Result<Option<ToolRun>, StorageError> {
        let row = query("SELECT * FROM tool_runs WHERE turn_id = $1 AND call_id = $2")
            .bind(turn.to_string())
            .bind(call_id)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(tool_run).transpose()
    }

    /// What the model was told on a path (F-1).
    pub async fn told_results(&self, path: Path) -> Result<ToldResults, StorageError> {
        const COUNTS: &str = "COUNT(CASE WHEN r.content = 'own' THEN NULL ELSE 1 END) AS of_others,
             COUNT(CASE WHEN r.private THEN 1 END) AS private_ones";
        let row = told(path, COUNTS, "").fetch_one(self.reader()).await?;
        let count = counter(&row, "of_others")?;
        let is_private = counter(&row, "private_ones")? > 0;
        if count == 0 {
            return Ok(ToldResults { is_private, ..ToldResults::default() });
        }
        let columns = "r.id, r.server, r.tool, r.origin, r.finished_at, r.suspicious";
        let rows = told(path, columns, &newest_of_others()).fetch_all(self.reader()).await?;
        let of_others = rows.iter().map(told_result).collect::<Result<_, _>>()?;
        Ok(ToldResults { of_others, count, is_private })
    }

    /// The results of others that the model was told, as it reads them: those of
    /// [`Store::told_results`], in the same order.
    pub async fn words_of_others(&self, path: Path) -> Result<Vec<(Uuid, Value)>, StorageError> {
        let rows =
            told(path, "r.id, r.result", &newest_of_others()).fetch_all(self.reader()).await?;
        let words = |row: &Row| {
            Ok((parsed(row, "id")?, optional_json(row, "result")?.unwrap_or(Value::Null)))
        };
        rows.iter().map(words).collect()
    }

    /// The calls of a path whose results are its people's own, before the first result of others:
    /// the turn and the model's id of each, in their order.
    pub async fn calls_before_others(
        &self,
        path: Path,
    ) -> Result<Vec<(TurnId, String)>, StorageError> {
        let columns = "r.turn_id, r.call_id, r.content";
        let rows =
            told(path, columns, "ORDER BY r.finished_at, r.id").fetch_all(self.reader()).await?;
        let mut calls = Vec::new();
        for row in &rows {
            if Content::from_name(row.try_get("content")?) == Content::Others {
                break;
            }
            calls.push((parsed(row, "turn_id")?, row.try_get("call_id")?));
        }
        Ok(calls)
    }

    /// The runs of a turn that are not over.
    pub async fn unfinished_runs(&self, turn: TurnId) -> Result<Vec<ToolRun>, StorageError> {
        unfinished(self.reader(), turn).await
    }
}

/// The same inside a transaction.
pub(crate) async fn unfinished(
    on: impl Into<Executor<'_>>,
    turn: TurnId,
) -> Result<Vec<ToolRun>, StorageError> {
    let rows = query(
        "SELECT * FROM tool_runs WHERE turn_id = $1
         AND status IN ('proposed', 'approved', 'started') ORDER BY proposed_at, id",
    )
    .bind(turn.to_string())
    .fetch_all(on)
    .await?;
    rows.iter().map(tool_run).collect()
}

/// Adds a change of the ledger to the write of a turn's step.
pub(crate) fn apply(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    write: &RunWrite,
    now: Timestamp,
) -> Result<(), StorageError> {
    match write {
        RunWrite::Add(run) => add(batch, conversation, turn, run, now),
        RunWrite::Move { id, to, result, told } => {
            batch
                .add(
                    "UPDATE tool_runs SET status = $2, result = COALESCE($3, result),
                     content = COALESCE($5, content),
                     private = CASE WHEN $5 IS NULL THEN private ELSE $6 END,
                     withheld = CASE WHEN $5 IS NULL THEN withheld ELSE $7 END,
                     suspicious = CASE WHEN $5 IS NULL THEN suspicious ELSE $8 END,
                     started_at = CASE WHEN $2 = 'started' THEN $4 ELSE started_at END,
                     finished_at = CASE WHEN $2 IN ('proposed', 'approved', 'started')
                     THEN NULL ELSE $4 END
                     WHERE id = $1",
                )
                .bind(id.to_string())
                .bind(to.as_str())
                .bind(result.as_ref().map(to_json).transpose()?)
                .bind(now.0)
                .bind(told.map(|told| told.content.as_str()))
                .bind(told.is_some_and(|told| told.is_private))
                .bind(told.is_some_and(|told| told.is_withheld))
                .bind(told.is_some_and(|told| told.is_suspicious));
            Ok(())
        }
    }
}

fn add(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    run: &ToolRun,
    now: Timestamp,
) -> Result<(), StorageError> {
    let started = (run.status == RunStatus::Started).then_some(now.0);
    batch
        .add(
            "INSERT INTO tool_runs (id, conversation_id, turn_id, call_id, server, tool, status,
             arguments, result, proposed_at, started_at, content, private, origin)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        )
        .bind(run.id.to_string())
        .bind(conversation.to_string())
        .bind(turn.to_string())
        .bind(&run.call_id)
        .bind(&run.server)
        .bind(&run.tool)
        .bind(run.status.as_str())
        .bind(&run.arguments)
        .bind(run.result.as_ref().map(to_json).transpose()?)
        .bind(now.0)
        .bind(started)
        .bind(run.label.as_ref().map(|label| label.content.as_str()))
        .bind(run.label.as_ref().is_none_or(|label| label.is_private))
        .bind(run.label.as_ref().and_then(|label| label.origin.as_deref()));
    Ok(())
}

/// Approves a proposed run, with exactly these arguments.
pub(crate) async fn approve(
    transaction: &mut Connection,
    id: Uuid,
    arguments: &str,
) -> Result<(), StorageError> {
    query(
        "UPDATE tool_runs SET status = 'approved', arguments = $2
         WHERE id = $1 AND status = 'proposed'",
    )
    .bind(id.to_string())
    .bind(arguments)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn tool_run(row: &Row) -> Result<ToolRun, StorageError> {
    Ok(ToolRun {
        id: parsed(row, "id")?,
        call_id: row.try_get("call_id")?,
        server: row.try_get("server")?,
        tool: row.try_get("tool")?,
        status: RunStatus::from_name(row.try_get("status")?),
        arguments: row.try_get("arguments")?,
        result: optional_json(row, "result")?,
        label: label(row)?,
    })
}

fn label(row: &Row) -> Result<Option<RunLabel>, StorageError> {
    let content: Option<&str> = row.try_get("content")?;
    let Some(content) = content else { return Ok(None) };
    Ok(Some(RunLabel {
        content: Content::from_name(Some(content)),
        is_private: row.try_get("private")?,
        origin: row.try_get("origin")?,
    }))
}

fn told_result(row: &Row) -> Result<ToldResult, StorageError> {
    Ok(ToldResult {
        id: parsed(row, "id")?,
        server: row.try_get("server")?,
        tool: row.try_get("tool")?,
        origin: row.try_get("origin")?,
        at: row.try_get::<Option<i64>>("finished_at")?.map(Timestamp),
        is_suspicious: row.try_get("suspicious")?,
    })
}

/// Adds to a write that the model reads nothing any longer of what it was told. For a conversation
/// that is one line; where there are branches, the turn that clears says it.
pub(crate) fn clear(batch: &mut Batch, conversation: ConversationId) {
    batch
        .add("UPDATE tool_runs SET cleared = TRUE WHERE conversation_id = $1 AND NOT cleared")
        .bind(conversation.to_string());
}

impl RunStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Approved => "approved",
            Self::Started => "started",
            Self::Finished => "finished",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }

    /// A run whose status is not known may have run.
    fn from_name(name: &str) -> Self {
        match name {
            "proposed" => Self::Proposed,
            "approved" => Self::Approved,
            "started" => Self::Started,
            "finished" => Self::Finished,
            "refused" => Self::Refused,
            "cancelled" => Self::Cancelled,
            _ => Self::OutcomeUnknown,
        }
    }
}
