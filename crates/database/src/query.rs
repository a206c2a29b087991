//! One statement.

use std::borrow::Cow;

use crate::value::Value;

/// A statement whose values are bound one after the other, from `$1` on. The text is
/// the same for both engines.
pub fn query(sql: impl Into<Cow<'static, str>>) -> Query {
    Query { sql: sql.into(), values: Vec::new() }
}

/// A statement with its values.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<Value>,
}

impl Query {
    /// Binds the next value.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }
}
