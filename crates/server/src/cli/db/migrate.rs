//! `parlor db migrate`: what the start of a server does with the databases.

use std::process::ExitCode;

use parlor_database::{Connections, Database, Location};

use super::databases::Databases;
use super::in_use::{be_alone, directory};
use crate::start;

/// Migrations run on one connection.
const CONNECTIONS: Connections = Connections { sqlite_readers: 1, postgres: 1 };

pub(super) async fn migrate(databases: &Databases) -> anyhow::Result<ExitCode> {
    // As the start of a server: a file belongs to one, a server is shared.
    let _alone = match &databases.chat {
        Location::File(path) => {
            start::make_directory(&directory(path))?;
            Some(be_alone(&databases.chat).await?)
        }
        Location::Server(_) => None,
    };
    for (name, location, component) in databases.each() {
        let before = match location {
            Location::File(path) if !path.exists() => None,
            location => {
                let database = Database::open_as_is(location).await?;
                let version = database.schema_version(component.migrations).await?;
                database.close().await;
                version
            }
        };
        Database::open(location, component.migrations, CONNECTIONS).await?.close().await;
        let now = component.version();
        match before {
            None => println!("{name}: {location} was created with schema {now}"),
            Some(before) if before == now => println!("{name}: {location} has schema {now}"),
            Some(before) => println!("{name}: {location} was migrated from {before} to {now}"),
        }
    }
    Ok(ExitCode::SUCCESS)
}
