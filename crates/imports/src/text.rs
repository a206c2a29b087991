//! Fields of JSON that nobody promised: read if they are there.

use chrono::DateTime;
use serde_json::Value;

use crate::left_out::LeftOut;
use crate::{LONGEST_TEXT, Message, Speaker};

/// A text of an object.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// A list of an object; empty if there is none.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// How many entries a list of an object has.
pub(crate) fn count(value: &Value, name: &str) -> u32 {
    u32::try_from(list(value, name).len()).unwrap_or(u32::MAX)
}

/// A time in milliseconds since 1970: from a text of ISO 8601, or a number of seconds, or of
/// milliseconds if it is too large for those.
pub(crate) fn time(value: &Value, name: &str) -> Option<i64> {
    const LARGEST_SECONDS: f64 = 100_000_000_000.0;
    match value.get(name)? {
        Value::String(text) => {
            DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number > 0.0)?;
            let ms = if number < LARGEST_SECONDS { number * 1000.0 } else { number };
            #[allow(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
            Some(ms as i64)
        }
        _ => None,
    }
}

/// A message; `None` if it is blank. One that is too long is cut.
pub(crate) fn message(
    speaker: Speaker,
    text: &str,
    at: Option<i64>,
    left_out: &mut LeftOut,
) -> Option<Message> {
    let text = text.trim();
    if text.len() > LONGEST_TEXT {
        left_out.cut += 1;
    }
    // NUL is no text for a database.
    let text = text[..text.floor_char_boundary(LONGEST_TEXT)].replace('\0', "");
    (!text.trim().is_empty()).then_some(Message { speaker, text, at })
}
