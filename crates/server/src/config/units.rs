//! Durations and sizes as people write them: `"15s"`, `"7d"`, `"10MB"`.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A duration: a number with `ms`, `s`, `m`, `h` or `d`; a bare number is seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(pub(super) Duration);

/// A size: a number of bytes, or a number with `KB` or `MB` (1024 of the smaller).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) usize);

const SPAN_FORM: &str = "a time such as \"500ms\", \"15s\", \"10m\", \"12h\" or \"7d\"";
const BYTES_FORM: &str = "a size such as \"512KB\" or \"10MB\"";

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Text { form: SPAN_FORM, parse: span }).map(Self)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Text { form: BYTES_FORM, parse: bytes }).map(Self)
    }
}

/// Parses a string; the error says which form it should have.
struct Text<T> {
    form: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.form)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

fn span(text: &str) -> Option<Duration> {
    let (number, unit) = number_and_unit(text)?;
    let milliseconds = match unit {
        "ms" => 1,
        // Scripts write bare seconds.
        "s" | "" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "B" => 1,
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        _ => return None,
    };
    usize::try_from(number.checked_mul(factor)?).ok()
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(span("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(span("2"), Some(Duration::from_secs(2)));
        assert_eq!(span("7d"), Some(Duration::from_secs(7 * 86_400)));
        assert_eq!(bytes("10MB"), Some(10 << 20));
        assert_eq!(bytes("10 MB"), Some(10 << 20));
        for bad in ["", "d", "-1s", "1.5h", "1w", "99999999999999999999s"] {
            assert_eq!(span(bad), None, "{bad:?}");
        }
        for bad in ["", "10", "MB", "10mb", "18446744073709551615MB"] {
            assert_eq!(bytes(bad), None, "{bad:?}");
        }
    }
}
