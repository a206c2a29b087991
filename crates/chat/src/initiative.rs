//! Agents that speak up by themselves: each gets a turn of its own (B-1).
//!
//! A conversation has one turn at a time. A turn that runs is waited for; if it is a
//! person's that was faster, the agent says in it what it had to say, and wants no other
//! one any more.

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::AgentInitiatedTurn;
use parlor_protocol::TenantId;
use parlor_storage::StorageError;

use crate::chat_agent::Chat;
use crate::project::Project;

/// Between two tries, if the database or a turn is in the way.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Listens to the agents of all projects, as long as there are both.
pub(crate) fn listen(chat: &Chat) {
    for (tenant, project) in chat.projects().with_tenants() {
        let Some(mut initiatives) = project.agent.agent_initiated_turns() else { continue };
        let (chat, tenant) = (chat.downgrade(), tenant.clone());
        let project = Arc::downgrade(project);
        tokio::spawn(async move {
            while let Some(initiative) = initiatives.recv().await {
                let (Some(chat), Some(project)) = (chat.upgrade(), project.upgrade()) else {
                    return;
                };
                let tenant = tenant.clone();
                // One that has to wait does not hold up the others.
                tokio::spawn(async move { give_turn(&chat, &tenant, &project, &initiative).await });
            }
        });
    }
}

/// Begins the turn, as soon as no other one runs and as long as it is wanted.
async fn give_turn(
    chat: &Chat,
    tenant: &TenantId,
    project: &Arc<Project>,
    initiative: &AgentInitiatedTurn,
) {
    let conversation = initiative.conversation;
    let mut pause = PAUSE;
    loop {
        chat.registry().ended(conversation).await;
        if !initiative.is_wanted() {
            return;
        }
        match chat.begin_unasked(tenant, project, conversation).await {
            Ok(_) => return,
            // Its task begins or ends in this moment.
            Err(StorageError::TurnRunning) => pause = PAUSE,
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, %conversation, "a turn of an agent cannot begin yet");
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(error) => {
                tracing::info!(%error, %conversation, "a turn of an agent cannot begin");
                return project.agent.forget(conversation);
            }
        }
        tokio::time::sleep(pause).await;
    }
}
