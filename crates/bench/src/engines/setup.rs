//! What is compared: the pass-through, and servers on each engine, alone or two on one database.

use std::sync::Arc;

use anyhow::Context;

use super::backends::Backends;
use crate::parlor::Parlor;
use crate::target::Target;

pub(super) const BARE: &str = "pass-through";
pub(super) const SQLITE: &str = "SQLite";
pub(super) const POSTGRES: &str = "PostgreSQL";
pub(super) const WITH_REDIS: &str = "two nodes, Redis";
pub(super) const WITHOUT_REDIS: &str = "two nodes";

/// One or two servers, ready to be measured.
pub(super) struct Setup {
    pub(super) name: &'static str,
    /// Takes the messages, and so owns their turns.
    pub(super) owner: Arc<Target>,
    /// Another node on the same database, for readers elsewhere.
    pub(super) reader: Option<Arc<Target>>,
    /// The name of the PostgreSQL database.
    pub(super) database: Option<String>,
}

/// Starts everything. What cannot be started is left out, and that is said; only one server on each
/// engine is a must.
pub(super) async fn start(
    binary: &str,
    upstream: &str,
    backends: &Backends,
) -> anyhow::Result<Vec<Setup>> {
    let bare = Target::passthrough(&[crate::PASSTHROUGH, upstream]).await?;
    let parlor = Parlor::with_model(binary, upstream);
    let sqlite = parlor.clone().start().await.context(SQLITE)?;
    let (database, url) = backends.postgres.create("one").await?;
    let postgres = parlor.clone().on(&url).start().await.context(POSTGRES)?;
    let mut setups = vec![
        Setup { name: BARE, owner: Arc::new(bare), reader: None, database: None },
        Setup { name: SQLITE, owner: Arc::new(sqlite), reader: None, database: None },
        Setup { name: POSTGRES, owner: Arc::new(postgres), reader: None, database: Some(database) },
    ];
    match &backends.redis {
        Some(redis) => {
            let (database, url) = backends.postgres.create("with_redis").await?;
            let node = parlor.clone().on(&url).fanout(&redis.url);
            add(&mut setups, two_nodes(WITH_REDIS, node, database).await);
        }
        None => println!("skipped: {WITH_REDIS}: TEST_REDIS_URL is not set"),
    }
    let (database, url) = backends.postgres.create("without_redis").await?;
    add(&mut setups, two_nodes(WITHOUT_REDIS, parlor.on(&url), database).await);
    Ok(setups)
}

fn add(setups: &mut Vec<Setup>, setup: anyhow::Result<Setup>) {
    match setup {
        Ok(setup) => setups.push(setup),
        Err(why) => println!("skipped: {why:#}"),
    }
}

async fn two_nodes(name: &'static str, node: Parlor, database: String) -> anyhow::Result<Setup> {
    let start = async |which: &str| {
        let started = node.clone().start().await;
        anyhow::Ok(Arc::new(started.with_context(|| format!("{name}: the {which} server"))?))
    };
    let (owner, reader) = (start("first").await?, start("second").await?);
    Ok(Setup { name, owner, reader: Some(reader), database: Some(database) })
}
