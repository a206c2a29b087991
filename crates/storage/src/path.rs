//! A path through the turns of a conversation (U-7).
//!
//! A turn follows the turn before it in the log, or another one, which its row names by the number
//! of its `start` (`parent`). So a path is a few ranges of numbers, each beginning with a turn that
//! names its parent. Statements walk from range to range, and not from turn to turn.
//!
//! A conversation is one line until its row names a leaf: all of it is the path, and nothing is
//! walked.

use parlor_protocol::ConversationId;

use crate::columns::to_column;

/// The ranges of the path that ends at turn $2 of conversation $1.
const PATH: &str = "WITH RECURSIVE path (first, last) AS (
     SELECT COALESCE((SELECT MAX(b.start_seq) FROM turns b WHERE b.conversation_id = $1
         AND b.parent IS NOT NULL AND b.start_seq <= $2), 0), CAST($2 AS BIGINT)
     UNION ALL
     SELECT COALESCE((SELECT MAX(b.start_seq) FROM turns b WHERE b.conversation_id = $1
         AND b.parent IS NOT NULL AND b.start_seq <= f.parent), 0), f.parent
     FROM path p JOIN turns f ON f.conversation_id = $1 AND f.start_seq = p.first
     WHERE f.parent IS NOT NULL AND f.parent > 0)";

/// A path through the turns of a conversation, from the first to its leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    conversation: ConversationId,
    /// The number of its last turn; none if the conversation is one line, and all of it is meant.
    leaf: Option<u64>,
}

impl Path {
    /// The path of a conversation that has no branches.
    pub fn line(conversation: ConversationId) -> Self {
        Self { conversation, leaf: None }
    }

    /// The path that ends with the turn of this number, if there are branches.
    pub(crate) fn to(conversation: ConversationId, leaf: Option<u64>) -> Self {
        Self { conversation, leaf }
    }

    /// The conversation.
    pub fn conversation(self) -> ConversationId {
        self.conversation
    }

    /// The leaf, for statements that walk; none if there is nothing to walk.
    pub(crate) fn leaf(self) -> Option<i64> {
        self.leaf.map(to_column)
    }

    /// A statement over the turns `t` of the path, after the words that walk it.
    pub(crate) fn walked(statement: &str) -> String {
        format!("{PATH} {statement}")
    }
}
