//! How much of an ingredient: a number if it is one, else a text.
//!
//! On the wire a quantity is a JSON number or a JSON string. A number can be
//! multiplied when there are more guests; a string ("1/2", "2-3", "a pinch") is
//! shown as it was written. Models write numbers as strings too, so a string that
//! is a plain decimal becomes the number that was meant.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

/// How much.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// A number.
    Number(f64),
    /// A text, such as a fraction.
    Text(String),
}

impl Quantity {
    /// A text that is a plain decimal as the number that it is. Numbers have four
    /// places, which is exact enough for a kitchen and round-trips through JSON.
    pub(crate) fn recognised(self) -> Self {
        match self {
            Self::Text(text) => {
                decimal(&text).map_or(Self::Text(text), |number| Self::Number(rounded(number)))
            }
            Self::Number(number) => Self::Number(rounded(number)),
        }
    }
}

/// `2`, `0.5` and `1,5`, with a sign if there is one. A comma before three digits
/// is ambiguous (it may separate thousands), so that stays a text.
fn decimal(text: &str) -> Option<f64> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = match bare.split_once(['.', ',']) {
        None => digits(bare),
        Some((whole, part)) => {
            let sure = bare.contains('.') || part.len() < 3;
            digits(whole) && digits(part) && sure
        }
    };
    if plain { text.replace(',', ".").parse().ok() } else { None }
}

fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl Serialize for Quantity {
    /// Whole numbers are written without a point.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = (1_u64 << 53) as f64;
        match self {
            Self::Number(number) if number.fract() == 0.0 && number.abs() < EXACT =>
            {
                #[allow(clippy::cast_possible_truncation, reason = "it is whole and small")]
                serializer.serialize_i64(*number as i64)
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a text such as \"1/2\"")
    }

    #[allow(clippy::cast_precision_loss, reason = "what is too large for it is refused later")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "what is too large for it is refused later")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        Ok(Quantity::Text(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn recognised(value: Value) -> Value {
        let quantity: Quantity = serde_json::from_value(value).unwrap();
        serde_json::to_value(quantity.recognised()).unwrap()
    }

    /// what was meant is kept, and numbers are distinguished from texts.
    #[test]
    fn numbers_are_numbers_and_the_rest_is_kept() {
        for (given, kept) in [
            (json!(2), json!(2)),
            (json!(2.0), json!(2)),
            (json!(0.5), json!(0.5)),
            (json!(1.0 / 3.0), json!(0.3333)),
            (json!("2"), json!(2)),
            (json!("0.50"), json!(0.5)),
            (json!("1,5"), json!(1.5)),
            (json!("1.000"), json!(1)),
            (json!("-1"), json!(-1)),
        ] {
            assert_eq!(recognised(given.clone()), kept, "{given}");
        }
        for text in [
            "1/2", "1 1/2", "½", "2-3", "2–3", "a pinch", "1,000", "1.", ".5", "1e3", "inf", "NaN",
            "1.2.3", "1,2,3", "", "٣",
        ] {
            assert_eq!(recognised(json!(text)), json!(text));
        }
        for other in [json!(null), json!(true), json!([1]), json!({"value": 1})] {
            let error = serde_json::from_value::<Quantity>(other).unwrap_err().to_string();
            assert!(error.contains("a number, or a text such as \"1/2\""), "{error}");
        }
    }
}
