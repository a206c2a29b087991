//! The task of one server: it is started, serves, and is restarted when it ends. Nothing that
//! it does affects another server.
//!
//! 1. Start, initialise the connection, list the tools. If that fails, the server is down and has
//!    no tools.
//! 2. Serve. The tools are listed again when the server reports a change, and every few minutes in
//!    case a notification was missed. A server that left a call unanswered, or that was idle, is
//!    pinged; if it does not respond, it is ended.
//! 3. When it ends: wait with a growing backoff, then go back to 1. The server keeps its tools
//!    until a start fails; a call cuts the wait short (M-2).

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::tools::{ServerHealth, ServerState};
use parlor_process::{OncePerSecond, StderrLine, StderrLog, Supervisor};
use tokio::sync::{Notify, watch};
use tokio::time::{
    Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout, timeout_at,
};
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::catalogue::Catalogue;
use super::connection::{Connection, Live, open};
use super::identity::ServerIdentity;
use super::listing::Listing;
use super::resolve::ServerSpec;
use super::stderr_lines;

/// How long a call waits for a server that is starting.
const WAIT_FOR_SERVER: Duration = Duration::from_secs(10);
/// How long a turn waits for a server that is about to be ready again.
const COMING: Duration = Duration::from_secs(3);
/// The minimum time between two starts, even if a call waits.
const BETWEEN_STARTS: Duration = Duration::from_millis(500);
const BETWEEN_LISTS: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);
/// An idle server's tools are listed again after this many health checks.
const LOOKS_PER_LIST: u32 = 10;
/// The timeout of a health check.
const PATIENCE: Duration = Duration::from_secs(10);
/// The timeout of a health check after a call was left unanswered.
const LITTLE_PATIENCE: Duration = Duration::from_secs(2);

/// The part of a server that callers use.
#[derive(Debug)]
pub(super) struct ServerHandle {
    pub(super) spec: ServerSpec,
    status: watch::Sender<Status>,
    /// Notified when a call needs the server now.
    wanted: Notify,
    /// Notified when the connection has to be made anew.
    anew: Notify,
    /// What its process writes to standard error.
    stderr: Arc<StderrLog>,
}

#[derive(Debug, Clone)]
struct Status {
    state: ServerState,
    connection: Option<Arc<Connection>>,
    problem: Option<String>,
    /// The last line on its standard error, for administrators only.
    last_stderr_line: Option<String>,
    notes: Vec<String>,
    starts: u64,
    /// The server may be ready soon: callers wait until then.
    coming_until: Option<Instant>,
    is_closed: bool,
}

/// Why serving ended.
enum End {
    Stopped,
    Lost,
    Silent,
    /// Somebody logged in or out, or wants it to be started again.
    Anew,
}

/// A health check, or a new listing.
#[derive(Clone, Copy)]
enum Look {
    /// Whether it responds within this time.
    IsAlive(Duration),
    /// Which tools it has.
    List,
}

/// The task of a server.
pub(super) struct ServerTask {
    pub(super) index: usize,
    pub(super) handle: Arc<ServerHandle>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) supervisor: Supervisor,
    pub(super) stop: CancellationToken,
    /// The project that the server belongs to, for the log.
    pub(super) project: String,
    pub(super) log: OncePerSecond,
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
        Self { spec, status, wanted: Notify::new(), anew: Notify::new(), stderr: Arc::default() }
    }

    /// The connection, once there is one; or the reason why there is none.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, String> {
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
            login: self.spec.login().and_then(|(endpoint, _)| endpoint.login_status.state()),
        }
    }
}

impl ServerTask {
    /// Runs the server, and restarts it, until it is stopped.
    pub(super) async fn run(self) {
        let mut backoff = Backoff::default();
        while let Some(problem) = self.start_and_serve(&mut backoff).await {
            let wait = backoff.next();
            if let Some(left_out) = self.log.pass() {
                let (project, server) = (&self.project, &self.handle.spec.name);
                tracing::warn!(project, server, %problem, ?wait, left_out, "MCP server is down");
            }
            if !self.wait(wait).await {
                break;
            }
        }
        self.catalogue.withdraw(self.index);
        self.change(|status| {
            status.state = ServerState::Down;
            status.connection = None;
            status.problem = Some("the server is stopping".to_owned());
            status.is_closed = true;
        });
    }

