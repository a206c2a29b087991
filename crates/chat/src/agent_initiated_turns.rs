//! Agent-initiated turns: an agent that begins by itself gets a turn of its own (B-1).
//!
//! A conversation has one turn at a time, so a running turn is waited for. If a person's
//! message was faster, the agent says in that turn what it had to say, and wants no other.

use std::sync::{Arc, Weak};
use std::time::Duration;

use parlor_agent::AgentInitiatedTurn;
use parlor_protocol::{ConversationId, TenantId};
use parlor_storage::{Scope, StorageError};

use crate::project::Project;
use crate::state::ChatState;
use crate::turn;

/// The shortest and the longest pause between two attempts to begin a turn.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Spawns a task for each agent that can begin a turn. It ends with the chat or the agent.
pub(crate) fn listen(state: &Arc<ChatState>) {
    for (tenant, project) in state.projects.with_tenants() {
        let Some(mut requests) = project.agent.agent_initiated_turns() else { continue };
        let (state, project): (Weak<ChatState>, Weak<Project>) =
            (Arc::downgrade(state), Arc::downgrade(project));
        let tenant = tenant.clone();
        tokio::spawn(async move {
            while let Some(request) = requests.recv().await {
                let (Some(state), Some(project)) = (state.upgrade(), project.upgrade()) else {
                    return;
                };
                let tenant = tenant.clone();
                // One that has to wait does not hold up the others.
                tokio::spawn(async move { give_turn(&state, &tenant, &project, &request).await });
            }
        });
    }
}

/// Begins the turn as soon as no other one runs, unless it is no longer wanted.
async fn give_turn(
    state: &Arc<ChatState>,
    tenant: &TenantId,
    project: &Arc<Project>,
    request: &AgentInitiatedTurn,
) {
    let conversation = request.conversation;
    let mut backoff = MIN_BACKOFF;
    loop {
        state.live_turns.ended(conversation).await;
        if !request.is_wanted() {
            return;
        }
        match begin(state, tenant, project, conversation).await {
            Ok(()) => return,
            // The task of another turn starts or ends at this moment.
            Err(StorageError::TurnRunning) => backoff = MIN_BACKOFF,
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, %conversation, "failed to begin an agent-initiated turn; trying again");
                backoff = (backoff * 2).min(MAX_BACKOFF);
            }
            Err(error) => {
                tracing::info!(%error, %conversation, "failed to begin an agent-initiated turn");
                return project.agent.forget(conversation);
            }
        }
        tokio::time::sleep(backoff).await;
    }
}

async fn begin(
    state: &Arc<ChatState>,
    tenant: &TenantId,
    project: &Arc<Project>,
    conversation: ConversationId,
) -> Result<(), StorageError> {
    let scope = Scope::of_server(tenant.clone());
    let person = state.store.conversation(&scope, conversation).await?.person;
    let write = turn::agent_turn(tenant, project, conversation, person);
    // The agent has begun already, so the turn counts whatever the limits.
    let slot = state.turn_slots.count(tenant, &project.id);
    turn::begin(state, write, project, slot).await.map(|_accepted| ())
}
