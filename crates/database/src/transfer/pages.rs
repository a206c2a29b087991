//! The rows of a table in pages by key, each of bounded size.
//!
//! A page is read in two steps, because a row may be a character or a picture of many
//! megabytes: first the keys and sizes of the next rows, then as many rows as fit.

use crate::connection::Snapshot;
use crate::fault::Fault;
use crate::query::{Query, query};
use crate::row::Row;
use crate::transfer::table::Table;
use crate::value::{Kind, Value};

/// How many rows a page has at most.
const MOST_ROWS: usize = 500;
/// How many bytes of text and pictures a page has at most, but for a single row that is larger.
const MOST_BYTES: i64 = 4 << 20;

/// Reads a table from its beginning.
#[derive(Debug)]
pub(super) struct Pages<'t> {
    table: &'t Table,
    /// The key of the last row that was read.
    after: Vec<Value>,
}

impl<'t> Pages<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Self { table, after: Vec::new() }
    }

    /// The next rows, with their columns in the order of the table; none at the end.
    pub(super) async fn next(&mut self, from: &mut Snapshot) -> Result<Vec<Vec<Value>>, Fault> {
        let Some(last) = self.end_of_page(from).await? else { return Ok(Vec::new()) };
        let read = self.range(&self.table.column_names(), Some(&last));
        let rows = read.fetch_all(from).await?;
        self.after = last;
        rows.iter().map(|row| values(row, self.table.columns())).collect()
    }

    /// The key of the last row of the next page.
    async fn end_of_page(&self, from: &mut Snapshot) -> Result<Option<Vec<Value>>, Fault> {
        let sizes: Vec<String> = self
            .table
            .columns()
            .filter(|(_, kind)| matches!(kind, Kind::Text | Kind::Bytes))
            .map(|(name, _)| format!("CAST(COALESCE(OCTET_LENGTH({name}), 0) AS BIGINT)"))
            .collect();
        let size =
            if sizes.is_empty() { "CAST(0 AS BIGINT)".to_owned() } else { sizes.join(" + ") };
        let columns = format!("{}, {size} AS size_of_row", self.table.key_names());
        let rows = self.range(&columns, None).fetch_all(from).await?;
        let (mut bytes, mut last) = (0, None);
        for row in &rows {
            bytes += row.try_get::<i64>("size_of_row")?;
            if bytes > MOST_BYTES && last.is_some() {
                break;
            }
            last = Some(row);
        }
        let key = self.table.key.iter().map(|name| (*name, self.kind_of(name)));
        last.map(|row| values(row, key)).transpose()
    }

    /// Columns of the rows after the last page, up to a key or the largest page.
    fn range(&self, columns: &str, up_to: Option<&[Value]>) -> Query {
        let (table, key) = (self.table.name, self.table.key_names());
        let width = self.table.key.len();
        let mut conditions = Vec::new();
        if !self.after.is_empty() {
            conditions.push(format!("({key}) > ({})", numbers(1, width)));
        }
        if up_to.is_some() {
            conditions.push(format!("({key}) <= ({})", numbers(self.after.len() + 1, width)));
        }
        let filter = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let sql = format!("SELECT {columns} FROM {table}{filter} ORDER BY {key} LIMIT {MOST_ROWS}");
        let bound = self.after.iter().chain(up_to.unwrap_or_default());
        bound.fold(query(sql), |query, value| query.bind(value.clone()))
    }

    fn kind_of(&self, column: &str) -> Kind {
        let mut columns = self.table.columns();
        columns.find(|(name, _)| *name == column).map_or(Kind::Text, |(_, kind)| kind)
    }
}

/// `$1, $2, …`
fn numbers(first: usize, count: usize) -> String {
    let numbers: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    numbers.join(", ")
}

fn values(
    row: &Row,
    columns: impl Iterator<Item = (&'static str, Kind)>,
) -> Result<Vec<Value>, Fault> {
    let value = |(name, kind)| {
        Ok(match kind {
            Kind::Text => Value::Text(row.try_get(name)?),
            Kind::Integer => Value::Integer(row.try_get(name)?),
            Kind::Boolean => Value::Boolean(row.try_get(name)?),
            Kind::Bytes => Value::Bytes(row.try_get(name)?),
        })
    };
    columns.map(value).collect()
}
