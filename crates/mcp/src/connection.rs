//! One connection to a server, from the handshake to its end.

use std::future::pending;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parlor_process::{NOT_EXECUTABLE, NOT_FOUND, Process, StderrLog, Supervisor};
use rmcp::ClientLifecycleMode;
use rmcp::model::{ClientRequest, ErrorCode, PingRequest, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, Peer, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::in_flight::InFlight;
use super::listing::{self, Listing};
use super::resolve::{Endpoint, ServerSpec};
use super::settings::ProtocolEra;
use super::stdio::Lines;
use super::subscription;
use super::transport::{Ending, Watched};

/// How long the orderly end of a connection may take.
const CLOSING: Duration = Duration::from_secs(3);
/// The longest reason of a server that is repeated.
const LONGEST_REASON: usize = 300;
/// Exit codes above this one stand for signals.
const SIGNALS: i32 = 128;

/// What callers see of a connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) ending: Ending,
    pub(super) in_flight: Arc<InFlight>,
    /// Notified when a call got no answer: the server has to be pinged.
    pub(super) doubt: Notify,
    /// A call was answered: the server works.
    has_worked: AtomicBool,
    permits: Arc<Semaphore>,
    parallel_calls: u32,
}

/// A connection, as the task of its server sees it.
pub(super) struct Live {
    pub(super) connection: Arc<Connection>,
    pub(super) tools_changed: Arc<Notify>,
    service: RunningService<RoleClient, Client>,
    process: Option<Process>,
}

/// Starts a server and lists its tools; the error says why not. Leaves no process behind when
/// it is stopped.
pub(super) async fn open(
    spec: &ServerSpec,
    supervisor: &Supervisor,
    log: &Arc<StderrLog>,
    stop: &CancellationToken,
) -> Result<(Live, Listing), String> {
    match &spec.endpoint {
        Endpoint::Http(endpoint) => {
            let transport = super::http::transport(endpoint).map_err(|error| error.to_string())?;
            open_with(spec, transport, Ending::default(), None, stop).await
        }
        Endpoint::Process(process) => {
            let spawned = supervisor
                .spawn(process)
                .map_err(|error| format!("it could not be started: {error}"))?;
            let (log, name) = (log.clone(), spec.name.clone());
            let stderr = spawned.stderr;
            log.begin();
            tokio::spawn(async move { log.drain(&name, stderr).await });
            let ending = Ending::default();
            let lines = Lines::new(spawned.stdout, spawned.stdin, ending.clone());
            open_with(spec, lines, ending, Some(spawned.process), stop).await
        }
    }
}

async fn open_with(
    spec: &ServerSpec,
    transport: impl Transport<RoleClient> + 'static,
    ending: Ending,
    process: Option<Process>,
    stop: &CancellationToken,
) -> Result<(Live, Listing), String> {
    let client =
        Client { in_flight: Arc::default(), tools_changed: Arc::default(), ending: ending.clone() };
    let (in_flight, tools_changed) = (client.in_flight.clone(), client.tools_changed.clone());
    let watched = Watched::new(transport, ending.clone());
    let handshake = async {
        let service = serve_client_with_lifecycle(client, watched, lifecycle(spec))
            .await
            .map_err(|error| refusal(&error).with_hint(spec.era, &error))?;
        let listing = listing::fetch(service.peer(), spec).await.map_err(|e| unanswered(&e))?;
        Ok::<_, Problem>((service, listing))
    };
    let opened = tokio::select! {
        opened = timeout(spec.start_timeout, handshake) => opened,
        () = stop.cancelled() => Ok(Err(Problem::new("the server is stopping"))),
    };
    let problem = match opened {
        Ok(Ok((service, listing))) => {
            let peer = service.peer().clone();
            if spec.era == ProtocolEra::Discover {
                let (peer, changed) = (peer.clone(), tools_changed.clone());
                tokio::spawn(subscription::follow(peer, changed, ending.clone()));
            }
            let connection = Arc::new(Connection::new(peer, ending, in_flight, spec));
            return Ok((Live { connection, tools_changed, service, process }, listing));
        }
        Ok(Err(problem)) => problem,
        Err(_) => Problem::new(format!("it was not ready within {:?}", spec.start_timeout)),
    };
    let exit = ended(process, problem.is_broken_pipe).await;
    let said = ending.why().map(str::to_owned);
    Err(said.or_else(|| exit.map(|status| exit_words(spec, status))).unwrap_or(problem.words))
}

/// How a connection begins.
fn lifecycle(spec: &ServerSpec) -> ClientLifecycleMode {
    match spec.era {
        ProtocolEra::Initialize => ClientLifecycleMode::Initialize,
        ProtocolEra::Discover => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    }
}

impl Connection {
    fn new(
        peer: Peer<RoleClient>,
        ending: Ending,
        in_flight: Arc<InFlight>,
        spec: &ServerSpec,
    ) -> Self {
        Self {
            peer,
            ending,
            in_flight,
            doubt: Notify::new(),
            has_worked: AtomicBool::new(false),
            permits: Arc::new(Semaphore::new(spec.parallel_calls as usize)),
            parallel_calls: spec.parallel_calls,
        }
    }

