//! The description of a table.

use crate::value::Kind;

/// A table: its primary key, and its columns by what they hold.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The columns of its primary key.
    pub key: &'static [&'static str],
    texts: &'static [&'static str],
    integers: &'static [&'static str],
    booleans: &'static [&'static str],
    bytes: &'static [&'static str],
}

impl Table {
    /// A table without columns.
    pub const fn new(name: &'static str, key: &'static [&'static str]) -> Self {
        Self { name, key, texts: &[], integers: &[], booleans: &[], bytes: &[] }
    }

    /// Its columns of type `TEXT`.
    #[must_use]
    pub const fn texts(mut self, columns: &'static [&'static str]) -> Self {
        self.texts = columns;
        self
    }

    /// Its columns of type `BIGINT`.
    #[must_use]
    pub const fn integers(mut self, columns: &'static [&'static str]) -> Self {
        self.integers = columns;
        self
    }

    /// Its columns of type `BOOLEAN`, which are never NULL.
    #[must_use]
    pub const fn booleans(mut self, columns: &'static [&'static str]) -> Self {
        self.booleans = columns;
        self
    }

    /// Its columns of type `BLOB` or `BYTEA`, which are never NULL.
    #[must_use]
    pub const fn bytes(mut self, columns: &'static [&'static str]) -> Self {
        self.bytes = columns;
        self
    }

    /// All its columns.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Kind)> + use<> {
        let of = |columns: &'static [&'static str], kind| columns.iter().map(move |c| (*c, kind));
        of(self.texts, Kind::Text)
            .chain(of(self.integers, Kind::Integer))
            .chain(of(self.booleans, Kind::Boolean))
            .chain(of(self.bytes, Kind::Bytes))
    }

    /// The names of all its columns, for a statement.
    pub(super) fn column_names(&self) -> String {
        self.columns().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    }

    /// The names of the columns of its key, for a statement.
    pub(super) fn key_names(&self) -> String {
        self.key.join(", ")
    }
}
