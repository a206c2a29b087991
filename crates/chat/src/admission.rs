//! The guardrail at the door, and what is written down about it (G-7).

use parlor_guard::guardrail::{Finding, Refusal};
use parlor_protocol::ErrorCode;
use parlor_storage::BlockedInput;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::chat_agent::{Caller, Chat};
use crate::error::ChatError;
use crate::project::Project;
use crate::texts::{excerpt, now};

impl Chat {
    /// The guardrail. A refused text is audited, not stored.
    pub(crate) async fn judge(
        &self,
        caller: &Caller,
        project: &Project,
        text: &str,
        has_image: bool,
    ) -> Result<(), ChatError> {
        match project.guardrail.check(text) {
            Ok(passed) => {
                self.audit(caller, project, text, passed.noticed.as_ref()).await;
                Ok(())
            }
            // An image without words is a message.
            Err(Refusal { code: ErrorCode::InputEmpty, .. }) if has_image => Ok(()),
            Err(refusal) => {
                self.audit(caller, project, text, refusal.finding.as_ref()).await;
                Err(refusal.into())
            }
        }
    }

    /// G-7. That the audit cannot be written must not let an attack through,
    /// nor keep a message out.
    async fn audit(
        &self,
        caller: &Caller,
        project: &Project,
        text: &str,
        finding: Option<&Finding>,
    ) {
        let Some(finding) = finding else { return };
        let input = BlockedInput {
            id: Uuid::now_v7().to_string(),
            at: now(),
            tenant: caller.tenant.clone(),
            project: project.id.clone(),
            session: caller.session.clone(),
            rule: finding.rule.to_string(),
            category: finding.category.as_str().to_owned(),
            action: finding.action.as_str().to_owned(),
            view: finding.view.as_str().to_owned(),
            hash: data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes())),
            excerpt: excerpt(text),
        };
        tracing::info!(rule = %input.rule, view = %input.view, action = %input.action,
            tenant = %input.tenant, session = %input.session, "an input matched a rule");
        if let Err(error) = self.store().add_blocked_input(&input).await {
            tracing::error!(%error, "the audit could not be written");
        }
    }
}