    /// Waits until the call may run.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        let all = self.in_flight.one_at_a_time();
        let number = if all { self.parallel_calls } else { 1 };
        self.permits.clone().acquire_many_owned(number).await.ok()
    }

    /// A call was answered.
    pub(super) fn worked(&self) {
        self.has_worked.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_worked(&self) -> bool {
        self.has_worked.load(Ordering::Relaxed)
    }

    /// Whether the server answers at all. One that does not know the question does.
    pub(super) async fn is_alive(&self, within: Duration) -> bool {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        match timeout(within, self.peer.send_request(ping)).await {
            Ok(Ok(_) | Err(ServiceError::McpError(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }
}

impl Live {
    /// Asks for the tools again.
    pub(super) async fn list(&self, spec: &ServerSpec) -> Result<Listing, String> {
        let listing = listing::fetch(&self.connection.peer, spec);
        match timeout(spec.start_timeout, listing).await {
            Ok(listing) => listing.map_err(|error| unanswered(&error).words),
            Err(_) => Err("it did not tell its tools".to_owned()),
        }
    }

    /// Ready when the connection is over.
    pub(super) async fn over(&mut self) {
        tokio::select! {
            () = self.connection.ending.reached() => {}
            () = exited(&mut self.process) => {
                // What was said before the end is still read.
                let _said = timeout(CLOSING, self.connection.ending.reached()).await;
            }
        }
    }

    /// Why the connection is over.
    pub(super) async fn why(&mut self, spec: &ServerSpec) -> String {
        let ending = self.connection.ending.clone();
        ending.set(None);
        let said = ending.why().map(str::to_owned);
        // One that ended by itself is waited for; one that cannot be understood is not.
        let exit = ended(self.process.take(), said.is_none()).await;
        said.or_else(|| exit.map(|status| exit_words(spec, status)))
            .unwrap_or_else(|| "the connection was closed".to_owned())
    }

    /// Ends the connection and the process. In peace, the server may finish first:
    /// it hears of the end by the end of its input.
    pub(super) async fn close(mut self, orderly: bool) {
        self.connection.ending.set(None);
        let closed = self.service.close_with_timeout(CLOSING);
        let _both_are_over = tokio::join!(closed, ended(self.process, orderly));
    }
}

/// Ready when there is a process and it has ended.
async fn exited(process: &mut Option<Process>) {
    match process {
        Some(process) => {
            let _status = process.wait().await;
        }
        None => pending().await,
    }
}

/// Waits for a process that ends or was told to, or ends it now. How it ended, if
/// that was its own doing.
async fn ended(process: Option<Process>, orderly: bool) -> Option<ExitStatus> {
    let mut process = process?;
    if orderly && let Ok(status) = timeout(CLOSING, process.wait()).await {
        return status.ok();
    }
    let _gone = process.end().await;
    None
}

fn exit_words(spec: &ServerSpec, status: ExitStatus) -> String {
    let Endpoint::Process(process) = &spec.endpoint else { return "it ended".to_owned() };
    let program = &process.program;
    match status.code() {
        Some(NOT_FOUND) => format!("there is no program '{program}'"),
        Some(NOT_EXECUTABLE) => format!("the program '{program}' cannot be run as configured"),
        Some(code) if code > SIGNALS => format!("it was ended by signal {}", code - SIGNALS),
        Some(code) => format!("it ended with code {code}"),
        None => "it was killed".to_owned(),
    }
}

/// Why a server is not there.
struct Problem {
    words: String,
    /// That is the sign of a process that ends: how it ended says more.
    is_broken_pipe: bool,
}

impl Problem {
    /// The server said so, or we do.
    fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_broken_pipe: false }
    }

    fn broken_pipe(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_broken_pipe: true }
    }

    /// Names the setting that helps, if the server may speak another era.
    fn with_hint(mut self, era: ProtocolEra, error: &ClientInitializeError) -> Self {
        if speaks_otherwise(error) {
            let other = match era {
                ProtocolEra::Initialize => "2026-07-28",
                ProtocolEra::Discover => "2025-11-25",
            };
            let hint = format!("; it may speak another era: try protocol = \"{other}\"");
            self.words.push_str(&hint);
        }
        self
    }
}

/// Whether a server does not know how we begin.
fn speaks_otherwise(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let words = error.message.to_lowercase();
            let about = ["version", "protocol", "initialize", "method"];
            error.code == ErrorCode::METHOD_NOT_FOUND || about.iter().any(|w| words.contains(w))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. }
        | ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => true,
        _ => false,
    }
}

/// Why a server did not begin.
fn refusal(error: &ClientInitializeError) -> Problem {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            Problem::broken_pipe("it closed the connection")
        }
        ClientInitializeError::TransportError { error, .. } => {
            Problem::broken_pipe(short(&error.error.to_string()))
        }
        ClientInitializeError::JsonRpcError(error) => {
            Problem::new(format!("it refused to begin: {}", short(&error.message)))
        }
        _ => Problem::new("it did not begin as the protocol says"),
    }
}

/// Why a server did not tell its tools.
fn unanswered(error: &ServiceError) -> Problem {
    match error {
        ServiceError::TransportClosed => Problem::broken_pipe("it closed the connection"),
        ServiceError::TransportSend(error) => Problem::broken_pipe(short(&error.error.to_string())),
        ServiceError::McpError(error) => {
            Problem::new(format!("it has no tools: {}", short(&error.message)))
        }
        _ => Problem::new("it did not tell its tools"),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}
