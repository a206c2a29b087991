//! A server from its configuration, in this order:
//!
//! 1. The data directory is made and locked: two servers on one database would
//!    make credentials and epochs twice.
//! 2. The address is taken; if somebody has it, nothing else happens.
//! 3. The databases are opened, credentials are set or made, the configuration is
//!    compiled. Whatever is wrong with it ends the start here, before a child runs.
//! 4. Children are started, and the chat is opened.
//! 5. What the administrator needs to know is printed to standard output: the
//!    URL, what was made, how the agents work. Secrets never go to the log.
//! 6. It serves until SIGTERM or SIGINT; a second one ends it at once.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use parlor_protocol::TenantId;
use parlor_recipes::RecipeStore;
use parlor_storage::Store;
use secrecy::ExposeSecret;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::auth::{Made, is_short, prepare_credentials, weakness};
use crate::clock::Clock;
use crate::compose::{compile, own_supervisor};
use crate::config::{Config, HOME, PublicUrl, Sources};
use crate::lanes::Lanes;
use crate::serve::serve;

const DATABASE: &str = "parlor.db";
const RECIPES: &str = "recipes.db";
const LOCK: &str = "parlor.lock";
/// How many clients may wait to be accepted: a thousand may come back at once.
const BACKLOG: u32 = 4096;

/// Runs the server until it is told to stop.
pub async fn start(mut config: Config) -> anyhow::Result<()> {
    install_tls();
    make_directory(&config.server.data_dir)?;
    let _lock = lock(&config.server.data_dir)?;
    fit_to_open_files(&mut config);
    let listener = listen(config.server.bind)?;
    let address = listener.local_addr()?;
    let store = open_store(&config.server.data_dir).await?;
    let recipes = open_recipes(&config.server.data_dir).await?;
    let clock = Clock::default();
    let environment = Sources::process_environment();
    // Hashing and compiling rules take a core each.
    let (made, compiled) = tokio::try_join!(
        prepare(&config, &store, &clock),
        compile(&config, environment, own_supervisor())
    )?;
    let lanes = Lanes::start().context("the threads that serve cannot be started")?;
    let stop = stop_signal()?;
    outlive_file_limits()?;
    let composed = compiled.open(store.clone()).await?;
    let app = Arc::new(App::new(config, address, store, recipes, composed.chat, clock));
    // Most of what compiling took is free again.
    parlor_heap::give_back();
    announce(&app, address, &made, &composed.modes)
        .context("the credentials could not be printed; `parlor password set` sets new ones")?;
    serve(listener, app, lanes, stop).await;
    tracing::info!("stopped");
    Ok(())
}

/// Opens the database of a data directory.
pub(crate) async fn open_store(data_dir: &Path) -> anyhow::Result<Store> {
    make_directory(data_dir)?;
    Ok(Store::open(&data_dir.join(DATABASE)).await?)
}

/// Opens the recipes of a data directory. They have a file of their own: whoever
/// serves them needs nothing else.
pub(crate) async fn open_recipes(data_dir: &Path) -> anyhow::Result<RecipeStore> {
    make_directory(data_dir)?;
    Ok(RecipeStore::open(&data_dir.join(RECIPES)).await?)
}

/// One provider for the whole process. A test may have installed it already.
fn install_tls() {
    let _already = rustls::crypto::ring::default_provider().install_default();
}

/// Only its owner can look into it.
fn make_directory(dir: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("the data directory {} cannot be made", dir.display()))
}

/// Held until the process ends, however it ends.
fn lock(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join(LOCK);
    let file = fs::OpenOptions::new().create(true).append(true).open(&path);
    let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another server uses the data directory {}; stop it, or choose another directory \
             with --data-dir",
            dir.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// As many connections as the system gives files for, less some for ourselves.
fn fit_to_open_files(config: &mut Config) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    /// What the databases, the tools and the log need, and what each lane does.
    const OWN: u64 = 100;
    const A_LANE: u64 = 4;
    let own = OWN + A_LANE * Lanes::count() as u64;
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _best_effort = setrlimit(Resource::Nofile, limit);
    let Some(files) = getrlimit(Resource::Nofile).current else { return };
    let most = u32::try_from(files.saturating_sub(own).max(1)).unwrap_or(u32::MAX);
    let connections = &mut config.server.limits.connections;
    if *connections > most {
        tracing::warn!(connections = most, "fewer connections: the system allows no more files");
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

async fn prepare(config: &Config, store: &Store, clock: &Clock) -> anyhow::Result<Vec<Made>> {
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
    Ok(prepare_credentials(store, clock, &home, &config.credentials).await?)
}

fn announce(app: &App, address: SocketAddr, made: &[Made], modes: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !made.is_empty() {
        writeln!(out, "These are shown once; only hashes of them are kept.")?;
    }
    for credential in made {
        writeln!(out, "{}: {}", credential.what, credential.secret.expose_secret())?;
    }
    for mode in modes {
        writeln!(out, "{mode}")?;
    }
    write!(out, "listening on {}", PublicUrl::of_address(address).as_str())?;
    if app.config.server.public_url.is_some() {
        write!(out, " (people find it at {})", app.public_url.as_str())?;
    }
    writeln!(out)?;
    out.flush()?;
    app.config.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(())
}

/// A limit on the size of files is an error to wait out, as a full disk is, and
/// not the end of the process.
fn outlive_file_limits() -> io::Result<()> {
    let at_the_limit = rustix::process::Signal::XFSZ.as_raw();
    // The handler stays when this is dropped.
    signal(SignalKind::from_raw(at_the_limit)).map(drop)
}

/// Ready when the process is asked to stop. Whoever asks again does not want to wait
/// for what runs.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut signals = StopSignals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
    };
    Ok(async move {
        signals.next().await;
        tracing::info!("stopping; a second signal ends it at once");
        tokio::spawn(async move {
            let code = signals.next().await;
            tracing::warn!("ended by a second signal; what ran is taken up by the next start");
            std::process::exit(code);
        });
    })
}

struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Waits for the next one; gives the exit code of a process that it ends.
    async fn next(&mut self) -> i32 {
        const BY_SIGNAL: i32 = 128;
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        };
        BY_SIGNAL + kind.as_raw_value()
    }
}
