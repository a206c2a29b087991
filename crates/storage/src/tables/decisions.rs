//! The audit: who decided what. Written with the answer itself, and never changed.

use parlor_database::{Connection, Row, query};
use parlor_protocol::{
    ConversationId, PersonId, ProjectId, PromptId, PromptOutcome, TenantId, Timestamp,
};
use serde::Serialize;
use serde_json::Value;

use crate::columns::{optional, optional_json, parsed, to_json};
use crate::error::StorageError;
use crate::store::Store;
use parlor_protocol::PromptStatus;

/// One decision, as an administrator reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The tenant.
    pub tenant: TenantId,
    /// The project.
    pub project: ProjectId,
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The prompt that was decided.
    pub prompt_id: PromptId,
    /// Who asked: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// How the prompt ended.
    pub outcome: PromptOutcome,
    /// The session or key that answered; `None` if nobody did.
    pub session: Option<String>,
    /// The name of the person, or that of the session or key of the shared account.
    pub answered_by: Option<String>,
    /// The person who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// The question as text.
    pub question: String,
    /// The answer.
    pub response: Option<Value>,
    /// The person's reason for a refusal.
    pub reason: Option<String>,
    /// The server of the tool that was decided on.
    pub server: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The run that it allowed.
    pub run_id: Option<String>,
    /// The arguments that were proposed, if others ran; as the person saw them.
    pub proposed: Option<Value>,
    /// The arguments that ran, masked as in an approval; `None` if it did not run.
    pub arguments: Option<Value>,
    /// SHA-256 of the exact argument bytes, in hex.
    pub arguments_hash: Option<String>,
    /// Whether the person changed the arguments.
    pub edited: bool,
    /// Whether it holds for the rest of the conversation.
    pub remembered: bool,
    /// What others wrote that may be behind the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Value>,
}

impl Store {
    /// The decisions of a tenant after a time and id, oldest first.
    pub async fn decisions(
        &self,
        tenant: &TenantId,
        after: (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<Decision>, StorageError> {
        let rows = query(
            "SELECT * FROM decisions WHERE tenant = $1 AND (at > $2 OR (at = $2 AND id > $3))
             ORDER BY at, id LIMIT $4",
        )
        .bind(tenant.as_str())
        .bind(after.0.0)
        .bind(after.1)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(decision).collect()
    }
}

/// Adds a decision to the audit.
pub(crate) async fn insert(
    transaction: &mut Connection,
    decision: &Decision,
) -> Result<(), StorageError> {
    query(
        "INSERT INTO decisions (id, at, tenant, project, conversation_id, prompt_id, origin,
         outcome, session, answered_by, question, response, server, tool, run_id, arguments_hash,
         edited, remembered, reason, proposed, arguments, sources, person)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
         $19, $20, $21, $22, $23)",
    )
    .bind(&decision.id)
    .bind(decision.at.0)
    .bind(decision.tenant.as_str())
    .bind(decision.project.as_str())
    .bind(decision.conversation_id.to_string())
    .bind(decision.prompt_id.to_string())
    .bind(&decision.origin)
    .bind(PromptStatus::from(decision.outcome).as_str())
    .bind(&decision.session)
    .bind(&decision.answered_by)
    .bind(&decision.question)
    .bind(decision.response.as_ref().map(to_json).transpose()?)
    .bind(&decision.server)
    .bind(&decision.tool)
    .bind(&decision.run_id)
    .bind(&decision.arguments_hash)
    .bind(decision.edited)
    .bind(decision.remembered)
    .bind(&decision.reason)
    .bind(decision.proposed.as_ref().map(to_json).transpose()?)
    .bind(decision.arguments.as_ref().map(to_json).transpose()?)
    .bind(decision.sources.as_ref().map(to_json).transpose()?)
    .bind(decision.person.map(|person| person.to_string()))
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

pub(crate) fn decision(row: &Row) -> Result<Decision, StorageError> {
    let outcome = PromptStatus::from_name(row.try_get("outcome")?).outcome();
    Ok(Decision {
        id: row.try_get("id")?,
        at: Timestamp(row.try_get("at")?),
        tenant: parsed(row, "tenant")?,
        project: parsed(row, "project")?,
        conversation_id: parsed(row, "conversation_id")?,
        prompt_id: parsed(row, "prompt_id")?,
        origin: row.try_get("origin")?,
        outcome: outcome
            .ok_or_else(|| StorageError::Corrupt("a decision has the outcome open".into()))?,
        session: row.try_get("session")?,
        answered_by: row.try_get("answered_by")?,
        person: optional(row, "person")?,
        question: row.try_get("question")?,
        response: optional_json(row, "response")?,
        reason: row.try_get("reason")?,
        server: row.try_get("server")?,
        tool: row.try_get("tool")?,
        run_id: row.try_get("run_id")?,
        proposed: optional_json(row, "proposed")?,
        arguments: optional_json(row, "arguments")?,
        arguments_hash: row.try_get("arguments_hash")?,
        edited: row.try_get("edited")?,
        remembered: row.try_get("remembered")?,
        sources: optional_json(row, "sources")?,
    })
}
