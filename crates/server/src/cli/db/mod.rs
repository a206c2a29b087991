//! `parlor db`: moves, checks and backs up the databases.
//!
//! - [`databases`]: which databases a configuration or a URL names.
//! - [`in_use`]: keeps servers away while a command must be alone.
//! - one file for each command.

mod backup;
mod check;
mod copy;
mod databases;
mod in_use;
mod migrate;
mod restore;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::databases::{ConfigArguments, Databases};
use super::tenant_store::block_on;

/// Moves, checks and backs up the databases.
///
/// A database is a SQLite file in the data directory (with the recipes in a second file
/// beside it) or a PostgreSQL server.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Copies everything into an empty database, of the same or the other engine, and
    /// verifies it.
    ///
    /// No server may run on either. A copy that was interrupted goes on when the same
    /// command is run again; until it is finished, no server starts on the target. At the
    /// end the number and a hash of the rows of each table are the same on both sides.
    #[command(after_long_help = "Example:
  parlor db copy --from sqlite:parlor-data/parlor.db --to postgres://parlor@db/parlor

A password in a URL is visible to other users of the machine while the command runs; set
the URL in PARLOR_COPY_FROM or PARLOR_COPY_TO instead.")]
    Copy(copy::CopyArguments),
    /// Creates the databases, or brings them to the schema of this version, as the start of
    /// a server does.
    Migrate {
        #[command(flatten)]
        config: ConfigArguments,
    },
    /// Checks the databases and changes nothing: engine, schema, whether they can be read
    /// and written, damage, rows that contradict each other. The exit code is 1 if something
    /// is wrong.
    Check {
        #[command(flatten)]
        config: ConfigArguments,
    },
    /// Writes a copy of the SQLite files into a new directory. A server may run meanwhile.
    Backup {
        #[command(flatten)]
        config: ConfigArguments,
        /// The directory to create.
        #[arg(value_name = "DIR")]
        to: PathBuf,
    },
    /// Puts the files of a backup in place. No server may run. The files that were there are
    /// kept in a directory beside them.
    Restore {
        #[command(flatten)]
        config: ConfigArguments,
        /// The directory that `parlor db backup` wrote.
        #[arg(value_name = "DIR")]
        from: PathBuf,
        /// Replace databases that exist.
        #[arg(long)]
        force: bool,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Copy(arguments) => copy::copy(arguments).await,
            Command::Migrate { config } => migrate::migrate(&config.databases()?).await,
            Command::Check { config } => check::check(&config.databases()?).await,
            Command::Backup { config, to } => backup::back_up(&config.databases()?, &to).await,
            Command::Restore { config, from, force } => {
                restore::restore(&config.databases()?, &from, force).await
            }
        }
    })
}

/// Says how PostgreSQL is backed up and restored; exit code 2.
fn use_tools_of_postgres(databases: &Databases) -> ExitCode {
    let url = &databases.chat;
    eprintln!(
        "the database is a PostgreSQL server; use its own tools (add user and password):\n\
         \n  pg_dump --format=custom --file=parlor.dump {url}\
         \n  pg_restore --clean --if-exists --single-transaction --dbname={url} parlor.dump\n\
         \npg_dump may run beside a server; stop all servers before pg_restore."
    );
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-4: a PostgreSQL server is backed up with its own tools; nothing is written here.
    #[tokio::test]
    async fn a_server_is_backed_up_with_its_own_tools() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("backup");
        let databases = Databases::at("postgres://parlor:secret@db/chat".parse().unwrap());
        let refused = format!("{:?}", ExitCode::from(2));
        let backed_up = backup::back_up(&databases, &to).await.unwrap();
        assert_eq!(format!("{backed_up:?}"), refused);
        let restored = restore::restore(&databases, &to, true).await.unwrap();
        assert_eq!(format!("{restored:?}"), refused);
        assert!(!to.exists());
    }
}
