//! The guardrail, applied to what a person writes (G-7, G-8): a message, or what was typed
//! into an answer. What passes is a [`Checked`], and only that goes to an agent. What
//! matched a rule goes to the list of blocked inputs; a refused text is stored nowhere else.

use parlor_guard::Checked;
use parlor_guard::guardrail::{Finding, Typed};
use parlor_storage::BlockedInput;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::ChatError;
use crate::project::Project;
use crate::state::ChatState;
use crate::texts::excerpt;

/// Checks a message. With a file it may be empty.
pub(crate) async fn check_message(
    state: &ChatState,
    caller: &Caller,
    project: &Project,
    text: &str,
    has_files: bool,
) -> Result<Checked<String>, ChatError> {
    let guardrail = &project.guardrail;
    let judged = if has_files { guardrail.check_caption(text) } else { guardrail.check(text) };
    let finding = match &judged {
        Ok(passed) => passed.noticed.as_ref(),
        Err(refusal) => refusal.finding.as_ref(),
    };
    if let Some(finding) = finding {
        record(state, project, &blocked_input(caller, project, text, finding)).await;
    }
    Ok(judged?.text)
}

/// Checks every text that was typed into an answer.
pub(crate) async fn check_answer<A: Typed>(
    state: &ChatState,
    caller: &Caller,
    project: &Project,
    answer: A,
) -> Result<Checked<A>, ChatError> {
    let mut inputs = Vec::new();
    let judged = project.guardrail.check_answer(answer, |text, finding| {
        inputs.push(blocked_input(caller, project, text, finding));
    });
    for input in &inputs {
        record(state, project, input).await;
    }
    Ok(judged?)
}

fn blocked_input(
    caller: &Caller,
    project: &Project,
    text: &str,
    finding: &Finding,
) -> BlockedInput {
    BlockedInput {
        id: Uuid::now_v7().to_string(),
        at: now(),
        tenant: caller.tenant.clone(),
        project: project.id.clone(),
        session: caller.session.clone(),
        person: caller.person(),
        rule: finding.rule.to_string(),
        category: finding.category.as_str().to_owned(),
        action: finding.action.as_str().to_owned(),
        view: finding.view.as_str().to_owned(),
        hash: data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes())),
        excerpt: explained(text, finding),
    }
}

/// The excerpt, and the words that weighed most where no pattern says why.
fn explained(text: &str, finding: &Finding) -> String {
    let excerpt = excerpt(text);
    if finding.words.is_empty() {
        excerpt
    } else {
        format!("{excerpt} [{}]", finding.words.join(", "))
    }
}

/// A failure to record neither lets an attack through nor refuses a message.
async fn record(state: &ChatState, project: &Project, input: &BlockedInput) {
    project.metrics.inputs.add([&input.rule, &input.action]);
    tracing::info!(rule = %input.rule, view = %input.view, action = %input.action,
        tenant = %input.tenant, session = %input.session, "an input matched a rule");
    if let Err(error) = state.store.add_blocked_input(input).await {
        tracing::error!(%error, "failed to record a blocked input");
    }
}
