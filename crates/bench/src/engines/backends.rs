//! What is behind the servers: PostgreSQL and Redis.

use anyhow::Context;

use super::postgres::Postgres;
use super::redis::Redis;

/// The servers of `cargo xtask services`.
pub(super) struct Backends {
    pub(super) postgres: Postgres,
    /// `None`: what needs it is skipped.
    pub(super) redis: Option<Redis>,
}

impl Backends {
    pub(super) async fn connect() -> anyhow::Result<Self> {
        let url = parlor_testkit::postgres::url().context("run it as cargo xtask bench engines")?;
        let postgres = Postgres::connect(&url).await.context("PostgreSQL cannot be reached")?;
        let redis = parlor_testkit::redis::url().map(|url| Redis { url });
        Ok(Self { postgres, redis })
    }

    /// Says which versions they have.
    pub(super) async fn print(&self) -> anyhow::Result<()> {
        println!("PostgreSQL {}", self.postgres.version().await?);
        if let Some(redis) = &self.redis {
            println!("Redis {}", redis.version().await?);
        }
        Ok(())
    }
}
