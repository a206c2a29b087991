//! How somebody logs in to a server that asks for it.

use std::any::Any;
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use parlor_agent::tools::{LoginState, ToolFuture};
use parlor_protocol::PersonId;
use secrecy::SecretString;

/// Where a person logs in who is there right now.
pub trait LoginPage: fmt::Debug + Send + Sync {
    /// Where the person is sent back to.
    fn redirect_uri(&self) -> String;

    /// Has the person open an address; returns the one that they were sent back to, or why they
    /// were not.
    fn open(&self, address: String) -> ToolFuture<Result<String, String>>;
}

/// Where logins are kept. Errors are for administrators.
pub trait LoginStore: fmt::Debug + Send + Sync {
    /// The login to a server, if there is one.
    fn load(&self, server: &str) -> ToolFuture<Result<Option<SecretString>, String>>;

    /// Keeps a new login to a server.
    fn save(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>>;

    /// Keeps new tokens of a login; an error if it has ended meanwhile.
    fn renew(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>>;

    /// Forgets the login to a server.
    fn clear(&self, server: &str) -> ToolFuture<Result<(), String>>;

    /// Waits until nobody else renews the login to a server, and keeps others waiting until the
    /// result is dropped: a token that renews can be used once.
    fn renewing(&self, server: &str) -> ToolFuture<Result<Box<dyn Any + Send + Sync>, String>>;

    /// Which login there is, and what the server thinks of it. Each connection has a store of its
    /// own, which from the first answer on is about that login alone.
    fn standing(&self, server: &str) -> ToolFuture<Result<Option<LoginStanding>, String>>;

    /// Notes what the server refused the login, or that it refuses nothing any more.
    fn refused(&self, server: &str, what: Option<String>) -> ToolFuture<Result<(), String>>;

    /// Where the logins of a person are kept.
    fn of_person(&self, person: PersonId) -> Arc<dyn LoginStore>;
}

/// Which login there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginStanding {
    /// Another one with each login.
    pub id: String,
    /// What the server refused, if it did: everything (empty), or what needs these scopes.
    pub refused: Option<String>,
}

impl LoginStanding {
    /// Whether the server refused the login altogether.
    pub(super) fn is_over(&self) -> bool {
        self.refused.as_deref() == Some("")
    }
}

/// How to log in.
#[derive(Debug, Clone)]
pub enum Login {
    /// A person is there: they log in when a server asks for it. The login is kept in memory.
    Now(Arc<dyn LoginPage>),
    /// Somebody logs in later ([`McpHost::begin_login`](super::McpHost::begin_login)).
    Later {
        /// Where they are sent back to.
        redirect_uri: String,
        /// Where this Parlor describes itself to authorization servers, if they can reach it.
        client_metadata_url: Option<String>,
        /// Where logins are kept.
        store: Arc<dyn LoginStore>,
    },
}

/// A login that was begun.
#[derive(Debug)]
pub struct BegunLogin {
    /// The address of the login page.
    pub address: String,
    /// What names this login in the address that the person is sent back to.
    pub state: String,
    /// What is needed to finish it.
    pub attempt: SecretString,
}

/// Why a login could not be begun or finished.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// There is no such server, or nobody can log in to it.
    #[error("nobody can log in to this server")]
    NotPossible,
    /// The server, its authorization server or the person said no, or could not be understood.
    #[error("{0}")]
    Failed(String),
}

/// What a server asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginNeed {
    /// A login, with its own words on where.
    Login(String),
    /// A login that covers more.
    Scope(String),
}

/// Whether somebody is logged in, and what is needed. Shared by a server and its connections.
#[derive(Debug, Clone, Default)]
pub(super) struct LoginStatus(Arc<Mutex<(bool, Option<LoginNeed>)>>);

impl LoginStatus {
    /// A request was refused.
    pub(super) fn needs(&self, need: LoginNeed) {
        self.change(|(_, known)| *known = Some(need));
    }

    /// A request was answered, with a login or without one. Returns whether one was refused before.
    pub(super) fn works(&self) -> bool {
        let mut was_refused = false;
        self.change(|(_, need)| {
            if matches!(need, Some(LoginNeed::Login(_))) {
                *need = None;
                was_refused = true;
            }
        });
        was_refused
    }

    /// Somebody logged in, or the login was found.
    pub(super) fn logged_in(&self) {
        self.change(|(is_in, _)| *is_in = true);
    }

    /// Somebody logged in anew: nothing more is known to be needed.
    pub(super) fn renewed(&self) {
        self.change(|status| *status = (true, None));
    }

    /// There is no login any more.
    pub(super) fn logged_out(&self) {
        self.change(|(is_in, _)| *is_in = false);
    }

    /// Whether a login is needed for everything.
    pub(super) fn is_needed(&self) -> bool {
        matches!(self.need(), Some(LoginNeed::Login(_)))
    }

    /// What is needed.
    pub(super) fn need(&self) -> Option<LoginNeed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// For administrators.
    pub(super) fn state(&self) -> Option<LoginState> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            (_, Some(LoginNeed::Login(_))) => Some(LoginState::Needed),
            (_, Some(LoginNeed::Scope(_))) => Some(LoginState::MoreNeeded),
            (true, None) => Some(LoginState::LoggedIn),
            (false, None) => None,
        }
    }

    fn change(&self, change: impl FnOnce(&mut (bool, Option<LoginNeed>))) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Where nobody is logged in: how a server is reached that each person logs in to for themselves,
/// before one of them is there.
#[derive(Debug)]
pub(super) struct Nobody;

const NOBODY: &str = "nobody logs in here";

impl LoginStore for Nobody {
    fn load(&self, _: &str) -> ToolFuture<Result<Option<SecretString>, String>> {
        Box::pin(ready(Ok(None)))
    }

    fn save(&self, _: &str, _: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Err(NOBODY.to_owned())))
    }

    fn renew(&self, _: &str, _: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Err(NOBODY.to_owned())))
    }

    fn clear(&self, _: &str) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Ok(())))
    }

    fn renewing(&self, _: &str) -> ToolFuture<Result<Box<dyn Any + Send + Sync>, String>> {
        Box::pin(ready(Err(NOBODY.to_owned())))
    }

    fn standing(&self, _: &str) -> ToolFuture<Result<Option<LoginStanding>, String>> {
        Box::pin(ready(Ok(None)))
    }

    fn refused(&self, _: &str, _: Option<String>) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Ok(())))
    }

    fn of_person(&self, _: PersonId) -> Arc<dyn LoginStore> {
        Arc::new(Self)
    }
}
