//! What people can do with prompts: answer, give more time, list; and take back
//! what they always allowed.

use std::sync::Arc;

use parlor_guard::Clean;
use parlor_protocol::{
    ConversationId, EventBody, Mode, PromptAnswer, PromptClosed, PromptId, PromptOutcome,
    PromptType, Timestamp,
};
use parlor_storage::{
    Allowance, Decision, PageCursor, Prompt, PromptClosing, PromptPage, PromptResolution,
    PromptStatus, PromptView,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::check::{self, Fitting};
use super::opening::lapses;
use super::{Decided, Meant, Previewed, meant, preview};
use crate::beginning::Begins;
use crate::chat_agent::{Accepted, Caller, Chat};
use crate::error::ChatError;
use crate::power_cut;
use crate::project::Project;
use crate::texts::now;

/// How many prompts a page of the list has.
const PAGE: u32 = 200;

/// An answer that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Whether it was a yes or an answer, or a refusal.
    pub outcome: PromptOutcome,
    /// The turn that the answer began, if none waited for it.
    pub turn: Option<Accepted>,
}

impl Chat {
    /// Takes a person's answer. A bad one leaves the prompt open (P-5).
    pub async fn answer(
        &self,
        caller: &Caller,
        id: PromptId,
        answer: PromptAnswer,
    ) -> Result<Answered, ChatError> {
        let prompt = self.store().prompt(&caller.tenant, id).await?;
        if prompt.outcome.is_some() {
            return Err(ChatError::PromptClosed);
        }
        let project = self.project(caller, &prompt.project)?;
        let meant = meant(&prompt).ok_or(ChatError::Internal)?;
        let fitting =
            check::check(prompt.public.get(), &meant, &answer).map_err(ChatError::AnswerInvalid)?;
        for typed in fitting.typed.iter().filter(|text| !text.trim().is_empty()) {
            self.judge(caller, &project, typed, false).await?;
        }
        let outcome = fitting.outcome;
        let allowed = allowed(&project, &meant, &fitting).await;
        let answering = answering(caller, &prompt, &meant, &answer, &fitting, allowed);
        if prompt.turn_waits {
            if !self.store().resolve_prompt(&answering).await? {
                return Err(ChatError::PromptClosed);
            }
            power_cut::after(power_cut::Step::Answered);
            self.registry().hint(prompt.conversation);
            return Ok(Answered { outcome, turn: None });
        }
        let turn = self.begin_with_answer(caller, &project, &prompt, fitting, answering).await?;
        Ok(Answered { outcome, turn })
    }

    /// Gives a prompt more time: the same again, so many seconds, or (0) all there is.
    pub async fn extend(
        &self,
        caller: &Caller,
        id: PromptId,
        seconds: Option<u64>,
    ) -> Result<Option<Timestamp>, ChatError> {
        /// A day: more is a slip, and nobody watches a clock for longer.
        const MOST_SECONDS: u64 = 86_400;
        let prompt = self.store().prompt(&caller.tenant, id).await?;
        let time = match seconds {
            // Nothing waits for it, so nothing would notice that it lapsed: it
            // stays until it is answered or passed over (P-4).
            _ if !prompt.turn_waits => None,
            None => prompt.timeout_ms,
            Some(0) => None,
            Some(seconds) => i64::try_from(seconds.min(MOST_SECONDS) * 1_000).ok(),
        };
        let expires_at = lapses(time);
        let open =
            prompt.outcome.is_none() && self.store().extend_prompt(id, expires_at, now()).await?;
        if !open {
            return Err(ChatError::PromptClosed);
        }
        self.registry().hint(prompt.conversation);
        Ok(expires_at)
    }

    /// A prompt and what became of it.
    pub async fn prompt(&self, caller: &Caller, id: PromptId) -> Result<PromptView, ChatError> {
        Ok(self.store().prompt(&caller.tenant, id).await?.view())
    }

