//! Chooses the branch that a conversation goes on with: its leaf and the event that says so, in one
//! write. Not while a turn runs: what it says belongs to the path on which it began.

use parlor_database::{Batch, query};
use parlor_guard::Clean;
use parlor_protocol::{ConversationId, EventBody, TenantId, Timestamp, TurnId};

use crate::columns::{counter, to_column};
use crate::error::StorageError;
use crate::queries::branches;
use crate::store::Store;
use crate::tables::events::{self, Logged};

/// A branch that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenBranch {
    /// Its leaf.
    pub leaf: TurnId,
    /// The events that say so; none if it was the current one.
    pub events: Vec<Logged>,
}

impl Store {
    /// Goes on with the newest end of the branch that a turn is on. `event` says what is logged of
    /// the leaf.
    pub async fn choose_branch(
        &self,
        tenant: &TenantId,
        conversation: ConversationId,
        turn: TurnId,
        event: impl Fn(TurnId) -> Clean<EventBody> + Send,
        now: Timestamp,
    ) -> Result<ChosenBranch, StorageError> {
        let mut transaction = self.begin().await?;
        // The conversation first, as everywhere: a turn that begins at this moment waits, or is seen.
        let row = query(
            "UPDATE conversations SET next_seq = next_seq + 1 WHERE id = $1 AND tenant = $2
             RETURNING next_seq, leaf",
        )
        .bind(conversation.to_string())
        .bind(tenant.as_str())
        .fetch_one(&mut *transaction)
        .await?;
        let seq = counter(&row, "next_seq")?.saturating_sub(1);
        let current: Option<i64> = row.try_get("leaf")?;
        let named = branches::place(&mut *transaction, conversation, turn).await?;
        let (leaf, start_seq) =
            branches::newest_from(&mut transaction, conversation, named.start_seq).await?;
        // What is one line has one end, and it is chosen.
        if current.is_none_or(|current| current == to_column(start_seq)) {
            return Ok(ChosenBranch { leaf, events: Vec::new() });
        }
        let running =
            query("SELECT 1 FROM turns WHERE conversation_id = $1 AND status = 'running'")
                .bind(conversation.to_string())
                .fetch_optional(&mut *transaction)
                .await?;
        if running.is_some() {
            return Err(StorageError::TurnRunning);
        }
        let mut batch = Batch::default();
        batch
            .add("UPDATE conversations SET leaf = $2 WHERE id = $1")
            .bind(conversation.to_string())
            .bind(to_column(start_seq));
        let events = events::insert(&mut batch, conversation, leaf, seq, [&event(leaf)], now)?;
        transaction.run(batch).await?;
        let is_chosen = || {
            query("SELECT 1 FROM events WHERE conversation_id = $1 AND seq = $2 AND turn_id = $3")
                .bind(conversation.to_string())
                .bind(to_column(seq))
                .bind(leaf.to_string())
        };
        match transaction.commit().await.map_err(StorageError::from) {
            Err(error) if self.is_written(&error, is_chosen).await? => {
                Ok(ChosenBranch { leaf, events })
            }
            written => written.map(|()| ChosenBranch { leaf, events }),
        }
    }
}
