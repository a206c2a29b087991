//! A PostgreSQL server: opened, migrated, and a pool of connections to it.

use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Connect, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime,
    TimeoutType, Timeouts,
};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

use super::connection::PostgresConnection;
use super::fault::describe;
use super::migrate::{MigrateError, migrate};
use super::settings::settings;
use super::tls;
use crate::batch::Batch;
use crate::fault::{Fault, OpenError};
use crate::location::ServerUrl;
use crate::lock_kind::LockKind;
use crate::pool_use::PoolUse;
use crate::purpose::Purpose;
use crate::query::query;

/// How long a caller waits for a free connection.
const POOL_WAIT: Duration = Duration::from_secs(10);
/// How long a server that is starting is waited for.
const START_WAIT: Duration = Duration::from_secs(30);
const START_PAUSE: Duration = Duration::from_millis(250);

/// How often a held lock is checked.
const LOCK_CHECK: Duration = Duration::from_secs(2);
/// The advisory lock of a running server: one more than that of a migration.
const RUNNING: i64 = 0x70_61_72_6c_6f_73;
/// That of a server that starts.
const STARTING: i64 = RUNNING + 1;

/// A server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pool: Pool,
    patience: Duration,
    /// For connections that are not of the pool.
    pub(super) url: ServerUrl,
}

impl Server {
    /// Connects, and migrates the schema of a component if there is a purpose to.
    pub(crate) async fn open(
        url: &ServerUrl,
        purpose: Purpose<'_>,
        connections: u32,
    ) -> Result<Self, OpenError> {
        let cannot_open = |why| OpenError::CannotOpen { database: url.to_string(), why };
        let settings = settings(url).map_err(cannot_open)?;
        let tls = tls::connector(&settings.certificates).map_err(cannot_open)?;
        let connector = Connector { tls, runtime: Handle::current() };
        let started = tokio::time::Instant::now();
        let (mut client, task) = loop {
            match connector.open(&settings.config).await {
                Err(error) if is_starting(&error) && started.elapsed() < START_WAIT => {
                    tokio::time::sleep(START_PAUSE).await;
                }
                opened => break opened.map_err(|error| cannot_open(advice(&error)))?,
            }
        };
        let migrated = migrate(&mut client, purpose).await;
        drop(client);
        task.abort();
        migrated.map_err(|error| match error {
            MigrateError::Newer { found, known } => {
                OpenError::NewerSchema { database: url.to_string(), found, known }
            }
            MigrateError::Refused(why) => cannot_open(why),
            MigrateError::Failed(error) => cannot_open(advice(&error)),
        })?;
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(settings.config, connector, manager);
        let pool = Pool::builder(manager)
            .max_size(connections.max(1) as usize)
            .timeouts(Timeouts {
                wait: Some(POOL_WAIT),
                create: Some(POOL_WAIT),
                recycle: Some(POOL_WAIT),
            })
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| cannot_open(error.to_string()))?;
        Ok(Self { pool, patience: purpose.patience(), url: url.clone() })
    }

    /// Writes all of a batch or nothing, in one round trip.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), Fault> {
        self.connection().await?.run(batch).await
    }

    /// Begins a transaction that writes.
    pub(crate) async fn begin(&self) -> Result<PostgresConnection, Fault> {
        self.connection().await?.begin("BEGIN").await
    }

    /// Begins a transaction that reads one state of the database.
    pub(crate) async fn snapshot(&self) -> Result<PostgresConnection, Fault> {
        self.connection().await?.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
    }

    /// Any connection.
    pub(crate) async fn connection(&self) -> Result<PostgresConnection, Fault> {
        let size = self.pool.status().max_size;
        let client = self.pool.get().await.map_err(|error| match error {
            PoolError::Timeout(TimeoutType::Wait) => Fault::Busy(format!(
                "all {size} connections to the database server are in use; raise \
                 storage.connections"
            )),
            PoolError::Backend(error) => match Fault::from(error) {
                // Whatever it is, nothing was written.
                Fault::Other(cause) => Fault::Unreachable(cause.to_string()),
                fault => fault,
            },
            PoolError::Closed => Fault::closed(),
            other => Fault::Unreachable(other.to_string()),
        })?;
        Ok(PostgresConnection::new(client, self.patience))
    }

    /// Whether it answers and can be written.
    pub(crate) async fn check(&self) -> Result<(), Fault> {
        let read_only = "SELECT current_setting('transaction_read_only') = 'on' AS read_only";
        let mut connection = self.connection().await?;
        let rows = connection.fetch(query(read_only)).await?;
        match rows.first().ok_or(Fault::NoRow)?.try_get("read_only")? {
            true => Err(Fault::Unwritable("the server is a read-only replica".to_owned())),
            false => Ok(()),
        }
    }

    /// Locks the database; `None` if that cannot be had now. A connection of its own holds
    /// the lock, so that it is free again when the process ends, however it ends. If the
    /// connection is lost, another one takes the lock again.
    pub(crate) async fn lock(&self, kind: LockKind) -> Result<Option<HeldLock>, Fault> {
        let Some(client) = self.try_lock(kind).await? else { return Ok(None) };
        let task = tokio::spawn(keep_locked(self.clone(), kind, client));
        Ok(Some(HeldLock { _task: AbortOnDropHandle::new(task) }))
    }

    async fn try_lock(&self, kind: LockKind) -> Result<Option<ClientWrapper>, Fault> {
        let mut connection = self.connection().await?;
        let lock = match kind {
            LockKind::Server => "SELECT pg_try_advisory_lock_shared($1) AS locked",
            LockKind::Command => "SELECT pg_try_advisory_lock($1) AS locked",
        };
        let locked = connection.fetch(query(lock).bind(RUNNING)).await?;
        let locked: bool = locked.first().ok_or(Fault::NoRow)?.try_get("locked")?;
        Ok(if locked { connection.into_own() } else { None })
    }

    /// A transaction that others wait for at the same point.
    pub(crate) async fn one_at_a_time(&self) -> Result<PostgresConnection, Fault> {
        let mut connection = self.begin().await?;
        // Its result has no type that a row could hold.
        let lock = "SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked";
        connection.fetch(query(lock).bind(STARTING)).await?;
        Ok(connection)
    }

    /// How many connections are in use.
    pub(crate) fn pool(&self) -> PoolUse {
        let status = self.pool.status();
        let in_use = status.size.saturating_sub(status.available);
        PoolUse { most: status.max_size as u64, in_use: in_use as u64 }
    }

    /// Closes the pool. Connections that are in use close when they are given back.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// A lock that a task holds.
