//! What the other nodes say: where to look. Nothing is believed but that it is worth looking.

use std::sync::{Arc, Weak};

use parlor_fanout::{Hint, Peer, Received};
use parlor_protocol::ConversationId;
use parlor_storage::Claim;
use tokio::sync::Notify;

use crate::live_turns::Stop;
use crate::log::live_frame::{self, LiveFrame};
use crate::recovery;
use crate::state::ChatState;

/// Takes what comes until the channel or the chat is gone. `nodes` wakes the heartbeat.
pub(super) async fn run(state: Weak<ChatState>, nodes: Arc<Notify>) {
    let received = state.upgrade().and_then(|state| state.node.fanout.take_received());
    let Some(mut received) = received else { return };
    while let Some(received) = received.recv().await {
        let Some(state) = state.upgrade() else { return };
        match received {
            Received::Hint { hint: Hint::Nodes, .. } => nodes.notify_one(),
            Received::Hint { from, hint } => take_hint(&state, from, hint),
            Received::Live { payload, .. } => {
                live_frame::read(&payload).into_iter().for_each(|frame| take_frame(&state, frame));
            }
            Received::Missed => {
                state.live_turns.all_logs().iter().for_each(|log| log.missed());
                nodes.notify_one();
            }
        }
    }
}

fn take_hint(state: &Arc<ChatState>, from: Peer, hint: Hint) {
    let live_turns = &state.live_turns;
    match hint {
        Hint::Log(conversation, id) => {
            if let Some(log) = live_turns.existing_log(conversation) {
                log.stored_elsewhere(id);
            }
        }
        Hint::Prompt(conversation) => live_turns.prompt_changed(conversation),
        Hint::Stop(conversation) => {
            live_turns.stop(conversation, Stop::Person);
        }
        Hint::HandedOver(conversation) => begin(state, conversation),
        Hint::Deleted(conversation) => state.forget(conversation),
        Hint::Audience(conversation) => {
            if let Some(log) = live_turns.existing_log(conversation) {
                log.audience_changed();
            }
        }
        Hint::Reads(conversation) => {
            if let Some(log) = live_turns.existing_log(conversation) {
                log.add_remote_reader(from);
            }
        }
        // Taken elsewhere.
        Hint::Nodes | Hint::Access(_) => {}
    }
}

/// Begins a turn that was handed over, if it was handed over to this node.
fn begin(state: &Arc<ChatState>, conversation: ConversationId) {
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let begun = recovery::take_over(&state, Claim::HandedOver(conversation)).await;
        if let Err(error) = begun {
            tracing::warn!(%error, %conversation, "failed to begin a turn; trying again soon");
        }
    });
}

fn take_frame(state: &ChatState, frame: LiveFrame) {
    let (LiveFrame::Text(live_frame::LiveText { conversation, .. })
    | LiveFrame::Event(conversation, _)) = &frame;
    let Some(log) = state.live_turns.existing_log(*conversation) else { return };
    match frame {
        LiveFrame::Text(text) => log.text_from_elsewhere(&text),
        LiveFrame::Event(_, event) => log.live_from_elsewhere(event),
    }
}