    /// A page of the prompts of the caller's tenant, newest first (P-6).
    pub async fn prompts(
        &self,
        caller: &Caller,
        status: Option<PromptStatus>,
        before: Option<&PageCursor>,
    ) -> Result<PromptPage, ChatError> {
        Ok(self.store().prompts(&caller.tenant, status, before, PAGE).await?)
    }

    /// What is always allowed in a conversation (P-11).
    pub async fn allowances(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<Vec<Allowance>, ChatError> {
        self.store().conversation(&caller.tenant, conversation).await?;
        Ok(self.store().allowances(conversation).await?)
    }

    /// Takes back what was always allowed: one tool, or all.
    pub async fn revoke_allowances(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        tool: Option<&str>,
    ) -> Result<(), ChatError> {
        self.store().conversation(&caller.tenant, conversation).await?;
        let revoked = self.store().revoke_allowances(conversation, tool).await?;
        if revoked == 0 && tool.is_some() { Err(ChatError::NotFound) } else { Ok(()) }
    }

    /// The answer is a message: it closes the prompt and begins a turn, in one
    /// write. A refusal needs no turn.
    async fn begin_with_answer(
        &self,
        caller: &Caller,
        project: &Arc<Project>,
        prompt: &Prompt,
        fitting: Fitting,
        answering: PromptResolution,
    ) -> Result<Option<Accepted>, ChatError> {
        let Decided::Given { value, said } = &fitting.decided else {
            return self.close_without_turn(project, prompt, answering).await.map(|()| None);
        };
        let is_plan = prompt.public.get().prompt_type == PromptType::Plan;
        let executes = is_plan && *value == json!("execute");
        let begins = Begins {
            told: Some(if is_plan { plan_words(value) } else { own_words(value) }),
            mode: executes.then_some(Mode::Act),
            answering: Some(Box::new(answering)),
            passed_over: self.passed_over(prompt.conversation, Some(prompt.id)).await?,
            ..Begins::new(prompt.conversation, said.clone())
        };
        let slot = self.slot(caller, project)?;
        match self.begin(caller, project, begins, slot).await {
            Ok(accepted) => Ok(Some(accepted)),
            Err(error) => Err(self.why_not(prompt.conversation, error).await),
        }
    }

    /// Nobody's turn runs, so the end goes into the log by itself.
    async fn close_without_turn(
        &self,
        project: &Project,
        prompt: &Prompt,
        answering: PromptResolution,
    ) -> Result<(), ChatError> {
        let event = Clean::new(&project.sanitizer, closed_event(&answering.closing));
        let log = self.registry().log(prompt.conversation);
        log.publish(self.store().resolve_and_log_prompt(&answering, &event, prompt.turn).await?);
        Ok(())
    }
}

/// The event that shows the end of a prompt.
pub(crate) fn closed_event(closing: &PromptClosing) -> EventBody {
    EventBody::UserPromptClosed(Box::new(PromptClosed {
        id: closing.id,
        outcome: closing.outcome,
        response: closing.response.clone(),
        reason: closing.reason.clone(),
        tool_call: closing.allowed.as_ref().map(|call| call.get().clone()),
        preview: closing.allowed_preview.as_ref().map(|preview| preview.get().clone()),
        answered_by: closing.answered_by.clone(),
        at: closing.now,
    }))
}

/// What the model is told of a decision on its plan (T-3).
fn plan_words(value: &Value) -> String {
    match value.get("refine").and_then(Value::as_str) {
        Some(words) => {
            format!("Refine the plan, and present the whole plan again. What to change: {words}")
        }
        None => "The plan is approved. Carry it out now, step by step.".to_owned(),
    }
}

/// What the model is told of an answer: its own value, not the masked label.
fn own_words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The call as it is allowed, if the person changed it.
async fn allowed(project: &Project, meant: &Meant, fitting: &Fitting) -> Option<Previewed> {
    let (Meant::Call(call), true, Some(arguments)) = (meant, fitting.edited, &fitting.arguments)
    else {
        return None;
    };
    Some(preview::of_call(project, &call.tool, arguments).await)
}

/// Everything that an answer changes.
fn answering(
    caller: &Caller,
    prompt: &Prompt,
    meant: &Meant,
    answer: &PromptAnswer,
    fitting: &Fitting,
    allowed: Option<Previewed>,
) -> PromptResolution {
    let at = now();
    let call = match meant {
        Meant::Call(call) => Some(call),
        Meant::Result | Meant::Question(_) => None,
    };
    let arguments = fitting.arguments.as_ref().map(bytes);
    let remembered = answer.remember.is_some() && arguments.is_some();
    let mut decision = decision(prompt, fitting.outcome, at);
    decision.session = Some(caller.session.clone());
    decision.answered_by = Some(caller.name.clone());
    decision.response = fitting.response.clone();
    decision.reason = fitting.reason().cloned();
    if arguments.is_some() {
        let ran = allowed.as_ref().map(|allowed| allowed.call.get().input.clone());
        // Without a change, what ran is what was shown.
        let shown =
            if ran.is_some() { decision.proposed.clone() } else { decision.proposed.take() };
        decision.arguments = ran.or(shown);
    }
    decision.arguments_hash = arguments.as_deref().map(hash);
    decision.edited = fitting.edited;
    decision.remembered = remembered;
    PromptResolution {
        closing: PromptClosing {
            id: prompt.id,
            outcome: fitting.outcome,
            response: fitting.response.clone(),
            decision: serde_json::to_value(&fitting.decided).ok(),
            reason: fitting.reason().cloned(),
            allowed_preview: allowed.as_ref().and_then(|allowed| allowed.preview.clone()),
            allowed: allowed.map(|allowed| allowed.call),
            answered_by: Some(caller.name.clone()),
            forced: false,
            now: at,
        },
        allows: call.filter(|_| remembered).map(|call| Allowance {
            server: call.server.clone(),
            tool: call.tool.clone(),
            fingerprint: call.fingerprint.clone(),
            granted_by: caller.name.clone(),
            granted_at: at,
        }),
        approves: call.zip(arguments).map(|(call, arguments)| (call.run, arguments)),
        decision,
    }
}

/// The end of a prompt that nobody answered.
pub(crate) fn unanswered(prompt: &Prompt, outcome: PromptOutcome) -> PromptResolution {
    let at = now();
    PromptResolution {
        closing: PromptClosing {
            id: prompt.id,
            outcome,
            response: None,
            decision: None,
            reason: None,
            allowed: None,
            allowed_preview: None,
            answered_by: None,
            forced: false,
            now: at,
        },
        approves: None,
        allows: None,
        decision: decision(prompt, outcome, at),
    }
}

/// The line in the audit, as far as the prompt knows.
fn decision(prompt: &Prompt, outcome: PromptOutcome, at: Timestamp) -> Decision {
    let call = match meant(prompt) {
        Some(Meant::Call(call)) => Some(call),
        _ => None,
    };
    Decision {
        id: Uuid::now_v7().to_string(),
        at,
        tenant: prompt.tenant.clone(),
        project: prompt.project.clone(),
        conversation_id: prompt.conversation,
        prompt_id: prompt.id,
        origin: prompt.origin.clone(),
        outcome,
        session: None,
        answered_by: None,
        question: prompt.public.get().question.clone(),
        response: None,
        reason: None,
        server: call.as_ref().map(|call| call.server.clone()),
        tool: call.as_ref().map(|call| call.tool.clone()),
        run_id: call.as_ref().map(|call| call.run.to_string()),
        proposed: prompt.public.get().tool_call.as_ref().map(|call| call.input.clone()),
        arguments: None,
        arguments_hash: None,
        edited: false,
        remembered: false,
    }
}

/// The exact bytes of arguments, as they are stored and hashed.
pub(crate) fn bytes(arguments: &Map<String, Value>) -> String {
    // A map of JSON values is always JSON.
    serde_json::to_string(arguments).unwrap_or_default()
}

fn hash(bytes: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes.as_bytes()))
}
