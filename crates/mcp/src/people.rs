//! Connections to servers that each person logs in to for themselves.
//!
//! 1. A call asks which login its person has now. Without one, or for the shared account, it does
//!    not run.
//! 2. A connection belongs to one person and one login: it is never used with another. It is made
//!    when it is first needed.
//! 3. It is closed when it was not used for a while, when the login ends, or when somebody else
//!    needs its place: there are so many of a server at most.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_process::Supervisor;
use parlor_protocol::PersonId;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::catalogue::Catalogue;
use super::login::{LoginNeed, LoginStanding, LoginStore};
use super::server_handle::ServerHandle;
use super::server_task::{PersonTask, ServerTask};

/// How many connections there are, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct PersonLimits {
    /// The most connections to one server.
    pub most: usize,
    /// A connection is closed after this time without a call.
    pub idle: Duration,
    /// How often that is looked at, and whether the login still holds.
    pub look: Duration,
}

impl Default for PersonLimits {
    fn default() -> Self {
        let (idle, look) = (Duration::from_secs(600), Duration::from_secs(30));
        Self { most: 100, idle, look }
    }
}

/// Why a person has no connection.
#[derive(Debug)]
pub(super) enum NoConnection {
    /// Nobody is logged in: the turn is that of the shared account.
    Shared,
    /// The person is not logged in.
    NotLoggedIn,
    /// It cannot be made now.
    Unavailable(String),
}

/// What connections are made with.
#[derive(Debug)]
pub(super) struct People {
    /// For the log.
    pub(super) project: String,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) supervisor: Supervisor,
    pub(super) stop: CancellationToken,
    pub(super) limits: Mutex<PersonLimits>,
    /// By the server and the person.
    pub(super) open: Mutex<HashMap<(usize, PersonId), Opened>>,
}

/// A connection of a person. Dropping it closes it.
#[derive(Debug)]
pub(super) struct Opened {
    handle: Arc<ServerHandle>,
    login: String,
    _closes: DropGuard,
}

impl People {
    /// The connection of a person to a server, with the login that they have now.
    pub(super) async fn connection(
        &self,
        index: usize,
        server: &ServerHandle,
        person: Option<PersonId>,
    ) -> Result<Arc<ServerHandle>, NoConnection> {
        let person = person.ok_or(NoConnection::Shared)?;
        let store = server.spec.store_of(person).ok_or(NoConnection::NotLoggedIn)?;
        let standing = store.standing(&server.spec.name).await;
        let standing = standing.map_err(|why| unavailable(server, &why))?;
        let Some(standing) = standing else {
            self.close(|key| key == (index, person));
            return Err(NoConnection::NotLoggedIn);
        };
        self.opened(index, server, person, (store, standing))
    }

    /// Whether a person has a login that a server has not refused.
    pub(super) async fn is_logged_in(&self, server: &ServerHandle, person: PersonId) -> bool {
        let Some(store) = server.spec.store_of(person) else { return false };
        let standing = store.standing(&server.spec.name).await.ok().flatten();
        standing.is_some_and(|standing| !standing.is_over())
    }

    fn opened(
        &self,
        index: usize,
        server: &ServerHandle,
        person: PersonId,
        (store, standing): (Arc<dyn LoginStore>, LoginStanding),
    ) -> Result<Arc<ServerHandle>, NoConnection> {
        let mut open = self.open();
        open.retain(|_, opened| !opened.handle.is_closed());
        if let Some(opened) = open.get(&(index, person))
            && opened.login == standing.id
        {
            opened.handle.use_now();
            return Ok(opened.handle.clone());
        }
        // Another login than the one that the connection was made with.
        open.remove(&(index, person));
        let limits = *self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        if open.keys().filter(|(of, _)| *of == index).count() >= limits.most {
            let (_, free) = open
                .iter()
                .filter(|((of, _), opened)| *of == index && opened.handle.running_calls() == 0)
                .map(|(key, opened)| (opened.handle.unused_for(), *key))
                .max()
                .ok_or_else(|| unavailable(server, "too many people use it now"))?;
            open.remove(&free);
        }
        let spec = server.spec.with_store(store.clone());
        let spec = spec.ok_or_else(|| unavailable(server, "nobody can log in to it"))?;
        if standing.is_over()
            && let Some((endpoint, _)) = spec.login()
        {
            // If it works after all, that is noted.
            endpoint.login_status.needs(LoginNeed::Login(String::new()));
        }
        let login = standing.id;
        let (handle, stop) = (Arc::new(ServerHandle::new(spec)), self.stop.child_token());
        let task = ServerTask {
            index,
            handle: handle.clone(),
            catalogue: self.catalogue.clone(),
            supervisor: self.supervisor.clone(),
            stop: stop.clone(),
            project: self.project.clone(),
            log: Default::default(),
            person: Some(PersonTask {
                person,
                login: login.clone(),
                store,
                idle: limits.idle,
                look: limits.look,
            }),
        };
        tokio::spawn(task.run());
        let opened = Opened { handle: handle.clone(), login, _closes: stop.drop_guard() };
        open.insert((index, person), opened);
        Ok(handle)
    }

    /// Closes connections.
    pub(super) fn close(&self, which: impl Fn((usize, PersonId)) -> bool) {
        self.open().retain(|key, _| !which(*key));
    }

    /// Completes when all have ended. They were told to before.
    pub(super) async fn closed(&self) {
        let handles: Vec<_> = self.open().values().map(|opened| opened.handle.clone()).collect();
        futures_util::future::join_all(handles.iter().map(|handle| handle.closed())).await;
    }

    /// How many people are connected to a server.
    pub(super) fn count(&self, index: usize) -> usize {
        let is_open = |((of, _), opened): &(&(usize, PersonId), &Opened)| {
            *of == index && !opened.handle.is_closed()
        };
        self.open().iter().filter(is_open).count()
    }

    /// The calls that a server works on for people.
    pub(super) fn running_calls(&self, index: usize) -> usize {
        let open = self.open();
        let here = open.iter().filter(|((of, _), _)| *of == index);
        here.map(|(_, opened)| opened.handle.running_calls()).sum()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<(usize, PersonId), Opened>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable(server: &ServerHandle, why: &str) -> NoConnection {
    let name = &server.spec.name;
    NoConnection::Unavailable(format!("The server \"{name}\" is not available: {why}."))
}
