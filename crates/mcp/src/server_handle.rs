//! One server, as its callers use it: they wait for its connection, and learn how it is. Its task
//! ([`super::server_task`]) starts it and changes what is known of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_agent::tools::{LoginState, ServerHealth, ServerState};
use parlor_process::{StderrLine, StderrLog};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection::Connection;
use super::identity::ServerIdentity;
use super::resolve::ServerSpec;
use super::stderr_lines;

/// How long a call waits for a server that is starting.
const WAIT_FOR_SERVER: Duration = Duration::from_secs(10);
/// How long a turn waits for a server that is about to be ready again.
pub(super) const COMING: Duration = Duration::from_secs(3);

/// The part of a server that callers use.
#[derive(Debug)]
pub(super) struct ServerHandle {
    pub(super) spec: ServerSpec,
    pub(super) status: watch::Sender<Status>,
    /// When a caller last asked for the connection.
    used: Mutex<Instant>,
    /// Notified when a call needs the server now.
    pub(super) wanted: Notify,
    /// Notified when the connection has to be made anew.
    pub(super) anew: Notify,
    /// What its process writes to standard error.
    pub(super) stderr: Arc<StderrLog>,
}

/// How a server is.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) state: ServerState,
    pub(super) connection: Option<Arc<Connection>>,
    pub(super) problem: Option<String>,
    /// The last line on its standard error, for administrators only.
    pub(super) last_stderr_line: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) starts: u64,
    /// The server may be ready soon: callers wait until then.
    pub(super) coming_until: Option<Instant>,
    pub(super) is_closed: bool,
}

impl ServerHandle {
    pub(super) fn new(spec: ServerSpec) -> Self {
        let status = Status {
            state: ServerState::Starting,
            connection: None,
            problem: None,
            last_stderr_line: None,
            notes: Vec::new(),
            starts: 0,
            coming_until: Some(Instant::now() + COMING),
            is_closed: false,
        };
        let status = watch::Sender::new(status);
        let used = Mutex::new(Instant::now());
        Self {
            spec,
            status,
            used,
            wanted: Notify::new(),
            anew: Notify::new(),
            stderr: Arc::default(),
        }
    }

    /// The connection, once there is one; or the reason why there is none.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, String> {
        self.use_now();
        let mut status = self.status.subscribe();
        let usable = |status: &Status| {
            let open = |connection: &Arc<Connection>| !connection.ending.is_reached();
            status.is_closed || status.connection.as_ref().is_some_and(open)
        };
        if !usable(&status.borrow()) {
            self.wanted.notify_one();
        }
        let deadline = Instant::now() + WAIT_FOR_SERVER;
        let found = timeout_at(deadline, status.wait_for(usable)).await;
        let connection = found.ok().and_then(Result::ok).and_then(|s| s.connection.clone());
        connection.ok_or_else(|| {
            let status = self.status.borrow();
            let why = status.problem.as_deref().unwrap_or("it is still being started");
            format!("The server \"{}\" is not available: {why}.", self.spec.name)
        })
    }

    /// Somebody is about to use it.
    pub(super) fn use_now(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long nobody has used it.
    pub(super) fn unused_for(&self) -> Duration {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Whether its task has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.status.borrow().is_closed
    }

    /// Whether it refused what it was asked because a login is missing, or no longer good.
    pub(super) fn needs_login(&self) -> bool {
        self.spec.login().is_some_and(|(endpoint, _)| endpoint.login_status.is_needed())
    }

    /// Connects anew: somebody logged in or out.
    pub(super) fn connect_anew(&self) {
        if self.status.borrow().connection.is_some() {
            self.anew.notify_one();
        }
        self.wanted.notify_one();
    }

    /// Ends the server and starts it again, which ends the calls that it works on: whether they took
    /// effect is not known then. Waits until it is ready or known to be down, at most so long. One
    /// that is being started is only waited for.
    pub(super) async fn restart(&self, within: Duration) {
        let mut status = self.status.subscribe();
        let (is_starting, before) = {
            let status = status.borrow();
            (status.state == ServerState::Starting, status.starts)
        };
        if !is_starting {
            self.connect_anew();
        }
        let is_over = |status: &Status| {
            let is_another = is_starting || status.starts > before;
            status.is_closed || (is_another && status.state != ServerState::Starting)
        };
        let _late = timeout(within, status.wait_for(is_over)).await;
    }

    /// The calls that it works on.
    pub(super) fn running_calls(&self) -> usize {
        let connection = self.status.borrow().connection.clone();
        connection.map_or(0, |connection| connection.in_flight.count())
    }

    /// The last lines on its standard error, oldest first, with the secrets of its environment
    /// masked; none if it is not a process of ours.
    pub(super) fn stderr_lines(&self) -> Vec<StderrLine> {
        stderr_lines::recent(&self.spec, &self.stderr)
    }

    /// Waits for a server that has just been started, or that is being restarted.
    pub(super) async fn settled(&self) {
        let mut status = self.status.subscribe();
        let until = status.borrow().coming_until;
        if let Some(until) = until {
            let _late = timeout_at(until, status.wait_for(|s| s.coming_until.is_none())).await;
        }
    }

    /// Completes when the server is ready, or is known to be down.
    pub(super) async fn tried(&self) {
        let mut status = self.status.subscribe();
        let is_known = |status: &Status| status.state != ServerState::Starting || status.is_closed;
        let _gone = status.wait_for(is_known).await;
    }

    /// What the server says of itself, while it is connected.
    pub(super) fn identity(&self) -> Option<ServerIdentity> {
        let connection = self.status.borrow().connection.clone()?;
        ServerIdentity::of(&connection.peer)
    }

    /// Completes when the server's task has ended.
    pub(super) async fn closed(&self) {
        let mut status = self.status.subscribe();
        let _gone = status.wait_for(|status| status.is_closed).await;
    }

    pub(super) fn health(&self, tools: usize, taken: Vec<String>) -> ServerHealth {
        let status = self.status.borrow();
        let per_person = self.spec.person_login.is_some();
        if per_person && self.needs_login() {
            // It answers: it waits for people, each of whom has a connection of their own.
            return ServerHealth {
                server: self.spec.name.clone(),
                state: ServerState::Ready,
                tools,
                restarts: 0,
                problem: None,
                warnings: taken,
                login: Some(LoginState::PerPerson),
            };
        }
        ServerHealth {
            server: self.spec.name.clone(),
            state: status.state,
            tools,
            restarts: status.starts.saturating_sub(1),
            problem: status.problem.as_ref().map(|problem| match &status.last_stderr_line {
                Some(words) => format!("{problem}; it said last: {words}"),
                None => problem.clone(),
            }),
            warnings: status.notes.iter().cloned().chain(taken).collect(),
            login: match per_person {
                true => Some(LoginState::PerPerson),
                false => self.spec.login().and_then(|(endpoint, _)| endpoint.login_status.state()),
            },
        }
    }
}
