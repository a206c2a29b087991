//! Opening the database, and its schema.

use std::sync::LazyLock;

use parlor_database::{Connections, Database, Location, Migrations};

use super::RecipeStore;
use crate::error::RecipeError;

/// The migrations. A released file never changes: see [`Migrations`].
pub(super) static MIGRATIONS: LazyLock<Migrations> = LazyLock::new(|| {
    let sqlite = [(1, "recipes", include_str!("../../migrations/sqlite/0001_recipes.sql"))];
    let postgres = [(1, "recipes", include_str!("../../migrations/postgres/0001_recipes.sql"))];
    Migrations::new("recipes", sqlite, postgres)
});

/// Reads and writes are short, and there are few of them.
const CONNECTIONS: Connections = Connections { sqlite_readers: 2, postgres: 4 };

impl RecipeStore {
    /// Opens or creates the database and migrates it to this version's schema.
    pub async fn open(location: impl Into<Location>) -> Result<Self, RecipeError> {
        let database = Database::open(&location.into(), &MIGRATIONS, CONNECTIONS).await?;
        Ok(Self { database, known_tenants: Default::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::migrate::Migrator;

    use super::*;

    /// FAULTS 7: a database of every earlier version opens: what it remembers of its
    /// migrations (their SHA-384) is what this version has, and every file is embedded.
    #[tokio::test]
    async fn released_migrations_are_unchanged() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
        let files = Migrator::new(Path::new(folder)).await.unwrap();
        let facts = |migrations: &Migrator| -> Vec<_> {
            let hex =
                |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
            migrations
                .iter()
                .map(|m| (m.version, m.description.clone(), hex(&m.checksum)))
                .collect()
        };
        let embedded = facts(MIGRATIONS.sqlite());
        assert_eq!(embedded, facts(&files));
        assert_eq!(embedded.len(), 1);
        assert!(embedded[0].2.starts_with("d685678268a61b960d061d6a"), "{embedded:?}");
    }
}
