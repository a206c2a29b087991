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

/// How long an orderly close may take.
const CLOSING: Duration = Duration::from_secs(3);
/// The longest error message of a server that is repeated.
const LONGEST_REASON: usize = 300;
/// Exit codes above this one stand for signals.
const SIGNALS: i32 = 128;

/// The part of a connection that callers use.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) ending: Ending,
    pub(super) in_flight: Arc<InFlight>,
    /// Notified when a call got no response: the server has to be pinged.
    pub(super) doubt: Notify,
    /// Whether any call was answered.
    has_worked: AtomicBool,
    permits: Arc<Semaphore>,
    parallel_calls: u32,
}

/// The part of a connection that the server's task uses.
pub(super) struct Live {
    pub(super) connection: Arc<Connection>,
    pub(super) tools_changed: Arc<Notify>,
    service: RunningService<RoleClient, Client>,
    process: Option<Process>,
}

/// Starts a server and lists its tools, or says why that failed. If it is stopped meanwhile, it
/// ends the process that it started.
pub(super) async fn open(
    spec: &ServerSpec,
    supervisor: &Supervisor,
    log: &Arc<StderrLog>,
    stop: &CancellationToken,
) -> Result<(Live, Listing), String> {
    match &spec.endpoint {
        Endpoint::Http(endpoint) => match &endpoint.login {
            None => {
                let transport = super::http::transport(endpoint).map_err(|e| e.to_string())?;
                open_with(spec, transport, Ending::default(), None, stop).await
            }
            Some(login) => {
                let transport = super::oauth::transport(&spec.name, endpoint, login).await;
                let transport = transport.map_err(|error| error.to_string())?;
                open_with(spec, transport, Ending::default(), None, stop).await
            }
        },
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
    let client = Client {
        in_flight: Arc::default(),
        tools_changed: Arc::default(),
        ending: ending.clone(),
        apps: spec.apps,
    };
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

/// How the connection is initialised, depending on the protocol version.
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

    /// Waits until another call may run.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        let all = self.in_flight.one_at_a_time();
        let number = if all { self.parallel_calls } else { 1 };
        self.permits.clone().acquire_many_owned(number).await.ok()
    }

    /// Records that a call was answered.
    pub(super) fn worked(&self) {
        self.has_worked.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_worked(&self) -> bool {
        self.has_worked.load(Ordering::Relaxed)
    }

    /// Whether the server responds at all. An error response counts too.
    pub(super) async fn is_alive(&self, within: Duration) -> bool {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        match timeout(within, self.peer.send_request(ping)).await {
            Ok(Ok(_) | Err(ServiceError::McpError(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }
}

impl Live {
    /// Lists the tools again.
    pub(super) async fn list(&self, spec: &ServerSpec) -> Result<Listing, String> {
        let listing = listing::fetch(&self.connection.peer, spec);
        match timeout(spec.start_timeout, listing).await {
            Ok(listing) => listing.map_err(|error| unanswered(&error).words),
            Err(_) => Err("it did not list its tools in time".to_owned()),
        }
    }

    /// Completes when the connection has ended.
    pub(super) async fn over(&mut self) {
        tokio::select! {
            () = self.connection.ending.reached() => {}
            () = exited(&mut self.process) => {
                // Output from before the exit is still read.
                let _said = timeout(CLOSING, self.connection.ending.reached()).await;
            }
        }
    }

    /// Why the connection has ended.
    pub(super) async fn why(&mut self, spec: &ServerSpec) -> String {
        let ending = self.connection.ending.clone();
        ending.set(None);
        let said = ending.why().map(str::to_owned);
        // A process that exited by itself is waited for; one that broke the protocol is killed.
        let exit = ended(self.process.take(), said.is_none()).await;
        said.or_else(|| exit.map(|status| exit_words(spec, status)))
            .unwrap_or_else(|| "the connection was closed".to_owned())
    }

    /// Closes the connection and ends the process. If `orderly`, the server may finish first: it
    /// sees the end of its input.
    pub(super) async fn close(mut self, orderly: bool) {
        self.connection.ending.set(None);
        let closed = self.service.close_with_timeout(CLOSING);
        let _both_are_over = tokio::join!(closed, ended(self.process, orderly));
    }
}

/// Completes when there is a process and it has exited.
async fn exited(process: &mut Option<Process>) {
    match process {
        Some(process) => {
            let _status = process.wait().await;
        }
        None => pending().await,
    }
}

/// Waits for a process to exit if `orderly`, or else kills it. Returns the status of a process that
/// exited by itself.
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

/// Why a server is not available.
struct Problem {
    words: String,
    /// A broken pipe means that the process exits: its exit status says more.
    is_broken_pipe: bool,
}

impl Problem {
    /// A problem in the words of the server or of Parlor.
    fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_broken_pipe: false }
    }

    fn broken_pipe(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_broken_pipe: true }
    }

    /// Names the setting that helps, if the server may speak another protocol version.
    fn with_hint(mut self, era: ProtocolEra, error: &ClientInitializeError) -> Self {
        if speaks_otherwise(error) {
            let other = match era {
                ProtocolEra::Initialize => ProtocolEra::Discover,
                ProtocolEra::Discover => ProtocolEra::Initialize,
            };
            let hint =
                format!("; it may speak another era: try protocol = \"{}\"", other.version());
            self.words.push_str(&hint);
        }
        self
    }
}

/// Whether the server does not know the way in which the connection was initialised.
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

/// Why initialising the connection failed.
fn refusal(error: &ClientInitializeError) -> Problem {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            Problem::broken_pipe("it closed the connection")
        }
        ClientInitializeError::TransportError { error, .. } => not_sent(&*error.error),
        ClientInitializeError::JsonRpcError(error) => {
            Problem::new(format!("it refused to begin: {}", short(&error.message)))
        }
        _ => Problem::new("it did not begin as the protocol says"),
    }
}

/// Why listing the tools failed.
fn unanswered(error: &ServiceError) -> Problem {
    match error {
        ServiceError::TransportClosed => Problem::broken_pipe("it closed the connection"),
        ServiceError::TransportSend(error) => not_sent(&*error.error),
        ServiceError::McpError(error) => {
            Problem::new(format!("it has no tools: {}", short(&error.message)))
        }
        _ => Problem::new("it did not list its tools"),
    }
}

/// Why a message could not be sent.
fn not_sent(error: &(dyn std::error::Error + 'static)) -> Problem {
    match super::http::login_needed(error) {
        Some(why) => Problem::new(why),
        None => Problem::broken_pipe(short(&error.to_string())),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}
