//! Which databases a configuration or a URL names.

use std::path::PathBuf;

use clap::Args;
use parlor_database::Location;
use parlor_database::transfer::Component;

use crate::config::{Config, RECIPES, Sources};

/// The arguments for the configuration.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// The configuration; `parlor.toml` if there is one here.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The directory of the database.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl ConfigArguments {
    /// The databases of the configuration.
    pub(super) fn databases(self) -> anyhow::Result<Databases> {
        let config = Config::load(&Sources {
            file: self.config,
            data_dir: self.data_dir,
            environment: Sources::process_environment(),
            ..Sources::default()
        })?;
        let (storage, data_dir) = (config.storage, config.server.data_dir);
        Ok(Databases { chat: storage.chat(&data_dir), recipes: storage.recipes(&data_dir) })
    }
}

/// Where chats and recipes are: in two files of one directory, or on one server.
#[derive(Debug)]
pub(super) struct Databases {
    pub(super) chat: Location,
    pub(super) recipes: Location,
}

impl Databases {
    /// The databases of the one that a URL names.
    pub(super) fn at(chat: Location) -> Self {
        let recipes = match &chat {
            Location::File(path) => Location::File(path.with_file_name(RECIPES)),
            server @ Location::Server(_) => server.clone(),
        };
        Self { chat, recipes }
    }

    /// Each with its name and its tables. Servers open the first one first.
    pub(super) fn each(&self) -> [(&'static str, &Location, Component); 2] {
        [
            ("chat", &self.chat, parlor_storage::component()),
            ("recipes", &self.recipes, parlor_recipes::component()),
        ]
    }
}
