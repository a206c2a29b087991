//! This server as one of several on the same database: its names, and which others run.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_fanout::Fanout;
use parlor_protocol::{BootId, NodeId};
use parlor_storage::{NewNode, TurnOwner};
use uuid::Uuid;

/// How a server takes part. On a database of its own nothing of it matters but the names.
#[derive(Debug, Clone)]
pub struct Membership {
    /// Names its data directory.
    pub id: NodeId,
    /// Its name for people.
    pub name: String,
    /// The version of the server.
    pub version: String,
    /// A node whose last beat is older is declared dead.
    pub lease: Duration,
    /// How long a turn that waits for a person stays with a dead node if only that one can
    /// go on with it.
    pub home_patience: Duration,
    /// The channel between the nodes.
    pub fanout: Fanout,
}

impl Membership {
    /// A server that has its database for itself.
    pub fn alone() -> Self {
        Self {
            id: NodeId::new(Uuid::now_v7()),
            name: String::new(),
            version: String::new(),
            lease: Duration::from_secs(10),
            home_patience: Duration::from_secs(600),
            fanout: Fanout::alone(),
        }
    }
}

/// This node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) fanout: Fanout,
    pub(crate) lease: Duration,
    pub(crate) home_patience: Duration,
    name: String,
    version: String,
    names: Mutex<Names>,
}

#[derive(Debug)]
struct Names {
    id: NodeId,
    boot: BootId,
    /// The other nodes that run.
    others: HashMap<NodeId, BootId>,
}

impl Node {
    pub(crate) fn new(membership: Membership) -> Self {
        let Membership { id, name, version, lease, home_patience, fanout } = membership;
        let names = Names { id, boot: new_boot(), others: HashMap::new() };
        Self { fanout, lease, home_patience, name, version, names: Mutex::new(names) }
    }

    pub(crate) fn id(&self) -> NodeId {
        self.lock().id
    }

    pub(crate) fn boot(&self) -> BootId {
        self.lock().boot
    }

    /// The row that registers it.
    pub(crate) fn row(&self) -> NewNode {
        let (id, boot) = (self.id(), self.boot());
        NewNode { id, boot, name: self.name.clone(), version: self.version.clone() }
    }

    /// The row of another run, as which it comes back after it was declared dead.
    pub(crate) fn next_row(&self) -> NewNode {
        NewNode { boot: new_boot(), ..self.row() }
    }

    /// From now on it is the run that was registered.
    pub(crate) fn go_on_as(&self, boot: BootId) {
        self.lock().boot = boot;
    }

    /// Another server has the same data directory, or a copy of it.
    pub(crate) fn take_new_id(&self) {
        self.lock().id = NodeId::new(Uuid::now_v7());
    }

    /// Notes which other nodes run; returns whether that has changed.
    pub(crate) fn set_others(&self, others: HashMap<NodeId, BootId>) -> bool {
        let mut names = self.lock();
        let has_changed = names.others != others;
        names.others = others;
        has_changed
    }

    /// Whether no other node runs.
    pub(crate) fn is_only(&self) -> bool {
        self.lock().others.is_empty()
    }

    /// This node as the owner of a turn, and as the home of its conversation if it needs one.
    pub(crate) fn as_owner(&self, needs_home: bool) -> TurnOwner {
        let names = self.lock();
        TurnOwner { boot: names.boot, handed_over: false, home: needs_home.then_some(names.id) }
    }

    /// Another node as the owner of a turn, if it runs.
    pub(crate) fn other(&self, id: NodeId) -> Option<TurnOwner> {
        let boot = *self.lock().others.get(&id)?;
        Some(TurnOwner { boot, handed_over: true, home: None })
    }

    fn lock(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn new_boot() -> BootId {
    BootId::new(Uuid::now_v7())
}
