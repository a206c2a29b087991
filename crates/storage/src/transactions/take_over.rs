//! Takes over turns, after a crash of this or another node, so that their old owner can no
//! longer write to them.

use parlor_database::{Connection, query};
use parlor_protocol::{
    BootId, ConversationId, MessageId, Mode, NodeId, PersonId, ProjectId, TenantId, TurnId,
};
use serde_json::Value;

use crate::block_kind::BlockKind;
use crate::columns::{counter, optional, optional_counter, optional_json, parsed, to_column};
use crate::error::StorageError;
use crate::path::Path;
use crate::served::Served;
use crate::store::Store;
use crate::tables::conversations::mode_from_name;
use crate::tables::prompts::{self, Prompt};
use crate::tables::text_blocks;
use crate::tables::tool_runs::{self, ToolRun};

/// A turn that ran when its owner went down.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptedTurn {
    /// The tenant.
    pub tenant: TenantId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The epoch that its writes carry from now on.
    pub epoch: u64,
    /// The next free number of the log: above every number that was ever shown.
    pub next_seq: u64,
    /// Where the agent can resume.
    pub checkpoint: Option<Value>,
    /// How often it was taken over, this time included. Take-overs while it waited for a
    /// person do not count.
    pub resumes: u64,
    /// The message that streams next, if text does.
    pub block_message: MessageId,
    /// Text that was streaming.
    pub block: Option<OpenTextBlock>,
    /// Prompts whose end is not in the log.
    pub prompts: Vec<Prompt>,
    /// Tool runs that are not over.
    pub runs: Vec<ToolRun>,
    /// The project whose agent takes the turn.
    pub project: ProjectId,
    /// Whose budget it counts against; that of the shared account if nobody's.
    pub person: Option<PersonId>,
    /// Whether the agent plans or acts.
    pub mode: Mode,
    /// The node that has the files of its agent, if that is a program.
    pub home: Option<NodeId>,
    /// The path that ends with it.
    pub path: Path,
    /// Whether it does not follow the turn before it in the log.
    pub is_branch: bool,
    /// Whether it was handed over and has not begun.
    pub handed_over: bool,
    /// Whether a person asked for its end.
    pub is_stopped: bool,
}

/// Text that was streaming when the server went down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTextBlock {
    /// Its number.
    pub seq: u64,
    /// The message that it would have become.
    pub message: MessageId,
    /// Text or thinking.
    pub kind: BlockKind,
    /// As the agent wrote it, as far as it is stored.
    pub raw: String,
    /// As people saw it, as far as it is stored.
    pub clean: Served<String>,
}

/// Which turns a node takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Those whose owner is not a node that runs. A turn that waits for a person stays with
    /// the home of its conversation for so many milliseconds after that node died: only
    /// there can its program go on.
    Abandoned {
        /// This node.
        node: NodeId,
        /// How long other nodes are given to come back.
        home_patience_ms: i64,
    },
    /// The one of a conversation, if it was handed over to this node.
    HandedOver(ConversationId),
    /// The one of a conversation that this node owns, and that no task runs.
    Lost(ConversationId),
}

impl Store {
    /// Takes over running turns, each in a transaction of its own: of several nodes that
    /// try, one gets it.
    pub async fn take_over(
        &self,
        boot: BootId,
        claim: Claim,
    ) -> Result<Vec<InterruptedTurn>, StorageError> {
        let mut taken = Vec::new();
        for (conversation, epoch) in self.claimable(boot, claim).await? {
            taken.extend(self.take_over_turn(boot, conversation, epoch).await?);
        }
        Ok(taken)
    }

