//! The ledger of tool runs: the status of each call, so that it is known after a crash.
//! A run is started at most once.

use parlor_database::{Batch, Connection, Executor, Row, query};
use parlor_protocol::{ConversationId, Timestamp, TurnId};
use serde_json::Value;
use uuid::Uuid;

use crate::columns::{optional_json, parsed, to_json};
use crate::error::StorageError;
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
    },
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
        RunWrite::Move { id, to, result } => {
            batch
                .add(
                    "UPDATE tool_runs SET status = $2, result = COALESCE($3, result),
                     started_at = CASE WHEN $2 = 'started' THEN $4 ELSE started_at END,
                     finished_at = CASE WHEN $2 IN ('proposed', 'approved', 'started')
                     THEN NULL ELSE $4 END
                     WHERE id = $1",
                )
                .bind(id.to_string())
                .bind(to.as_str())
                .bind(result.as_ref().map(to_json).transpose()?)
                .bind(now.0);
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
             arguments, result, proposed_at, started_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
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
        .bind(started);
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
    })
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
