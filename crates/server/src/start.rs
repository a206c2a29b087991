//! From a configuration to a running server, in this order:
//!
//! 1. Create and lock the data directory: two servers on one file would take over each
//!    other's turns.
//! 2. Bind the address; if it is in use, nothing else happens.
//! 3. Open the databases, set or create credentials, compile the configuration. An
//!    error ends the start here, before a child process runs.
//! 4. Start the child processes and open the chat.
//! 5. Print to standard output what the administrator needs: the URL, new credentials,
//!    and the agents in use. Secrets never go to the log.
//! 6. Serve until SIGTERM or SIGINT; a second signal ends the process at once.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parlor_chat::Membership;
use parlor_database::{Database, Location, Lock, LockKind};
use parlor_protocol::TenantId;
use parlor_recipes::RecipeStore;
use parlor_storage::{StorageError, Store};
use secrecy::ExposeSecret;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::audit::sealer::Sealer;
use crate::auth::{NewCredential, is_short, prepare_credentials, weakness};
use crate::clock::Clock;
use crate::compose::{Compiled, compile, own_supervisor};
use crate::config::{Config, HOME, PublicUrl, Sources, StorageConfig};
use crate::logo;
use crate::mcp_logins::McpLogins;
use crate::membership::membership;
use crate::serve::serve;
use crate::unanswerable;
use crate::worker_threads::WorkerThreads;

const LOCK: &str = "parlor.lock";
/// How many clients may wait to be accepted: a thousand may reconnect at once.
const BACKLOG: u32 = 4096;

/// Another server uses the data directory.
#[derive(Debug, thiserror::Error)]
#[error(
    "another server uses the data directory {}; stop it, or choose another directory with \
     --data-dir",
    .0.display()
)]
pub(crate) struct DirectoryInUse(PathBuf);

/// Who logs in at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visitors {
    /// People and programs: credentials that are missing are created and printed.
    Anybody,
    /// The editor that the process runs for, which has a key already. Nothing is created:
    /// there is nobody to show it to.
    Editor,
}

/// A server that holds its locks and listens. No child process runs yet.
pub(crate) struct Prepared {
    config: Config,
    listener: TcpListener,
    store: Store,
    recipes: RecipeStore,
    clock: Clock,
    credentials: Vec<NewCredential>,
    compiled: Compiled,
    membership: Membership,
    workers: WorkerThreads,
    locks: Locks,
}

/// A server that is ready to serve.
pub(crate) struct OpenServer {
    app: Arc<App>,
    listener: TcpListener,
    workers: WorkerThreads,
    address: SocketAddr,
    credentials: Vec<NewCredential>,
    modes: Vec<String>,
    sealer: Sealer,
    /// Held until it has stopped.
    _locks: Locks,
}

/// What keeps other servers and commands away.
struct Locks {
    _directory: File,
    _other: Option<File>,
    _database: Lock,
}

/// Runs the server until a signal stops it.
pub async fn start(config: Config) -> anyhow::Result<()> {
    let prepared = prepare(config, Visitors::Anybody).await?;
    let stop = stop_signal()?;
    let server = prepared.open().await?;
    announce(&server)
        .context("the credentials could not be printed; `parlor password set` sets new ones")?;
    server.run(stop).await;
    Ok(())
}

/// Steps 1 to 3.
pub(crate) async fn prepare(mut config: Config, visitors: Visitors) -> anyhow::Result<Prepared> {
    install_tls();
    logo::check_all(&config).await?;
    make_directory(&config.server.data_dir)?;
    let directory = lock(&config.server.data_dir)?;
    let other = lock_other_directory(&config)?;
    fit_to_open_files(&mut config);
    let listener = listen(config.server.bind)?;
    let (storage, data_dir) = (&config.storage, &config.server.data_dir);
    let store = Store::connect(&storage.chat(data_dir), storage.connections).await?;
    let database = lock_for_server(&store, &config).await?;
    let recipes = RecipeStore::open(storage.recipes(data_dir)).await?;
    let clock = Clock::default();
    let environment = Sources::process_environment();
    let mcp_logins = McpLogins::open(&config, &store, &clock, listener.local_addr()?)?;
    // Hashing passwords and compiling rules take a core each.
    let (credentials, compiled) = tokio::try_join!(
        async {
            match visitors {
                Visitors::Anybody => prepare_home(&config, &store, &clock).await,
                Visitors::Editor => Ok(Vec::new()),
            }
        },
        compile(&config, environment, own_supervisor(), mcp_logins, &clock)
    )?;
    let membership = membership(&config, &store).await?;
    let workers = WorkerThreads::start().context("the worker threads cannot be started")?;
    let locks = Locks { _directory: directory, _other: other, _database: database };
    Ok(Prepared {
        config,
        listener,
        store,
        recipes,
        clock,
        credentials,
        compiled,
        membership,
        workers,
        locks,
    })
}

