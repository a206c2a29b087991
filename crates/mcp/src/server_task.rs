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

use parlor_agent::tools::ServerState;
use parlor_process::{OncePerSecond, Supervisor};
use parlor_protocol::PersonId;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::backoff::Backoff;
use super::catalogue::Catalogue;
use super::connection::{Connection, Live, open};
use super::listing::Listing;
use super::login::LoginStore;
use super::server_handle::{COMING, ServerHandle, Status};
use super::stderr_lines;

/// The minimum time between two starts, even if a call waits.
const BETWEEN_STARTS: Duration = Duration::from_millis(500);
const BETWEEN_LISTS: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);
/// How long nobody tries a server again that wants a login of each person.
const BETWEEN_TRIES: Duration = Duration::from_secs(3600);
/// An idle server's tools are listed again after this many health checks.
const LOOKS_PER_LIST: u32 = 10;
/// The timeout of a health check.
const PATIENCE: Duration = Duration::from_secs(10);
/// The timeout of a health check after a call was left unanswered.
const LITTLE_PATIENCE: Duration = Duration::from_secs(2);

/// Why serving ended.
enum End {
    Stopped,
    Lost,
    Silent,
    /// Somebody logged in or out, or wants it to be started again.
    Anew,
    /// The person whose connection it is does not use it any more, or has ended their login.
    Unused,
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
    /// Whose connection it is, if each person has their own.
    pub(super) person: Option<PersonTask>,
}

/// What a connection has to do with its person.
pub(super) struct PersonTask {
    pub(super) person: PersonId,
    /// The login that the connection was opened with, and where it is kept.
    pub(super) login: String,
    pub(super) store: Arc<dyn LoginStore>,
    /// It is closed after this time without a call, which is looked at as often as that.
    pub(super) idle: Duration,
    pub(super) look: Duration,
}

impl ServerTask {
    /// Runs the server, and restarts it, until it is stopped.
    pub(super) async fn run(self) {
        let mut backoff = Backoff::default();
        while let Some(problem) = self.start_and_serve(&mut backoff).await {
            if self.is_unused() {
                break;
            }
            let wait = backoff.next();
            if self.waits_for_people() {
                // Nobody is asked for a login but people, who have connections of their own.
                if self.wait(BETWEEN_TRIES).await {
                    continue;
                }
                break;
            }
            if let Some(left_out) = self.log.pass() {
                let (project, server) = (&self.project, &self.handle.spec.name);
                tracing::warn!(project, server, %problem, ?wait, left_out, "MCP server is down");
            }
            if !self.wait(wait).await {
                break;
            }
        }
        self.catalogue.withdraw(self.index, self.whose());
        self.change(|status| {
            status.state = ServerState::Down;
            status.connection = None;
            if self.stop.is_cancelled() {
                status.problem = Some("the server is stopping".to_owned());
            }
            status.is_closed = true;
        });
    }

    fn whose(&self) -> Option<PersonId> {
        self.person.as_ref().map(|task| task.person)
    }

    /// Whether it is a connection of a person that is not made again: by itself a login does not
    /// become good.
    fn is_unused(&self) -> bool {
        let is_unused = |task: &PersonTask| self.handle.unused_for() > task.idle;
        self.person.as_ref().is_some_and(|task| self.handle.needs_login() || is_unused(task))
    }

    /// Whether it can do nothing for nobody.
    fn waits_for_people(&self) -> bool {
        self.handle.spec.person_login.is_some() && self.handle.needs_login()
    }

    /// Whether the connection is still that of somebody who is logged in, and uses it.
    async fn is_kept(&self, connection: &Connection) -> bool {
        let Some(task) = &self.person else { return true };
        if connection.in_flight.is_empty() && self.handle.unused_for() > task.idle {
            return false;
        }
        match task.store.standing(&self.handle.spec.name).await {
            Ok(standing) => standing.is_some_and(|standing| standing.id == task.login),
            // The database does not answer now: no call is made with it either.
            Err(_) => true,
        }
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
                    self.withdraw();
                    self.down(&problem, None).await;
                    return Some(problem);
                }
            };
        let since = Instant::now();
        self.ready(&live, listing);
        let end = self.serve(&mut live).await;
        backoff.was_up(since.elapsed(), live.connection.has_worked());
        let problem = match &end {
            End::Stopped | End::Unused => None,
            End::Lost => Some(live.why(spec).await),
            End::Silent => Some("it no longer answers".to_owned()),
            End::Anew => Some("it is connected anew".to_owned()),
        };
        if let Some(problem) = &problem {
            self.down(problem, Some(Instant::now() + COMING)).await;
        }
        live.close(matches!(end, End::Stopped | End::Unused)).await;
        problem
    }

    /// What a server listed for people stays for those who are not connected.
    fn withdraw(&self) {
        if self.handle.spec.person_login.is_none() {
            self.catalogue.withdraw(self.index, self.whose());
        }
    }

    async fn serve(&self, live: &mut Live) -> End {
        let between = self.person.as_ref().map_or(BETWEEN_LOOKS, |task| task.look);
        let mut ticks = interval_at(Instant::now() + between, between);
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
                    if !self.is_kept(&connection).await {
                        return End::Unused;
                    }
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
        self.catalogue.offer(self.index, self.whose(), listing.tools);
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
