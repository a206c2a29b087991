//! Who has how many of the connections.
//!
//! - There are so many in all.
//! - Those over which nobody signed in yet are bounded twice: by address, so that one
//!   address cannot take them all, and together, so that a quarter of all is left for
//!   people who sign in. A connection in that quarter is served only to them.
//! - An address that many may have ([`ClientAddress`]) has no share of its own. Behind a
//!   proxy that is trusted it is the requests that are counted, by the address that
//!   it names: its connections are shared.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::ClientAddress;
use crate::config::Limits;

/// What a client is told that finds no room: in how many seconds to come back.
pub(crate) const COME_BACK: u64 = 5;

/// All connections.
#[derive(Debug)]
pub(crate) struct Connections {
    all: Arc<Semaphore>,
    most: u32,
    most_anonymous: u32,
    most_of_address: u32,
    anonymous: Mutex<Anonymous>,
}

#[derive(Debug, Default)]
struct Anonymous {
    connections: u32,
    /// Connections, and requests through proxies.
    by_address: HashMap<IpAddr, u32>,
}

/// One connection, until the last clone of its permit is dropped. Every request has one.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPermit(Arc<Connection>);

#[derive(Debug)]
struct Connection {
    _place: OwnedSemaphorePermit,
    connections: Arc<Connections>,
    address: Option<IpAddr>,
    /// Whether it is in the part that is kept for people who sign in.
    in_reserve: bool,
    signed_in: AtomicBool,
}

/// A request that counts for an address until this is dropped.
#[derive(Debug)]
pub(crate) struct CountedRequest {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            all: Arc::new(Semaphore::new(limits.connections as usize)),
            most: limits.connections,
            most_anonymous: limits.connections - limits.connections / 4,
            most_of_address: limits.address_connections,
            anonymous: Mutex::default(),
        })
    }

    /// A place for a new connection, if there is one for its address.
    pub(crate) fn admit(
        self: &Arc<Self>,
        ClientAddress(address): ClientAddress,
    ) -> Option<ConnectionPermit> {
        let place = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut anonymous = self.lock();
        if let Some(address) = address {
            anonymous.add(address, self.most_of_address)?;
        }
        let in_reserve = anonymous.connections >= self.most_anonymous;
        anonymous.connections += 1;
        drop(anonymous);
        Some(ConnectionPermit(Arc::new(Connection {
            _place: place,
            connections: Arc::clone(self),
            address,
            in_reserve,
            signed_in: AtomicBool::new(false),
        })))
    }

    /// Waits until every connection has ended.
    pub(crate) async fn all_ended(&self) {
        // It is never closed.
        let _all = self.all.acquire_many(self.most).await;
    }

    fn lock(&self) -> MutexGuard<'_, Anonymous> {
        self.anonymous.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Anonymous {
    fn add(&mut self, address: IpAddr, most: u32) -> Option<()> {
        let count = self.by_address.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(())
    }

    fn remove(&mut self, address: IpAddr) {
        if let Some(count) = self.by_address.get_mut(&address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

impl ConnectionPermit {
    /// Somebody signed in over it: it is no longer anybody's.
    pub(crate) fn sign_in(&self) {
        if !self.0.signed_in.swap(true, Ordering::Relaxed) {
            self.0.leave_anonymous();
        }
    }

    /// Whether it may serve only somebody who signs in.
    pub(crate) fn is_reserved(&self) -> bool {
        self.0.in_reserve && !self.0.signed_in.load(Ordering::Relaxed)
    }

    /// Counts a request for the address that a proxy named, unless it is the
    /// connection's own and counted already.
    pub(crate) fn count_request(
        &self,
        ClientAddress(address): ClientAddress,
    ) -> Result<Option<CountedRequest>, TooMany> {
        let Some(address) = address.filter(|_| self.0.address.is_none()) else { return Ok(None) };
        let connections = Arc::clone(&self.0.connections);
        let added = connections.lock().add(address, connections.most_of_address);
        added.ok_or(TooMany)?;
        Ok(Some(CountedRequest { connections, address }))
    }
}

/// An address has as many as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Connection {
    fn leave_anonymous(&self) {
        let mut anonymous = self.connections.lock();
        anonymous.connections = anonymous.connections.saturating_sub(1);
        if let Some(address) = self.address {
            anonymous.remove(address);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.signed_in.load(Ordering::Relaxed) {
            self.leave_anonymous();
        }
    }
}

impl Drop for CountedRequest {
    fn drop(&mut self) {
        self.connections.lock().remove(self.address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn connections(all: u32, of_address: u32) -> Arc<Connections> {
        let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
        limits.connections = all;
        limits.address_connections = of_address;
        Connections::new(&limits)
    }

    fn from(n: u32) -> ClientAddress {
        ClientAddress(Some(IpAddr::V4(n.into())))
    }

    /// FAULTS 9, 10: one address has its share, and whoever signs in does not count.
    #[test]
    fn an_address_cannot_take_every_connection() {
        let connections = connections(100, 3);
        let mut held: Vec<_> = (0..3).map(|_| connections.admit(from(1)).unwrap()).collect();
        assert!(connections.admit(from(1)).is_none());
        assert!(connections.admit(from(2)).is_some(), "others are not disturbed");
        held[0].sign_in();
        held[0].sign_in();
        held.push(connections.admit(from(1)).unwrap());
        assert!(connections.admit(from(1)).is_none(), "it made room for one");
        drop(held);
        assert!(connections.lock().by_address.is_empty());
        assert_eq!(connections.lock().connections, 0);
    }

    /// FAULTS 10: many addresses cannot take what is kept for people who sign in.
    #[test]
    fn a_quarter_is_kept_for_people_who_sign_in() {
        let connections = connections(8, 100);
        let strangers: Vec<_> = (0..6).map(|n| connections.admit(from(n)).unwrap()).collect();
        assert!(strangers.iter().all(|stranger| !stranger.is_reserved()));
        let person = connections.admit(from(9)).unwrap();
        assert!(person.is_reserved());
        person.sign_in();
        assert!(!person.is_reserved());
        let _last = connections.admit(from(9)).unwrap();
        assert!(connections.admit(from(9)).is_none(), "there are no more");
        drop(strangers);
        assert!(!connections.admit(from(9)).unwrap().is_reserved());
    }

    /// Behind a proxy it is the requests that count.
    #[test]
    fn requests_through_a_proxy_count_for_the_address_that_it_names() {
        let connections = connections(100, 2);
        let proxy: Vec<_> =
            (0..5).map(|_| connections.admit(ClientAddress(None)).unwrap()).collect();
        let first = proxy[0].count_request(from(1)).unwrap();
        let _second = proxy[1].count_request(from(1)).unwrap();
        assert_eq!(proxy[2].count_request(from(1)).unwrap_err(), TooMany);
        assert!(proxy[2].count_request(from(2)).is_ok());
        assert!(proxy[2].count_request(ClientAddress(None)).unwrap().is_none());
        drop(first);
        assert!(proxy[3].count_request(from(1)).is_ok());
        let own = connections.admit(from(7)).unwrap();
        assert!(own.count_request(from(7)).unwrap().is_none(), "it is counted already");
    }
}
