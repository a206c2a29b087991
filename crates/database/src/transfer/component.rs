//! The tables of a component, and what must hold in them.

use crate::database::Database;
use crate::fault::Fault;
use crate::inspect::SchemaColumn;
use crate::migrations::Migrations;
use crate::purpose::UNFINISHED_COPY;
use crate::query::query;
use crate::transfer::table::Table;
use crate::value::Kind;

/// Tables that belong to a database itself, not to what is stored in it.
const OWN: &[&str] = &["_sqlx_migrations", "schema_migrations", UNFINISHED_COPY];

/// The tables that one crate keeps in a database.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// How its schema is made.
    pub migrations: &'static Migrations,
    /// Its tables. A crate tests that they are those of its schema.
    pub tables: &'static [Table],
    /// Tables (`table`) and columns (`table.column`) that are not copied, and why.
    pub not_copied: &'static [(&'static str, &'static str)],
    /// What must hold in its tables.
    pub rules: &'static [Rule],
}

/// Something that must hold.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// What must hold.
    pub rule: &'static str,
    /// A condition, as the end of a statement: what follows `SELECT COUNT(*)` and counts the
    /// rows that break it.
    pub broken: &'static str,
}

impl Component {
    /// The version of the schema that this binary knows.
    pub fn version(&self) -> i64 {
        self.migrations.newest()
    }

    /// What the schema of a database lacks of the tables.
    pub fn missing(&self, schema: &[SchemaColumn]) -> Vec<String> {
        let mut missing = Vec::new();
        for table in self.tables {
            for (name, kind) in table.columns() {
                let found = schema.iter().find(|c| c.table == table.name && c.name == name);
                if !found.is_some_and(|column| is_as_listed(column, table, kind)) {
                    missing.push(format!("{}.{name}", table.name));
                }
            }
        }
        missing
    }

    /// What the schema of a database has beyond the tables and the exceptions.
    pub fn unlisted(&self, schema: &[SchemaColumn]) -> Vec<String> {
        let is_listed = |column: &SchemaColumn| {
            let mut tables = self.tables.iter().filter(|table| table.name == column.table);
            tables.any(|table| table.columns().any(|(name, _)| name == column.name))
        };
        let names = schema
            .iter()
            .filter(|column| !OWN.contains(&column.table.as_str()) && !is_listed(column))
            .map(|column| (column.table.as_str(), format!("{}.{}", column.table, column.name)));
        let excepted = |table: &str, column: &str| {
            self.not_copied.iter().any(|(n, _)| *n == table || *n == column)
        };
        names.filter(|(table, name)| !excepted(table, name)).map(|(_, name)| name).collect()
    }

    /// The rules that are broken, and how often.
    pub async fn broken_rules(&self, database: &Database) -> Result<Vec<String>, Fault> {
        let mut broken = Vec::new();
        for Rule { rule, broken: condition } in self.rules {
            let count = query(format!("SELECT COUNT(*) AS broken {condition}"));
            let count: i64 = count.fetch_one(database).await?.try_get("broken")?;
            if count > 0 {
                broken.push(format!("{rule}: broken {count} times"));
            }
        }
        Ok(broken)
    }
}

/// Whether a column is what the list says. Texts and numbers may be NULL, others not.
fn is_as_listed(column: &SchemaColumn, table: &Table, kind: Kind) -> bool {
    let may_be_null = matches!(kind, Kind::Text | Kind::Integer);
    column.kind == Some(kind)
        && column.in_key == table.key.contains(&column.name.as_str())
        && (may_be_null || !column.nullable)
}
