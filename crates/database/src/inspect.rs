//! What an administrator asks about a database: engine, schema, damage.

use crate::database::{Database, Engine};
use crate::fault::Fault;
use crate::migrations::Migrations;
use crate::purpose::UNFINISHED_COPY;
use crate::query::query;
use crate::row::Row;
use crate::value::Kind;
use crate::{postgres, sqlite};

/// A column that the database really has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaColumn {
    /// Its table.
    pub table: String,
    /// Its name.
    pub name: String,
    /// What it holds; `None` if that is a type that Parlor does not use.
    pub kind: Option<Kind>,
    /// Whether it can be NULL.
    pub nullable: bool,
    /// Whether it is part of the primary key.
    pub in_key: bool,
}

impl Database {
    /// The engine and its version.
    pub async fn engine(&self) -> Result<String, Fault> {
        let (name, sql) = match &self.0 {
            Engine::Sqlite(_) => ("SQLite", sqlite::VERSION),
            Engine::Postgres(_) => ("PostgreSQL", postgres::VERSION),
        };
        let row = query(sql).fetch_one(self).await?;
        Ok(format!("{name} {}", row.try_get::<String>("version")?))
    }

    /// The newest migration of a component that it has; `None` if it has none. Migrations
    /// that are not those of the component are an error: it holds something else.
    pub async fn schema_version(&self, migrations: &Migrations) -> Result<Option<i64>, Fault> {
        let (table, applied, known) = match &self.0 {
            Engine::Sqlite(_) => {
                ("_sqlx_migrations", query(sqlite::APPLIED), migrations.checksums_of_sqlite())
            }
            Engine::Postgres(_) => {
                let applied = query(postgres::APPLIED).bind(migrations.component);
                ("schema_migrations", applied, migrations.checksums_of_postgres())
            }
        };
        if !self.has_table(table).await? {
            return Ok(None);
        }
        let mut newest = None;
        for row in applied.fetch_all(self).await? {
            let (version, checksum): (i64, String) =
                (row.try_get("version")?, row.try_get("checksum")?);
            if known.get(&version).is_some_and(|known| *known != checksum) {
                let component = migrations.component;
                return Err(Fault::other(format!("it does not hold the tables of {component}")));
            }
            newest = newest.max(Some(version));
        }
        Ok(newest)
    }

    /// All columns of all tables, by table.
    pub async fn schema(&self) -> Result<Vec<SchemaColumn>, Fault> {
        let sql = match &self.0 {
            Engine::Sqlite(_) => sqlite::COLUMNS,
            Engine::Postgres(_) => postgres::COLUMNS,
        };
        query(sql).fetch_all(self).await?.iter().map(schema_column).collect()
    }

    /// Where the rows come from if a copy into it was not finished.
    pub async fn unfinished_copy(&self) -> Result<Option<String>, Fault> {
        if !self.has_table(UNFINISHED_COPY).await? {
            return Ok(None);
        }
        let select = query(format!("SELECT source FROM {UNFINISHED_COPY}"));
        let row = select.fetch_optional(self).await?;
        row.map(|row| row.try_get("source")).transpose()
    }

    /// What the engine itself finds damaged. PostgreSQL has no such check for clients.
    pub async fn damage(&self) -> Result<Vec<String>, Fault> {
        match &self.0 {
            Engine::Sqlite(file) => file.damage().await,
            Engine::Postgres(_) => Ok(Vec::new()),
        }
    }

    async fn has_table(&self, table: &str) -> Result<bool, Fault> {
        let sql = match &self.0 {
            Engine::Sqlite(_) => sqlite::HAS_TABLE,
            Engine::Postgres(_) => postgres::HAS_TABLE,
        };
        query(sql).bind(table).fetch_one(self).await?.try_get("found")
    }
}

fn schema_column(row: &Row) -> Result<SchemaColumn, Fault> {
    let kind = match row.try_get::<&str>("type_name")?.to_ascii_uppercase().as_str() {
        "TEXT" => Some(Kind::Text),
        "BIGINT" => Some(Kind::Integer),
        "BOOLEAN" => Some(Kind::Boolean),
        "BLOB" | "BYTEA" => Some(Kind::Bytes),
        _ => None,
    };
    Ok(SchemaColumn {
        table: row.try_get("table_name")?,
        name: row.try_get("column_name")?,
        kind,
        nullable: row.try_get("nullable")?,
        in_key: row.try_get("in_key")?,
    })
}