#[derive(Debug)]
pub(crate) struct HeldLock {
    _task: AbortOnDropHandle<()>,
}

/// Holds a lock with its connection, and takes it again after the connection was lost.
async fn keep_locked(server: Server, kind: LockKind, mut client: ClientWrapper) {
    loop {
        tokio::time::sleep(LOCK_CHECK).await;
        if !client.is_closed() {
            continue;
        }
        match server.try_lock(kind).await {
            Ok(Some(again)) => client = again,
            Ok(None) => tracing::error!(
                "a command works on the database alone, although this server runs; stop one of them"
            ),
            // The pool is closed, or the server is away: whoever needs it says so.
            Err(_) => {}
        }
    }
}

/// Opens connections. Their tasks run on the runtime that opened the database, which
/// lives as long as the server does.
struct Connector {
    tls: MakeRustlsConnect,
    runtime: Handle,
}

impl Connector {
    async fn open(&self, config: &Config) -> Result<(Client, JoinHandle<()>), Error> {
        let (client, connection) = config.connect(self.tls.clone()).await?;
        let task = self.runtime.spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = %describe(&error), "lost a connection to the database");
            }
        });
        Ok((client, task))
    }
}

impl Connect for Connector {
    fn connect(
        &self,
        config: &Config,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + '_>>
    {
        let config = config.clone();
        Box::pin(async move { self.open(&config).await })
    }
}

/// Whether the server is there and will soon take connections.
fn is_starting(error: &Error) -> bool {
    error.code() == Some(&SqlState::CANNOT_CONNECT_NOW)
}

/// What went wrong, and what to do about it.
fn advice(error: &Error) -> String {
    let why = describe(error);
    let Some(code) = error.code() else {
        return format!("{why}; check host and port of storage.url, and that the server runs");
    };
    let todo = match code.code() {
        "28P01" | "28000" => "check user and password in storage.url, and pg_hba.conf",
        "3D000" => "create the database (createdb), or name another one in storage.url",
        "42501" => "the user of storage.url needs the right to create tables in its schema",
        "25006" => "the server is a read-only replica; name the primary in storage.url",
        "53300" => "the server has no connection left; raise its max_connections",
        _ => return why,
    };
    format!("{why}; {todo}")
}
