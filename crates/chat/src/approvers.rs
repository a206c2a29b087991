//! Whose answers to a prompt count (Y-2).
//!
//! A prompt about a call may name who answers it: administrators, people with a role, single people, and
//! somebody else than who asked. Others who see it are refused. Whoever is named answers it also where they
//! do not see the conversation: then they read the prompt, and nothing else of it.

use parlor_protocol::{Answerer, Approvers, PromptId, PromptStatus};
use parlor_storage::{AccessRole, PageCursor, Prompt, PromptPage, PromptView, StorageError};

use crate::caller::Caller;
use crate::error::ChatError;
use crate::state::ChatState;

/// Prompts on a page of the list.
const PER_PAGE: u32 = 200;

/// Whether the answer of a caller counts. Roles are read each time: who loses one answers no more.
pub(crate) async fn admit(
    state: &ChatState,
    caller: &Caller,
    approvers: &Approvers,
) -> Result<bool, ChatError> {
    let person = match caller.person() {
        Some(id) => Some(state.store.people().find(&caller.tenant, id).await?),
        None => None,
    };
    Ok(approvers.admit(&Answerer {
        is_admin: caller.role == AccessRole::Admin,
        person: caller.person(),
        login: person.as_ref().map(|person| &person.login),
        roles: person.as_ref().map(|person| person.roles.as_slice()).unwrap_or_default(),
    }))
}

/// A prompt that the caller sees, or that names them; and whether they see its conversation.
pub(crate) async fn find(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
) -> Result<(Prompt, bool), ChatError> {
    match state.store.prompt(&caller.scope, id).await {
        Ok(prompt) => Ok((prompt, true)),
        Err(StorageError::NotFound) => {
            let prompt = state.store.limited_prompt(&caller.tenant, id).await?;
            match &prompt.public.get().approvers {
                Some(approvers) if admit(state, caller, approvers).await? => Ok((prompt, false)),
                _ => Err(ChatError::NotFound),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// The same, for somebody who answers it: whoever takes part, or, if it names somebody, they alone.
pub(crate) async fn to_answer(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
) -> Result<Prompt, ChatError> {
    let (prompt, _) = find(state, caller, id).await?;
    match &prompt.public.get().approvers {
        Some(approvers) if admit(state, caller, approvers).await? => Ok(prompt),
        Some(_) => Err(ChatError::NotApprover),
        None => {
            state.take_part(caller, prompt.conversation).await?;
            Ok(prompt)
        }
    }
}

/// A prompt and how it ended.
pub(crate) async fn view(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
) -> Result<PromptView, ChatError> {
    let (prompt, is_seen) = find(state, caller, id).await?;
    Ok(PromptView { unseen: !is_seen, ..prompt.view() })
}

/// A page of the prompts that the caller may answer or has seen answered, newest first (P-6). Those that
/// name them, in conversations that they do not see, are on the first page while they wait.
pub(crate) async fn list(
    state: &ChatState,
    caller: &Caller,
    status: Option<PromptStatus>,
    before: Option<&PageCursor>,
) -> Result<PromptPage, ChatError> {
    let scope = caller.scope.taking_part();
    let mut page = state.store.prompts(&scope, status, before, PER_PAGE).await?;
    if before.is_some() || !matches!(status, None | Some(PromptStatus::Open)) {
        return Ok(page);
    }
    for prompt in state.store.unseen_limited_prompts(&scope, PER_PAGE).await? {
        let Some(approvers) = &prompt.public.get().approvers else { continue };
        if admit(state, caller, approvers).await? {
            page.prompts.push(PromptView { unseen: true, ..prompt.view() });
        }
    }
    page.prompts.sort_by_key(|view| std::cmp::Reverse(view.opened_at));
    Ok(page)
}
