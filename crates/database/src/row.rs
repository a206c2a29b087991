//! The rows that statements return.

use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::fault::Fault;

/// One row of a result.
#[derive(Debug)]
pub struct Row(pub(crate) EngineRow);

#[derive(Debug)]
pub(crate) enum EngineRow {
    Sqlite(SqliteRow),
    Postgres(tokio_postgres::Row),
}

impl Row {
    /// The value of a column. Another type than the column has is an error.
    pub fn try_get<'r, T: Column<'r>>(&'r self, column: &str) -> Result<T, Fault> {
        match &self.0 {
            EngineRow::Sqlite(row) => Ok(T::from_sqlite(row, column)?),
            EngineRow::Postgres(row) => Ok(T::from_postgres(row, column)?),
        }
    }
}

/// A type that a column can be read into.
pub trait Column<'r>: Sized {
    #[doc(hidden)]
    fn from_sqlite(row: &'r SqliteRow, column: &str) -> Result<Self, sqlx::Error>;
    #[doc(hidden)]
    fn from_postgres(
        row: &'r tokio_postgres::Row,
        column: &str,
    ) -> Result<Self, tokio_postgres::Error>;
}

macro_rules! columns {
    ($($type:ty),*) => {$(
        impl<'r> Column<'r> for $type {
            fn from_sqlite(row: &'r SqliteRow, column: &str) -> Result<Self, sqlx::Error> {
                row.try_get(column)
            }

            fn from_postgres(
                row: &'r tokio_postgres::Row,
                column: &str,
            ) -> Result<Self, tokio_postgres::Error> {
                row.try_get(column)
            }
        }
    )*};
}

columns!(String, Option<String>, &'r str, Option<&'r str>, i64, Option<i64>, bool, Vec<u8>);
