//! Connections at the same time, in all and by address.
//!
//! - The total is limited.
//! - Connections over which nobody has signed in yet are limited twice: by address, so
//!   that one address cannot take them all, and in total, so that a quarter is reserved
//!   for people who sign in. A connection in the reserve serves only them.
//! - A shared address ([`ClientAddress`]) has no limit of its own. Behind a trusted
//!   proxy, requests are counted instead of connections, by the address that the proxy
//!   forwards.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client_address::ClientAddress;
use crate::config::Limits;

/// When a client should retry if there is no connection left, in seconds.
pub(crate) const RETRY_AFTER: u64 = 5;

/// All connections.
#[derive(Debug)]
pub(crate) struct Connections {
    all: Arc<Semaphore>,
    max: u32,
    max_anonymous: u32,
    max_per_address: u32,
    anonymous: Mutex<Anonymous>,
}

#[derive(Debug, Default)]
struct Anonymous {
    connections: u32,
    /// Connections, and requests through proxies.
    by_address: HashMap<IpAddr, u32>,
}

/// A permit for one connection, which every request on it carries. The connection
/// counts until the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPermit(Arc<Connection>);

#[derive(Debug)]
struct Connection {
    _total: OwnedSemaphorePermit,
    connections: Arc<Connections>,
    address: Option<IpAddr>,
    /// Whether it belongs to the reserve for people who sign in.
    in_reserve: bool,
    signed_in: AtomicBool,
}

/// A request that counts for an address, until this is dropped.
#[derive(Debug)]
pub(crate) struct CountedRequest {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            all: Arc::new(Semaphore::new(limits.connections as usize)),
            max: limits.connections,
            max_anonymous: limits.connections - limits.connections / 4,
            max_per_address: limits.address_connections,
            anonymous: Mutex::default(),
        })
    }

    /// A permit for a new connection, if its address may have one.
    pub(crate) fn admit(
        self: &Arc<Self>,
        ClientAddress(address): ClientAddress,
    ) -> Option<ConnectionPermit> {
        let total = Arc::clone(&self.all).try_acquire_owned().ok()?;
        let mut anonymous = self.lock();
        if let Some(address) = address {
            anonymous.add(address, self.max_per_address)?;
        }
        let in_reserve = anonymous.connections >= self.max_anonymous;
        anonymous.connections += 1;
        drop(anonymous);
        Some(ConnectionPermit(Arc::new(Connection {
            _total: total,
            connections: Arc::clone(self),
            address,
            in_reserve,
            signed_in: AtomicBool::new(false),
        })))
    }

    /// Waits until all connections have ended.
    pub(crate) async fn all_ended(&self) {
        // The semaphore is never closed.
        let _all = self.all.acquire_many(self.max).await;
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
    /// Somebody signed in over it: it no longer counts as anonymous.
    pub(crate) fn sign_in(&self) {
        if !self.0.signed_in.swap(true, Ordering::Relaxed) {
            self.0.leave_anonymous();
        }
    }

    /// Whether it may serve only people who sign in.
    pub(crate) fn is_reserved(&self) -> bool {
        self.0.in_reserve && !self.0.signed_in.load(Ordering::Relaxed)
    }

    /// Counts a request for the address that a proxy forwarded, unless the connection
    /// itself is counted for an address.
    pub(crate) fn count_request(
        &self,
        ClientAddress(address): ClientAddress,
    ) -> Result<Option<CountedRequest>, TooMany> {
        let Some(address) = address.filter(|_| self.0.address.is_none()) else { return Ok(None) };
        let connections = Arc::clone(&self.0.connections);
        let added = connections.lock().add(address, connections.max_per_address);
        added.ok_or(TooMany)?;
        Ok(Some(CountedRequest { connections, address }))
    }
}

/// An address has reached its limit.
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

    /// FAULTS 9, 10: an address has its limit, and people who sign in do not count.
    #[test]
    fn an_address_cannot_take_every_connection() {
        let connections = connections(100, 3);
        let mut held: Vec<_> = (0..3).map(|_| connections.admit(from(1)).unwrap()).collect();
        assert!(connections.admit(from(1)).is_none());
        assert!(connections.admit(from(2)).is_some(), "others are not disturbed");
        held[0].sign_in();
        held[0].sign_in();
        held.push(connections.admit(from(1)).unwrap());
        assert!(connections.admit(from(1)).is_none(), "one more, and no more");
        drop(held);
        assert!(connections.lock().by_address.is_empty());
        assert_eq!(connections.lock().connections, 0);
    }

    /// FAULTS 10: many addresses cannot take what is reserved for people who sign in.
    #[test]
    fn a_quarter_is_reserved_for_people_who_sign_in() {
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

    /// Behind a proxy, requests are counted.
    #[test]
    fn requests_through_a_proxy_count_for_the_address_that_it_forwards() {
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