impl Prepared {
    /// Step 4.
    pub(crate) async fn open(self) -> anyhow::Result<OpenServer> {
        ignore_file_size_signal()?;
        let Self { config, listener, store, recipes, clock, membership, .. } = self;
        let address = listener.local_addr()?;
        let fanout = membership.fanout.clone();
        let sealer = Sealer::open(&config, &store, &clock, membership.id)?;
        let composed = self.compiled.open(store.clone(), membership).await?;
        let modes = composed.modes.clone();
        let app = App::new(config, address, store, recipes, composed, clock, fanout);
        unanswerable::warn(&app.config, &app.store).await?;
        // Most of the memory for compiling is free again.
        parlor_malloc::trim();
        Ok(OpenServer {
            app: Arc::new(app),
            listener,
            workers: self.workers,
            address,
            credentials: self.credentials,
            modes,
            sealer,
            _locks: self.locks,
        })
    }
}

impl OpenServer {
    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is ready, then shuts down in good order.
    pub(crate) async fn run(self, stop: impl Future<Output = ()>) {
        let sealing = tokio::spawn(self.sealer.run(self.app.stopping.clone()));
        serve(self.listener, self.app, self.workers, stop).await;
        sealing.abort();
        tracing::info!("stopped");
    }
}

/// Keeps commands away that must have the database alone. A pooler may hand the connection
/// that holds the lock to somebody else, so the server itself is asked where it is named.
async fn lock_for_server(store: &Store, config: &Config) -> anyhow::Result<Lock> {
    let Some(direct) = config.storage.direct.clone() else {
        return Ok(store.lock_for_server().await?);
    };
    let database = Database::open_as_is(&Location::Server(direct)).await?;
    Ok(database.lock(LockKind::Server).await?.ok_or(StorageError::InUse)?)
}

/// Opens the database of conversations for a command that runs beside a server.
pub(crate) async fn open_store(storage: &StorageConfig, data_dir: &Path) -> anyhow::Result<Store> {
    make_directory(data_dir)?;
    Ok(Store::connect(&storage.chat(data_dir), storage.connections).await?)
}

/// Opens the recipes for a process that runs beside a server.
pub(crate) async fn open_recipes(
    storage: &StorageConfig,
    data_dir: &Path,
) -> anyhow::Result<RecipeStore> {
    make_directory(data_dir)?;
    Ok(RecipeStore::open(storage.recipes(data_dir)).await?)
}

/// Installs the TLS provider of the process. A test may have installed it already.
pub(crate) fn install_tls() {
    let _already = rustls::crypto::ring::default_provider().install_default();
}

/// Only its owner can read it.
pub(crate) fn make_directory(dir: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("the data directory {} cannot be created", dir.display()))
}

/// Held until the process ends, however it ends.
pub(crate) fn lock(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join(LOCK);
    let file = fs::OpenOptions::new().create(true).append(true).open(&path);
    let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DirectoryInUse(dir.to_owned()).into()),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Locks the directory of a file that `storage.url` names elsewhere.