    /// The conversations of the turns that can be taken over, with their epochs.
    async fn claimable(
        &self,
        boot: BootId,
        claim: Claim,
    ) -> Result<Vec<(ConversationId, u64)>, StorageError> {
        let select = "SELECT c.id, c.epoch FROM turns t
             JOIN conversations c ON c.id = t.conversation_id WHERE t.status = 'running'";
        let candidates = match claim {
            Claim::Abandoned { node, home_patience_ms } => {
                let clock = self.database().clock();
                query(format!(
                    "{select} AND NOT EXISTS (SELECT 1 FROM nodes n
                         WHERE n.boot = t.owner AND n.dead_at IS NULL)
                     AND NOT (c.home IS NOT NULL AND c.home <> $1
                         AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = c.home
                             AND (n.dead_at IS NULL OR n.dead_at > {clock} - $2))
                         AND EXISTS (SELECT 1 FROM prompts p WHERE p.turn_id = t.id
                             AND p.parks AND p.told = FALSE))
                     ORDER BY t.started_at"
                ))
                .bind(node.to_string())
                .bind(home_patience_ms)
            }
            Claim::HandedOver(conversation) => {
                query(format!("{select} AND c.id = $1 AND t.owner = $2 AND t.handed_over"))
                    .bind(conversation.to_string())
                    .bind(boot.to_string())
            }
            Claim::Lost(conversation) => query(format!("{select} AND c.id = $1 AND t.owner = $2"))
                .bind(conversation.to_string())
                .bind(boot.to_string()),
        };
        let rows = candidates.fetch_all(self.reader()).await?;
        rows.iter().map(|row| Ok((parsed(row, "id")?, counter(row, "epoch")?))).collect()
    }

    /// Takes over the turn of one conversation, unless somebody else was first.
    async fn take_over_turn(
        &self,
        boot: BootId,
        conversation: ConversationId,
        epoch: u64,
    ) -> Result<Option<InterruptedTurn>, StorageError> {
        let mut transaction = self.begin().await?;
        // Text that the old owner stores at this moment is waited for, or left out.
        let lock = self.database().for_update();
        let locked =
            query(format!("SELECT 1 FROM conversations WHERE id = $1 AND epoch = $2{lock}"))
                .bind(conversation.to_string())
                .bind(to_column(epoch))
                .fetch_optional(&mut *transaction)
                .await?;
        if locked.is_none() {
            return Ok(None);
        }
        let turn = query(
            "UPDATE turns SET owner = $2, resumes = resumes + CASE WHEN EXISTS (
                 SELECT 1 FROM prompts p
                 WHERE p.turn_id = turns.id AND p.parks AND p.status = 'open')
                 OR handed_over THEN 0 ELSE 1 END
             WHERE conversation_id = $1 AND status = 'running'
             RETURNING id, checkpoint, resumes, block_message, handed_over, stop_at, parent, person",
        )
        .bind(conversation.to_string())
        .bind(boot.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(turn) = turn else { return Ok(None) };
        let row = query(
            "UPDATE conversations SET epoch = epoch + 1 WHERE id = $1
             RETURNING tenant, project, mode, epoch, next_seq, home, leaf",
        )
        .bind(conversation.to_string())
        .fetch_one(&mut *transaction)
        .await?;
        let turn_id: TurnId = parsed(&turn, "id")?;
        query("UPDATE turns SET handed_over = FALSE WHERE id = $1")
            .bind(turn_id.to_string())
            .execute(&mut *transaction)
            .await?;
        let interrupted = InterruptedTurn {
            tenant: parsed(&row, "tenant")?,
            conversation,
            turn: turn_id,
            epoch: counter(&row, "epoch")?,
            next_seq: counter(&row, "next_seq")?,
            checkpoint: optional_json(&turn, "checkpoint")?,
            resumes: counter(&turn, "resumes")?,
            block_message: parsed(&turn, "block_message")?,
            prompts: prompts::unlogged(&mut transaction, turn_id).await?,
            runs: tool_runs::unfinished(&mut transaction, turn_id).await?,
            project: parsed(&row, "project")?,
            person: optional(&turn, "person")?,
            mode: mode_from_name(row.try_get("mode")?),
            block: open_block(&mut transaction, conversation, turn_id).await?,
            home: optional(&row, "home")?,
            // As long as it runs, it is the end of the current path.
            path: Path::to(conversation, optional_counter(&row, "leaf")?),
            is_branch: turn.try_get::<Option<i64>>("parent")?.is_some(),
            handed_over: turn.try_get("handed_over")?,
            is_stopped: turn.try_get::<Option<i64>>("stop_at")?.is_some(),
        };
        transaction.commit().await?;
        Ok(Some(interrupted))
    }
}

/// The text block of the turn that has stored pieces: those of a closed one are deleted.
async fn open_block(
    transaction: &mut Connection,
    conversation: ConversationId,
    turn: TurnId,
) -> Result<Option<OpenTextBlock>, StorageError> {
    let row = query(
        "SELECT e.seq, e.message_id, e.body FROM events e
         WHERE e.conversation_id = $1 AND e.turn_id = $2 AND e.kind = 'block'
         AND EXISTS (SELECT 1 FROM deltas d
                     WHERE d.conversation_id = e.conversation_id AND d.block = e.seq)
         ORDER BY e.seq DESC LIMIT 1",
    )
    .bind(conversation.to_string())
    .bind(turn.to_string())
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let seq = counter(&row, "seq")?;
    let (raw, clean) = text_blocks::texts(transaction, conversation, seq).await?;
    Ok(Some(OpenTextBlock {
        seq,
        message: parsed(&row, "message_id")?,
        kind: BlockKind::from_column(&row, "body")?,
        raw,
        clean: Served::new(clean),
    }))
}
