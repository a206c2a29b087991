//! The PostgreSQL server: databases for the benchmark, and what the server itself uses.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Url;
use tokio_postgres::{Client, NoTls};

use crate::process::{Cpu, parent};

/// A connection to the server, as a user who may create databases.
pub(super) struct Postgres {
    client: Client,
    url: Url,
    /// Names of databases of this run begin with it.
    prefix: String,
    /// The process whose children are all others; `None` if the server runs elsewhere.
    postmaster: Option<u32>,
}

impl Postgres {
    pub(super) async fn connect(url: &str) -> anyhow::Result<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        // It ends with the client.
        tokio::spawn(connection);
        let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.try_get(0)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
        let prefix = format!("parlor_bench_{now}_");
        Ok(Self { client, url: Url::parse(url)?, prefix, postmaster: postmaster(pid) })
    }

    /// Its version.
    pub(super) async fn version(&self) -> anyhow::Result<String> {
        let version = "SELECT current_setting('server_version') || ', fsync ' || \
                       current_setting('fsync')";
        Ok(self.client.query_one(version, &[]).await?.try_get(0)?)
    }

    /// Creates an empty database; returns its name and its URL.
    pub(super) async fn create(&self, name: &str) -> anyhow::Result<(String, String)> {
        let name = format!("{}{name}", self.prefix);
        self.client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        let mut url = self.url.clone();
        url.set_path(&name);
        Ok((name, url.into()))
    }

    /// Drops all databases of this run.
    pub(super) async fn drop_databases(&self) -> anyhow::Result<()> {
        let select = "SELECT datname FROM pg_database WHERE starts_with(datname, $1)";
        for row in self.client.query(select, &[&self.prefix]).await? {
            let name: String = row.try_get(0)?;
            self.client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await?;
        }
        Ok(())
    }

    /// CPU time of all its processes so far.
    pub(super) fn cpu(&self) -> anyhow::Result<Cpu> {
        self.postmaster.map_or(Ok(Cpu::default()), Cpu::of_family)
    }

    /// Bytes of WAL so far.
    pub(super) async fn wal(&self) -> anyhow::Result<u64> {
        let wal = "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint";
        Ok(self.client.query_one(wal, &[]).await?.try_get::<_, i64>(0)?.try_into()?)
    }

    /// The size of a database in bytes.
    pub(super) async fn size(&self, database: &str) -> anyhow::Result<i64> {
        let size = "SELECT pg_database_size($1::text::name)";
        Ok(self.client.query_one(size, &[&database]).await?.try_get(0)?)
    }

    /// Connections to a database.
    pub(super) async fn connections(&self, database: &str) -> anyhow::Result<i64> {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1";
        Ok(self.client.query_one(count, &[&database]).await?.try_get(0)?)
    }
}

/// The parent of the process of a connection, if that runs on this machine.
fn postmaster(connection: i32) -> Option<u32> {
    let pid = connection.try_into().ok()?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    name.starts_with("postgres").then(|| parent(pid).ok())?
}
