//! The beat of this node, ten times in a lease.
//!
//! 1. The row of this node gets the database's time. If the row is no longer there, this node
//!    was declared dead: it was paused or cut off for too long. It comes back as another run at
//!    once, so that what begins here from now on is its own, and drops the turns of the run before:
//!    others have them.
//! 2. Nodes whose beat is older than the lease are declared dead. Turns whose owner does not
//!    run are taken over, by whoever is first.
//! 3. What other nodes stored for the turns of this one is done: stop a turn, begin one that
//!    was handed over. A hint does the same sooner.
//! 4. Now and then: a turn that this node owns and no task runs is recovered. That happens if
//!    the database was away at the wrong moment.
//!
//! A node that cannot reach the database goes on: it can start nothing that has effects,
//! because a call is stored before it is made, and if it comes back before anybody has
//! declared it dead, nothing was lost. What a program does by itself is the exception, so
//! programs are stopped when the lease is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Instant;

use parlor_fanout::Hint;
use parlor_protocol::{BootId, ConversationId, NodeId, Timestamp};
use parlor_storage::{Claim, NewNode, Node as NodeRow, StorageError, Wanted};
use tokio::sync::Notify;

use crate::clock;
use crate::live_turns::Stop;
use crate::recovery;
use crate::state::ChatState;

/// Beats in a lease.
const BEATS: u32 = 10;
/// How often all turns are looked at, in beats.
const ALL_TURNS: u64 = 10;
/// The part of a lease that turns that were lost may take to end: meanwhile there is no beat.
const DROP_WITHIN: u32 = 3;

/// Registers this node.
pub(super) async fn join(state: &ChatState) -> Result<(), StorageError> {
    register(state, &state.node.row()).await
}

async fn register(state: &ChatState, row: &NewNode) -> Result<(), StorageError> {
    clock::follow(state.store.join_node(row).await?);
    let now = clock::now();
    note_others(state, &state.store.nodes().await?, now);
    state.node.fanout.hint(Hint::Nodes);
    Ok(())
}

/// Beats until the chat is gone, and sooner when another node says that nodes changed.
pub(super) async fn run(state: Weak<ChatState>, wake: Arc<Notify>) {
    let mut heart = Heart { beats: 0, last: Instant::now(), lost: HashSet::new() };
    loop {
        let Some(state) = state.upgrade() else { return };
        let pause = state.node.lease / BEATS;
        if let Err(error) = heart.beat(&state).await {
            tracing::warn!(%error, "failed to beat; trying again");
            heart.after_failure(&state);
        }
        drop(state);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = wake.notified() => {}
        }
    }
}

struct Heart {
    beats: u64,
    /// When the last beat succeeded.
    last: Instant,
    /// Turns that this node owned and did not run when it last looked.
    lost: HashSet<ConversationId>,
}

impl Heart {
    async fn beat(&mut self, state: &Arc<ChatState>) -> Result<(), StorageError> {
        let boot = state.node.boot();
        let Some(now) = state.store.beat(boot).await? else {
            return come_back(state).await;
        };
        clock::follow(now);
        self.last = Instant::now();
        let nodes = state.store.nodes().await?;
        let someone_died = declare_dead(state, &nodes, now).await?;
        let nodes_changed = note_others(state, &nodes, now);
        self.beats += 1;
        let all_turns = self.beats.is_multiple_of(ALL_TURNS);
        if someone_died || nodes_changed || all_turns {
            recovery::take_over(state, recovery::abandoned_turns(state)).await?;
        }
        for wanted in state.store.wanted(boot).await? {
            do_wanted(state, wanted).await?;
        }
        if all_turns {
            self.recover_lost(state, boot).await?;
        }
        Ok(())
    }

    /// A turn is lost if it was owned and not run at two looks in a row: between the write
    /// that begins one and its task lies a moment.
    async fn recover_lost(
        &mut self,
        state: &Arc<ChatState>,
        boot: BootId,
    ) -> Result<(), StorageError> {
        let mut owned: HashSet<ConversationId> =
            state.store.owned_turns(boot).await?.into_iter().collect();
        owned.retain(|conversation| !state.live_turns.runs(*conversation));
        for conversation in owned.intersection(&self.lost) {
            recovery::take_over(state, Claim::Lost(*conversation)).await?;
        }
        self.lost = owned;
        Ok(())
    }

    /// Others may take over the turns of a node that has not been heard for a lease.
    fn after_failure(&self, state: &ChatState) {
        if self.last.elapsed() > state.node.lease {
            state.live_turns.stop_programs();
        }
    }
}

/// This node was declared dead: its turns are no longer its own. Those that begin while they end are
/// of the run with which it comes back, which is registered before it owns any.
async fn come_back(state: &Arc<ChatState>) -> Result<(), StorageError> {
    tracing::warn!("this node was declared dead; its turns go on elsewhere");
    let (id, boot) = (state.node.id(), state.node.boot());
    let is_taken = |node: &NodeRow| node.id == id && node.boot != boot && !node.is_dead;
    if state.store.nodes().await?.iter().any(is_taken) {
        tracing::error!(
            "another server uses a copy of this data directory; delete the file `node` in one of \
             them"
        );
        state.node.take_new_id();
    }
    let turns = &state.live_turns;
    let lost = turns.begun();
    let next = state.node.next_row();
    register(state, &next).await?;
    state.node.go_on_as(next.boot);
    turns.stop_before(lost, Stop::TakenOver);
    let patience = state.node.lease / DROP_WITHIN;
    if tokio::time::timeout(patience, turns.ended_before(lost)).await.is_err() {
        tracing::warn!("some turns take long to end; their writes are refused");
    }
    recovery::take_over(state, recovery::abandoned_turns(state)).await
}

/// Declares nodes dead whose lease is over; returns whether one is.
async fn declare_dead(
    state: &ChatState,
    nodes: &[NodeRow],
    now: Timestamp,
) -> Result<bool, StorageError> {
    let lease = lease_ms(state);
    let is_over = |node: &NodeRow| !node.is_dead && node.beat_at.0 < now.0.saturating_sub(lease);
    if !nodes.iter().any(is_over) {
        return Ok(false);
    }
    let declared = state.store.declare_dead(lease).await?;
    if declared > 0 {
        tracing::warn!(declared, "nodes were declared dead");
    }
    Ok(declared > 0)
}

/// Notes which other nodes run; returns whether that has changed.
fn note_others(state: &ChatState, nodes: &[NodeRow], now: Timestamp) -> bool {
    let (boot, lease) = (state.node.boot(), lease_ms(state));
    let runs = |node: &&NodeRow| {
        !node.is_dead && node.boot != boot && node.beat_at.0 >= now.0.saturating_sub(lease)
    };
    let others: HashMap<NodeId, BootId> =
        nodes.iter().filter(runs).map(|node| (node.id, node.boot)).collect();
    if let Some(outlet) = &state.outlet {
        outlet.set_peers(!others.is_empty());
    }
    state.node.set_others(others)
}

async fn do_wanted(state: &Arc<ChatState>, wanted: Wanted) -> Result<(), StorageError> {
    match wanted {
        Wanted::Stop(conversation) => {
            state.live_turns.stop(conversation, Stop::Person);
            Ok(())
        }
        Wanted::Begin(conversation) => {
            recovery::take_over(state, Claim::HandedOver(conversation)).await
        }
    }
}

fn lease_ms(state: &ChatState) -> i64 {
    i64::try_from(state.node.lease.as_millis()).unwrap_or(i64::MAX)
}