    /// Runs the server once. Returns why it ended, or `None` if it was stopped.
    async fn start_and_serve(&self, backoff: &mut Backoff) -> Option<String> {
        self.change(|status| {
            status.state = ServerState::Starting;
            status.starts += 1;
        });
        let (spec, stop) = (&self.handle.spec, &self.stop);
        let (mut live, listing) =
            match open(spec, &self.supervisor, &self.handle.stderr, stop).await {
                Ok(opened) => opened,
                Err(_) if stop.is_cancelled() => return None,
                Err(problem) => {
                    self.catalogue.withdraw(self.index);
                    self.down(&problem, None).await;
                    return Some(problem);
                }
            };
        let since = Instant::now();
        self.ready(&live, listing);
        let end = self.serve(&mut live).await;
        backoff.was_up(since.elapsed(), live.connection.has_worked());
        let problem = match &end {
            End::Stopped => None,
            End::Lost => Some(live.why(spec).await),
            End::Silent => Some("it no longer answers".to_owned()),
            End::Anew => Some("it is connected anew".to_owned()),
        };
        if let Some(problem) = &problem {
            self.down(problem, Some(Instant::now() + COMING)).await;
        }
        live.close(matches!(end, End::Stopped)).await;
        problem
    }

    async fn serve(&self, live: &mut Live) -> End {
        let mut ticks = interval_at(Instant::now() + BETWEEN_LOOKS, BETWEEN_LOOKS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut looks, mut list_is_old, mut next_list) = (0, false, Instant::now());
        let (connection, tools_changed) = (live.connection.clone(), live.tools_changed.clone());
        loop {
            let look = tokio::select! {
                biased;
                () = self.stop.cancelled() => return End::Stopped,
                () = live.over() => return End::Lost,
                () = self.handle.anew.notified() => return End::Anew,
                () = connection.doubt.notified() => Look::IsAlive(LITTLE_PATIENCE),
                () = tools_changed.notified(), if !list_is_old => {
                    list_is_old = true;
                    continue;
                }
                () = sleep_until(next_list), if list_is_old => Look::List,
                _ = ticks.tick() => {
                    looks += 1;
                    if looks % LOOKS_PER_LIST == 0 { Look::List } else { Look::IsAlive(PATIENCE) }
                }
            };
            match look {
                // A server that works on a call may be too busy to respond.
                Look::IsAlive(_) if !connection.in_flight.is_empty() => continue,
                Look::IsAlive(_) => {}
                Look::List => (list_is_old, next_list) = (false, Instant::now() + BETWEEN_LISTS),
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return End::Stopped,
                () = connection.ending.reached() => {}
                answers = self.look(live, look) => if !answers { return End::Silent },
            }
        }
    }

    /// Whether the server responds; updates its tools if they were listed.
    async fn look(&self, live: &Live, look: Look) -> bool {
        let patience = match look {
            Look::IsAlive(patience) => patience,
            Look::List => match live.list(&self.handle.spec).await {
                Ok(listing) => {
                    self.offer(listing);
                    return true;
                }
                Err(_) => PATIENCE,
            },
        };
        live.connection.is_alive(patience).await
    }

    fn ready(&self, live: &Live, listing: Listing) {
        self.offer(listing);
        let tools = self.catalogue.count(self.index, &self.handle.spec.name);
        self.change(|status| {
            status.state = ServerState::Ready;
            status.connection = Some(live.connection.clone());
            status.problem = None;
            status.coming_until = None;
        });
        // The first start is always logged, and does not use up the log's rate limit: a crash right
        // after it is logged too.
        let is_first = self.handle.status.borrow().starts == 1;
        if let Some(left_out) = if is_first { Some(0) } else { self.log.pass() } {
            let (project, server) = (&self.project, &self.handle.spec.name);
            tracing::info!(project, server, tools, left_out, "MCP server is ready");
        }
    }

    fn offer(&self, listing: Listing) {
        self.catalogue.offer(self.index, listing.tools);
        self.change(|status| status.notes = listing.notes);
    }

    async fn down(&self, problem: &str, coming_until: Option<Instant>) {
        self.change(|status| {
            status.state = ServerState::Down;
            status.connection = None;
            status.problem = Some(problem.to_owned());
            status.last_stderr_line = None;
            status.coming_until = coming_until;
        });
        let last_stderr_line = stderr_lines::last(&self.handle.spec, &self.handle.stderr).await;
        self.change(|status| status.last_stderr_line = last_stderr_line);
    }

    /// Waits before the next start, unless a call needs the server. `false` if it was stopped.
    async fn wait(&self, wait: Duration) -> bool {
        let soonest = Instant::now() + BETWEEN_STARTS;
        let wanted = async {
            self.handle.wanted.notified().await;
            sleep_until(soonest).await;
        };
        tokio::select! {
            () = self.stop.cancelled() => false,
            () = sleep(wait) => true,
            () = wanted => true,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Status)) {
        self.handle.status.send_modify(change);
    }
}
