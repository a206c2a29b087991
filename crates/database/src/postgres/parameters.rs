//! Values as PostgreSQL takes them: one by one, or a column of many rows as an array.

use std::borrow::Cow;
use std::error::Error;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

use crate::value::{Value, replace_nul};

/// A parameter of a statement.
#[derive(Debug)]
pub(super) enum Parameter {
    One(Value),
    Texts(Vec<Option<String>>),
    Integers(Vec<Option<i64>>),
    Booleans(Vec<bool>),
    Bytes(Vec<Vec<u8>>),
}

impl Parameter {
    pub(super) fn one(value: Value) -> Self {
        Self::One(match value {
            Value::Text(text) => Value::Text(text.map(without_nul)),
            value => value,
        })
    }

    /// The values of a column of several rows. The first one gives the type.
    pub(super) fn column(values: Vec<Value>) -> Self {
        match values.first() {
            Some(Value::Integer(_)) => Self::Integers(each(values, |value| match value {
                Value::Integer(number) => Some(number),
                _ => None,
            })),
            Some(Value::Boolean(_)) => Self::Booleans(each(values, |value| match value {
                Value::Boolean(value) => Some(value),
                _ => None,
            })),
            Some(Value::Bytes(_)) => Self::Bytes(each(values, |value| match value {
                Value::Bytes(bytes) => Some(bytes),
                _ => None,
            })),
            _ => Self::Texts(each(values, |value| match value {
                Value::Text(text) => Some(text.map(without_nul)),
                _ => None,
            })),
        }
    }

    pub(super) fn type_of(&self) -> Type {
        match self {
            Self::One(Value::Text(_)) => Type::TEXT,
            Self::One(Value::Integer(_)) => Type::INT8,
            Self::One(Value::Boolean(_)) => Type::BOOL,
            Self::One(Value::Bytes(_)) => Type::BYTEA,
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::Integers(_) => Type::INT8_ARRAY,
            Self::Booleans(_) => Type::BOOL_ARRAY,
            Self::Bytes(_) => Type::BYTEA_ARRAY,
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::One(Value::Text(text)) => text.to_sql(ty, out),
            Self::One(Value::Integer(number)) => number.to_sql(ty, out),
            Self::One(Value::Boolean(value)) => value.to_sql(ty, out),
            Self::One(Value::Bytes(bytes)) => bytes.to_sql(ty, out),
            Self::Texts(texts) => texts.to_sql(ty, out),
            Self::Integers(numbers) => numbers.to_sql(ty, out),
            Self::Booleans(values) => values.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    /// Statements are prepared with exactly these types.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    tokio_postgres::types::to_sql_checked!();
}

/// A row that binds another type than the first one would shift all rows after it; its
/// value would be missing, and PostgreSQL refuses columns of different lengths.
fn each<T>(values: Vec<Value>, take: impl Fn(Value) -> Option<T>) -> Vec<T> {
    values.into_iter().filter_map(take).collect()
}

/// As PostgreSQL can store it.
fn without_nul(text: String) -> String {
    match replace_nul(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    }
}
