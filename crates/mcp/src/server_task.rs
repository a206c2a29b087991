//! The task of one server: it is started, serves, and is restarted when it ends. Nothing that
//! it does affects another server.
//!
//! 1. Start, shake hands, list tools. If that fails it is down, and has no tools.
//! 2. Serve. The list is read again when the server says so, and every few minutes
//!    in case that was missed. A server that left a call unanswered, or that was quiet,
//!    gets a ping; one that does not answer it is ended.
//! 3. When it ends: wait, longer each time, and go back to 1. It keeps its tools until a start
//!    fails; a call meanwhile cuts the wait short (M-2).

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::tools::{ServerHealth, ServerState};
use parlor_process::{OncePerSecond, StderrLog, Supervisor};
use secrecy::ExposeSecret as _;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::catalogue::Catalogue;
use super::connection::{Connection, Live, open};
use super::listing::Listing;
use super::resolve::{Endpoint, ServerSpec};

/// How long a call waits for a server that is being started.
const WAIT_FOR_SERVER: Duration = Duration::from_secs(10);
/// How long others wait for a server that was just started.
const COMING: Duration = Duration::from_secs(3);
/// The least time between two starts, however urgent they are.
const BETWEEN_STARTS: Duration = Duration::from_millis(500);
const BETWEEN_LISTS: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);
/// So many looks at a quiet server, and its list is read again.
const LOOKS_PER_LIST: u32 = 10;
/// How long a quiet server may take to say that it is alive, …
const PATIENCE: Duration = Duration::from_secs(10);
/// … and how long one that has just left a call unanswered.
const LITTLE_PATIENCE: Duration = Duration::from_secs(2);
/// How long the rest of its standard error is waited for, …
const REST_OF_STDERR: Duration = Duration::from_secs(1);
/// … and how much of its last line is told.
const LONGEST_STDERR_LINE: usize = 300;
/// How a line of its supervisor begins: the problem says the same in other words.
const SUPERVISOR: &str = "parlor supervise: ";
/// Shorter values of its environment are words, not secrets.
const SHORTEST_SECRET: usize = 6;

/// A server, as callers see it.
#[derive(Debug)]
pub(super) struct ServerHandle {
    pub(super) spec: ServerSpec,
    status: watch::Sender<Status>,
    /// A call needs it now.
    wanted: Notify,
}

#[derive(Debug, Clone)]
struct Status {
    state: ServerState,
    connection: Option<Arc<Connection>>,
    problem: Option<String>,
    /// The last line of its standard error, for administrators only.
    last_stderr_line: Option<String>,
    notes: Vec<String>,
    starts: u64,
    /// It may be ready in a moment: callers wait until then.
    coming_until: Option<Instant>,
    is_closed: bool,
}

/// Why serving ended.
enum End {
    Stopped,
    Lost,
    Silent,
}

/// What is asked of a server beside calls.
#[derive(Clone, Copy)]
enum Look {
    /// Whether it answers within some time.
    IsAlive(Duration),
    /// Its tools.
    List,
}

/// The task of a server.
pub(super) struct ServerTask {
    pub(super) index: usize,
    pub(super) handle: Arc<ServerHandle>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) supervisor: Supervisor,
    pub(super) stop: CancellationToken,
    /// Whose server it is, for the log.
    pub(super) project: String,
    pub(super) log: OncePerSecond,
    pub(super) stderr: Arc<StderrLog>,
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
        Self { spec, status: watch::Sender::new(status), wanted: Notify::new() }
    }

    /// The connection, as soon as there is one; in words why there is none.
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

    /// Waits for a server that was just started, or that is just being brought back.
    pub(super) async fn settled(&self) {
        let mut status = self.status.subscribe();
        let until = status.borrow().coming_until;
        if let Some(until) = until {
            let _late = timeout_at(until, status.wait_for(|s| s.coming_until.is_none())).await;
        }
    }

    /// Ready when its task has ended.
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
        }
    }
}

impl ServerTask {
    /// Runs the server, and restarts it, until it is told to stop.
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

    /// One life of the server; why it ended, unless it was told to.
    async fn start_and_serve(&self, backoff: &mut Backoff) -> Option<String> {
        self.change(|status| {
            status.state = ServerState::Starting;
            status.starts += 1;
        });
        let (spec, stop) = (&self.handle.spec, &self.stop);
        let (mut live, listing) = match open(spec, &self.supervisor, &self.stderr, stop).await {
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
                // One that works on a call may be too busy to say that it is alive.
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

    /// Whether the server answers; reads its list again on the way.
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
        // The first time is worth a line by itself; a crash right after it, too.
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
        let last_stderr_line = self.last_stderr_line().await;
        self.change(|status| status.last_stderr_line = last_stderr_line);
    }

    /// The last line of its standard error, without the secrets of its environment.
    async fn last_stderr_line(&self) -> Option<String> {
        let Endpoint::Process(process) = &self.handle.spec.endpoint else { return None };
        let line = self.stderr.last_line(REST_OF_STDERR).await;
        let line = line.filter(|line| !line.starts_with(SUPERVISOR))?;
        let secrets = process.environment.iter().map(|(_, value)| value.expose_secret());
        let masked = secrets
            .filter(|secret| secret.len() >= SHORTEST_SECRET)
            .fold(line, |line, secret| line.replace(secret, "[…]"));
        Some(masked.chars().take(LONGEST_STDERR_LINE).collect())
    }

    /// Waits before the next start; not if somebody needs it. `false`: it is over.
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
