//! Opening the database.

use std::path::Path;

use parlor_sqlite::Database;
use sqlx::migrate::Migrator;

use super::RecipeStore;
use crate::error::RecipeError;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Reads are short, and there are few readers.
const READERS: u32 = 2;

impl RecipeStore {
    /// Opens or creates the database and brings it to this version's schema.
    pub async fn open(path: &Path) -> Result<Self, RecipeError> {
        let database = Database::open(path, &MIGRATIONS, READERS).await?;
        Ok(Self { database, welcomed: Default::default() })
    }
}
