//! Branches: where a turn is among the paths of a conversation ([`crate::path`]).

use parlor_database::{Connection, Executor, Row, query};
use parlor_protocol::{ConversationId, TurnId};
use serde::Serialize;

use crate::columns::{counter, parsed, to_column};
use crate::error::StorageError;
use crate::path::Path;
use crate::store::Store;

/// The ranges of turn $2 of conversation $1 and all turns that follow it, in any branch.
const BELOW: &str = "WITH RECURSIVE below (first, last) AS (
     SELECT CAST($2 AS BIGINT), COALESCE((SELECT MIN(n.start_seq) - 1 FROM turns n
         WHERE n.conversation_id = $1 AND n.parent IS NOT NULL AND n.start_seq > $2),
         9223372036854775807)
     UNION ALL
     SELECT b.start_seq, COALESCE((SELECT MIN(n.start_seq) - 1 FROM turns n
         WHERE n.conversation_id = $1 AND n.parent IS NOT NULL AND n.start_seq > b.start_seq),
         9223372036854775807)
     FROM below a JOIN turns b ON b.conversation_id = $1 AND b.parent IS NOT NULL
         AND b.parent BETWEEN a.first AND a.last)";

/// A turn, and the one that it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TurnPlace {
    /// The turn.
    pub turn_id: TurnId,
    /// The turn that it follows; none if it is the first of its path.
    pub parent: Option<TurnId>,
    #[serde(skip)]
    pub(crate) start_seq: u64,
}

/// What a turn is in the tree, by numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) start_seq: u64,
    /// The number of the turn that it follows; 0 if it is the first of its path.
    pub(crate) parent: u64,
}

impl Store {
    /// The path before a turn: what a turn in its place goes on from.
    pub async fn path_before(
        &self,
        conversation: ConversationId,
        turn: TurnId,
    ) -> Result<Path, StorageError> {
        let place = place(self.reader(), conversation, turn).await?;
        Ok(Path::to(conversation, Some(place.parent)))
    }

    /// The tools whose runs began in a turn or in those that follow it, in any branch: server and
    /// name of each.
    pub async fn tools_run_from(
        &self,
        conversation: ConversationId,
        turn: TurnId,
    ) -> Result<Vec<(String, String)>, StorageError> {
        let place = place(self.reader(), conversation, turn).await?;
        let rows = query(format!(
            "{BELOW} SELECT DISTINCT r.server, r.tool FROM below a
             JOIN turns t ON t.conversation_id = $1 AND t.start_seq BETWEEN a.first AND a.last
             JOIN tool_runs r ON r.turn_id = t.id
             WHERE r.started_at IS NOT NULL"
        ))
        .bind(conversation.to_string())
        .bind(to_column(place.start_seq))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(|row| Ok((row.try_get("server")?, row.try_get("tool")?))).collect()
    }
}

/// Where a turn of a conversation is.
pub(crate) async fn place(
    on: impl Into<Executor<'_>>,
    conversation: ConversationId,
    turn: TurnId,
) -> Result<Place, StorageError> {
    let row = query(
        "SELECT t.start_seq, COALESCE(t.parent, (SELECT MAX(b.start_seq) FROM turns b
             WHERE b.conversation_id = $1 AND b.start_seq < t.start_seq), 0) AS parent
         FROM turns t WHERE t.conversation_id = $1 AND t.id = $2",
    )
    .bind(conversation.to_string())
    .bind(turn.to_string())
    .fetch_one(on)
    .await?;
    Ok(Place { start_seq: counter(&row, "start_seq")?, parent: counter(&row, "parent")? })
}

/// The newest turn of those that follow a turn in any branch, or that turn.
pub(crate) async fn newest_from(
    connection: &mut Connection,
    conversation: ConversationId,
    start_seq: u64,
) -> Result<(TurnId, u64), StorageError> {
    let row = query(format!(
        "{BELOW} SELECT t.id, t.start_seq FROM below a
         JOIN turns t ON t.conversation_id = $1 AND t.start_seq BETWEEN a.first AND a.last
         ORDER BY t.start_seq DESC LIMIT 1"
    ))
    .bind(conversation.to_string())
    .bind(to_column(start_seq))
    .fetch_one(connection)
    .await?;
    Ok((parsed(&row, "id")?, counter(&row, "start_seq")?))
}

/// Whether a turn is on the path to another one.
pub(crate) async fn is_on_path(
    connection: &mut Connection,
    conversation: ConversationId,
    leaf: u64,
    start_seq: u64,
) -> Result<bool, StorageError> {
    let found = query(Path::walked("SELECT 1 FROM path p WHERE $3 BETWEEN p.first AND p.last"))
        .bind(conversation.to_string())
        .bind(to_column(leaf))
        .bind(to_column(start_seq))
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// The turn with a number, and the number of the last turn of its conversation.
pub(crate) async fn turn_at(
    connection: &mut Connection,
    conversation: ConversationId,
    start_seq: u64,
) -> Result<(TurnId, u64), StorageError> {
    let row = query(
        "SELECT t.id, (SELECT MAX(l.start_seq) FROM turns l WHERE l.conversation_id = $1) AS last
         FROM turns t WHERE t.conversation_id = $1 AND t.start_seq = $2",
    )
    .bind(conversation.to_string())
    .bind(to_column(start_seq))
    .fetch_one(connection)
    .await?;
    Ok((parsed(&row, "id")?, counter(&row, "last")?))
}

/// All turns of a conversation, in the order of the log.
pub(crate) async fn of_conversation(
    connection: &mut Connection,
    id: ConversationId,
) -> Result<Vec<TurnPlace>, StorageError> {
    let rows = query(
        "SELECT id, start_seq, parent FROM turns WHERE conversation_id = $1 ORDER BY start_seq",
    )
    .bind(id.to_string())
    .fetch_all(connection)
    .await?;
    let mut places: Vec<TurnPlace> = Vec::with_capacity(rows.len());
    for row in &rows {
        let parent = parent(row, &places)?;
        let (turn_id, start_seq) = (parsed(row, "id")?, counter(row, "start_seq")?);
        places.push(TurnPlace { turn_id, parent, start_seq });
    }
    Ok(places)
}

fn parent(row: &Row, before: &[TurnPlace]) -> Result<Option<TurnId>, StorageError> {
    let Some(number) = row.try_get::<Option<i64>>("parent")? else {
        return Ok(before.last().map(|place| place.turn_id));
    };
    let found = before.binary_search_by_key(&number, |place| to_column(place.start_seq));
    Ok(found.ok().map(|at| before[at].turn_id))
}
