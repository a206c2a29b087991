//! Sending a message: what happens to a request until its turn has begun.
//!
//! 1. A message that was sent before is acknowledged again, and begins no second turn (H-5).
//! 2. What a retry, an edit or another answer leaves out is filled in ([`retries`], [`branches`]).
//! 3. The conversation is looked up, or a new one is prepared.
//! 4. No budget may be used up ([`budgets`](crate::budgets)).
//! 5. The text passes the guardrail ([`input_check`]), the files are checked ([`files`]), and so
//!    does what an external client tells of the past ([`external_message`](crate::external_message)).
//! 6. The turn gets a slot, then everything is written at once and the turn begins
//!    ([`turn::begin`]).

use std::sync::Arc;

use parlor_protocol::{ChatRequest, ConversationId, ProjectId, PromptId};
use parlor_storage::{NewConversation, Path, Prompt};
use uuid::Uuid;

use crate::branches;
use crate::caller::{Accepted, Caller};
use crate::client_tools;
use crate::error::ChatError;
use crate::external_message::{EarlierMessage, ExternalMessage, WithEarlier};
use crate::files;
use crate::flow::clearing;
use crate::input_check;
use crate::project::Project;
use crate::retries::{self, Repeated};
use crate::state::ChatState;
use crate::texts::title;
use crate::turn::{self, PersonMessage};
use crate::versions::AsRead;

/// Takes a person's message. When it returns, the message is stored and its turn has begun.
pub(crate) async fn send(
    state: &Arc<ChatState>,
    caller: &Caller,
    project: &ProjectId,
    message: ExternalMessage,
) -> Result<Accepted, ChatError> {
    if let Some(accepted) = accepted_before(state, caller, &message).await? {
        return Ok(accepted);
    }
    let mut request = message.request.clone();
    if let (None, Some(named)) = (request.conversation_id, &message.conversation) {
        request.conversation_id = state.store.external_conversation(&caller.tenant, named).await?;
    }
    let repeated = match branches::complete(state, caller, &mut request).await? {
        Some(version) => version,
        None => retries::complete(state, caller, &mut request).await?,
    };
    let target = target(state, caller, project, &request).await?;
    let project = &target.project;
    let usage = state.projects.budgets().admit(&state.store, caller, &project.id).await?;
    let said = said(state, caller, &target, &mut request, repeated, &message.earlier).await?;
    let tools = client_tools::check(project, &request.client_tools)?;
    let slot = state.turn_slot(caller, project).await?;
    let conversation = target.conversation;
    let mut write =
        turn::message_turn(caller, project, conversation, said, None, &target.passed_over);
    write.mode = request.mode.filter(|_| target.new.is_none());
    write.external = message.conversation.clone().filter(|_| target.new.is_some());
    write.new = target.new;
    write.title = target.title;
    write.client_message_id = request.client_message_id.clone();
    write.request_hash = message.request_hash.clone();
    write.client_tools = tools;
    write.usage = Some(usage);
    match turn::begin(state, write, project, slot).await {
        Ok(accepted) => {
            project.metrics.passed_over(&target.passed_over);
            Ok(accepted)
        }
        Err(error) => match accepted_before(state, caller, &message).await? {
            // The same message, sent twice at the same moment.
            Some(accepted) => Ok(accepted),
            None => Err(state.why_not_begun(conversation, error).await),
        },
    }
}

/// What a request says, once it has passed the checks.
async fn said(
    state: &ChatState,
    caller: &Caller,
    target: &Target,
    request: &mut ChatRequest,
    repeated: Repeated,
    earlier: &[EarlierMessage],
) -> Result<PersonMessage, ChatError> {
    let project = &target.project;
    let Repeated { retry, files: kept, mut version, as_read } = repeated;
    let has_files = request.has_files() || !kept.is_empty();
    let text =
        input_check::check_message(state, caller, project, &request.message, has_files).await?;
    let files = files::of_message(&state.images, project, request, kept).await?;
    let for_model = match as_read {
        Some(words) => {
            let words = input_check::check_answer(state, caller, project, words).await?;
            Some(words.map(|AsRead(words)| words))
        }
        None if earlier.is_empty() || target.new.is_none() => None,
        None => {
            let all = WithEarlier::new(earlier.to_vec(), text.get())?;
            let all = input_check::check_answer(state, caller, project, all).await?;
            Some(all.map(WithEarlier::for_model))
        }
    };
    if let Some(version) = &mut version {
        let (id, turn) = (target.conversation, version.turn);
        version.changes_stay = branches::changes_stay(state, project, id, turn).await?;
    }
    let clears = match (request.clear_context, target.path) {
        (true, Some(path)) => {
            let path = match &version {
                Some(version) => state.store.path_before(target.conversation, version.turn).await?,
                None => path,
            };
            Some(clearing::mark(&state.store.calls_before_others(path).await?))
        }
        _ => None,
    };
    Ok(PersonMessage { text, for_model, files, retry, version, clears })
}

/// The open prompts that a message passes over: those that no turn waits for.
pub(crate) async fn open_prompts_without_turn(
    state: &ChatState,
    conversation: ConversationId,
    except: Option<PromptId>,
) -> Result<Vec<Prompt>, ChatError> {
    let mut open = state.store.open_prompts(conversation).await?;
    open.retain(|prompt| !prompt.turn_waits && Some(prompt.id) != except);
    Ok(open)
}

/// The turn that the same message began before (H-5).
async fn accepted_before(
    state: &ChatState,
    caller: &Caller,
    message: &ExternalMessage,
) -> Result<Option<Accepted>, ChatError> {
    let (store, scope, principal) = (&state.store, &caller.scope, &caller.principal());
    let turn = match (&message.request.client_message_id, &message.request_hash) {
        (Some(id), _) => store.turn_by_client_message(scope, principal, id).await?,
        (None, Some(hash)) if message.is_repeated => {
            store.turn_by_request(scope, principal, hash).await?
        }
        _ => None,
    };
    Ok(turn.map(Accepted::from))
}

/// The conversation that a message goes to.
struct Target {
    project: Arc<Project>,
    conversation: ConversationId,
    /// Set if the conversation begins with this message.
    new: Option<NewConversation>,
    /// Its current path, if it had begun before.
    path: Option<Path>,
    /// The title of a conversation that had no message before.
    title: Option<String>,
    passed_over: Vec<Prompt>,
}

async fn target(
    state: &ChatState,
    caller: &Caller,
    project: &ProjectId,
    request: &ChatRequest,
) -> Result<Target, ChatError> {
    let Some(id) = request.conversation_id else {
        let project = state.project(caller, project)?;
        let new = NewConversation {
            project: project.id.clone(),
            title: title(&request.message),
            mode: request.mode.unwrap_or_default(),
            folder: None,
            person: caller.person(),
        };
        let conversation = ConversationId::new(Uuid::now_v7());
        let (path, title, passed_over) = (None, None, Vec::new());
        return Ok(Target { project, conversation, new: Some(new), path, title, passed_over });
    };
    let conversation = state.take_part(caller, id).await?;
    let title = conversation.title.get().is_empty().then(|| title(&request.message));
    let passed_over = open_prompts_without_turn(state, id, None).await?;
    let path = Some(conversation.path());
    let project = state.project(caller, &conversation.project)?;
    Ok(Target { project, conversation: id, new: None, path, title, passed_over })
}