fn lock_other_directory(config: &Config) -> anyhow::Result<Option<File>> {
    let data_dir = &config.server.data_dir;
    let Location::File(file) = config.storage.chat(data_dir) else { return Ok(None) };
    let directory = file.parent().filter(|dir| !dir.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    make_directory(directory)?;
    let is_same = fs::canonicalize(directory)? == fs::canonicalize(data_dir)?;
    if is_same { Ok(None) } else { lock(directory).map(Some) }
}

/// Lowers the number of connections to what the limit of open files allows.
fn fit_to_open_files(config: &mut Config) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    /// Open files of the databases, the tools and the log, and of each worker thread.
    const OWN: u64 = 100;
    const PER_WORKER: u64 = 4;
    let own = OWN + PER_WORKER * WorkerThreads::count() as u64;
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _best_effort = setrlimit(Resource::Nofile, limit);
    let Some(files) = getrlimit(Resource::Nofile).current else { return };
    let most = u32::try_from(files.saturating_sub(own).max(1)).unwrap_or(u32::MAX);
    let connections = &mut config.server.limits.connections;
    if *connections > most {
        tracing::warn!(
            connections = most,
            "limit of open files: serving fewer connections than configured"
        );
        *connections = most;
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    let listener = socket.bind(address).and_then(|()| socket.listen(BACKLOG));
    listener.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => anyhow::anyhow!(
            "another program listens on {address}; stop it, or choose another address: \
             --bind {}:{}",
            address.ip(),
            address.port().wrapping_add(1).max(1024),
        ),
        io::ErrorKind::PermissionDenied => anyhow::anyhow!(
            "this user may not listen on {address}; choose a port above 1023 with --bind"
        ),
        io::ErrorKind::AddrNotAvailable => anyhow::anyhow!(
            "this machine does not have the address {}; choose another with --bind",
            address.ip()
        ),
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
    })
}

async fn prepare_home(
    config: &Config,
    store: &Store,
    clock: &Clock,
) -> anyhow::Result<Vec<NewCredential>> {
    let home: TenantId = HOME.parse()?;
    if !config.tenants.contains_key(&home) {
        tracing::info!("no tenant `home`: set passwords with `parlor password set --tenant …`");
        return Ok(Vec::new());
    }
    if config.credentials.api_key.as_ref().is_some_and(is_short) {
        tracing::warn!("PARLOR_API_KEY is short; a longer one is harder to guess");
    }
    for (name, password) in [
        ("PARLOR_PASSWORD", &config.credentials.password),
        ("PARLOR_ADMIN_PASSWORD", &config.credentials.admin_password),
    ] {
        if let Some(why) = password.as_ref().and_then(weakness) {
            tracing::warn!("{name}: {why}");
        }
    }
    // Of several nodes that start on an empty database one creates them.
    let _alone = store.one_at_a_time().await?;
    Ok(prepare_credentials(store, clock, &home, &config.credentials).await?)
}

fn announce(server: &OpenServer) -> io::Result<()> {
    let OpenServer { app, address, credentials, modes, .. } = server;
    let mut out = io::stdout().lock();
    if !credentials.is_empty() {
        writeln!(out, "These are shown once; only hashes of them are kept.")?;
    }
    for credential in credentials {
        writeln!(out, "{}: {}", credential.name, credential.secret.expose_secret())?;
    }
    for mode in modes {
        writeln!(out, "{mode}")?;
    }
    write!(out, "listening on {}", PublicUrl::of_address(*address).as_str())?;
    if app.config.server.public_url.is_some() {
        write!(out, " (people find it at {})", app.public_url.as_str())?;
    }
    writeln!(out)?;
    out.flush()?;
    app.config.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(())
}

/// Makes a write beyond the limit of file sizes an error, like a full disk, instead of
/// the end of the process.
fn ignore_file_size_signal() -> io::Result<()> {
    let file_size_limit = rustix::process::Signal::XFSZ.as_raw();
    // The handler stays when this is dropped.
    signal(SignalKind::from_raw(file_size_limit)).map(drop)
}

/// Ready when the process is asked to stop. A second signal ends it without waiting
/// for running turns.
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut signals = StopSignals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
    };
    Ok(async move {
        signals.next().await;
        tracing::info!("stopping; a second signal ends the process at once");
        tokio::spawn(async move {
            let code = signals.next().await;
            tracing::warn!("ended by a second signal; the next start recovers unfinished turns");
            std::process::exit(code);
        });
    })
}

struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Waits for the next signal; returns the exit code for it.
    async fn next(&mut self) -> i32 {
        const KILLED_BY_SIGNAL: i32 = 128;
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        };
        KILLED_BY_SIGNAL + kind.as_raw_value()
    }
}
