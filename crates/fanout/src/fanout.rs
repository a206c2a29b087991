//! The handle.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_database::{Database, ServerUrl};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::channel::Channel;
use crate::health::{Health, Monitor, Payloads};
use crate::hint::{AccessChange, Hint};
use crate::incoming::{Incoming, Received};
use crate::outgoing::Outgoing;
use crate::peer::Peer;
use crate::postgres::PostgresChannel;
use crate::redis::{RedisChannel, RedisUrl};
use crate::{receiving, sending};

/// How long the last hints are waited for.
const CLOSE_PATIENCE: Duration = Duration::from_secs(1);

/// Sends hints and live text to other nodes, and receives theirs. Cheap to clone; its tasks
/// end when it is closed or when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Fanout {
    peer: Peer,
    /// `None` for one node alone.
    link: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    channel: Arc<Channel>,
    outgoing: Arc<Outgoing>,
    monitor: Arc<Monitor>,
    received: Mutex<Option<mpsc::Receiver<Received>>>,
    access: Mutex<Option<mpsc::Receiver<AccessChange>>>,
    tasks: Mutex<Option<Tasks>>,
}

impl Fanout {
    /// For one node alone: hints go nowhere, and nothing is received.
    pub fn alone() -> Self {
        Self { peer: Peer::random(), link: None }
    }

    /// Over `NOTIFY` of the PostgreSQL server of a database; `direct` is the address of that
    /// server, if the database was opened through a pooler. Its tasks run on this runtime.
    pub fn over_postgres(database: Database, direct: Option<ServerUrl>) -> Self {
        let channel = PostgresChannel::new(database, direct);
        Self::over(Peer::random(), Channel::Postgres(channel))
    }

    /// Over Redis or Valkey, which other installations may use too. Its tasks run on this
    /// runtime.
    pub fn over_redis(url: &RedisUrl, installation: &str) -> Self {
        let peer = Peer::random();
        Self::over(peer, Channel::Redis(RedisChannel::new(url.clone(), installation, peer)))
    }

    fn over(peer: Peer, channel: Channel) -> Self {
        let channel = Arc::new(channel);
        let outgoing = Arc::new(Outgoing::default());
        let monitor = Arc::new(Monitor::new(channel.kind()));
        let (incoming, queues) = Incoming::new(peer, Arc::clone(&monitor));
        let sends =
            sending::run(peer, Arc::clone(&channel), Arc::clone(&outgoing), Arc::clone(&monitor));
        let receives = receiving::run(
            Arc::clone(&channel),
            Arc::new(incoming),
            Arc::clone(&outgoing),
            Arc::clone(&monitor),
        );
        let tasks = Tasks { sends: tokio::spawn(sends), receives: tokio::spawn(receives) };
        let link = Link {
            channel,
            outgoing,
            monitor,
            received: Mutex::new(Some(queues.received)),
            access: Mutex::new(Some(queues.access)),
            tasks: Mutex::new(Some(tasks)),
        };
        Self { peer, link: Some(Arc::new(link)) }
    }

    /// Whether there are no other nodes.
    pub fn is_alone(&self) -> bool {
        self.link.is_none()
    }

    /// The name of this process on the channel.
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// Tells the other nodes, soon. It never waits and never fails.
    pub fn hint(&self, hint: Hint) {
        if let Some(link) = &self.link {
            link.outgoing.add(hint);
        }
    }

    /// Whether live text can be sent: over Redis only.
    pub fn carries_live_text(&self) -> bool {
        self.link.as_ref().is_some_and(|link| matches!(*link.channel, Channel::Redis(_)))
    }

    /// Sends live text of at most 64 KB to one peer; whether it got there, after a second at
    /// most. Texts that are sent one after the other arrive in that order.
    pub async fn send_live(&self, to: Peer, payload: String) -> bool {
        let Some(link) = &self.link else { return false };
        match link.channel.send_live(to, &payload).await {
            Ok(arrived) => arrived,
            Err(_) => {
                // Whatever sends hints connects again, and not only for the next beat.
                link.outgoing.beat();
                false
            }
        }
    }

    /// What other nodes tell this one, but for changes of access: for the first caller. It
    /// begins with [`Received::Missed`], and ends when the channel is closed. A node alone
    /// has none.
    pub fn take_received(&self) -> Option<mpsc::Receiver<Received>> {
        take(&self.link.as_ref()?.received)
    }

    /// Changes of access on other nodes: for the first caller. If some may have been missed,
    /// that is [`AccessChange::Any`]. A node alone has none.
    pub fn take_access_changes(&self) -> Option<mpsc::Receiver<AccessChange>> {
        take(&self.link.as_ref()?.access)
    }

    /// Whether the own beat came back lately, so that hints of others arrive, too. A node
    /// alone misses nothing.
    pub fn is_heard(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.monitor.is_heard())
    }

    /// How the channel is, for the administrator.
    pub fn health(&self) -> Health {
        match &self.link {
            Some(link) => link.monitor.health(),
            None => Health { kind: "none", heard: true, problem: None },
        }
    }

    /// How many payloads there were; a node alone has none.
    pub fn payloads(&self) -> Option<&Payloads> {
        self.link.as_ref().map(|link| link.monitor.payloads())
    }

    /// Sends what waits, if that is quick, and ends the tasks.
    pub async fn close(&self) {
        let Some(link) = &self.link else { return };
        let Some(mut tasks) = take(&link.tasks) else { return };
        link.outgoing.close();
        let _late = tokio::time::timeout(CLOSE_PATIENCE, &mut tasks.sends).await;
        drop(tasks);
        link.channel.close();
    }
}

/// Ended when this is dropped.
#[derive(Debug)]
struct Tasks {
    sends: JoinHandle<()>,
    receives: JoinHandle<()>,
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.sends.abort();
        self.receives.abort();
    }
}

fn take<T>(from: &Mutex<Option<T>>) -> Option<T> {
    from.lock().unwrap_or_else(PoisonError::into_inner).take()
}
