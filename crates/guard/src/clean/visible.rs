//! What cannot be seen as it is, made visible.
//!
//! An approval shows what runs. A direction mark can make a file name read
//! backwards, a zero-width letter can hide in a word: so in what a person
//! approves such characters are written out (`‹U+202E›`), and the place is
//! listed as masked, for the words there are not the bytes that run. The same goes
//! for integers that a browser would round: they are shown as their digits.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The value with nothing invisible in it, and pointers to what was changed.
/// An object with an invisible character in a key is listed as a whole.
pub(super) fn reveal(value: Value) -> (Value, Vec<String>) {
    let (mut value, mut changed) = rewrite(value, reveal_text);
    write_digits(&mut value, &mut String::new(), &mut changed);
    (value, changed)
}

/// The text with nothing invisible in it.
pub(super) fn reveal_text(text: &str) -> Option<String> {
    text.chars().any(is_hidden).then(|| {
        let mut visible = String::with_capacity(text.len() + 8);
        for c in text.chars() {
            if is_hidden(c) {
                push_written_out(c, &mut visible);
            } else {
                visible.push(c);
            }
        }
        visible
    })
}

/// Writes a character as its number.
pub(super) fn push_written_out(c: char, to: &mut String) {
    // Writing into a string cannot fail.
    let _ = write!(to, "‹U+{:04X}›", u32::from(c));
}

/// The value with every text and key as `change` makes it, and pointers to what it
/// changed.
pub(super) fn rewrite(value: Value, change: Change) -> (Value, Vec<String>) {
    let mut changed = Vec::new();
    let value = walk(value, change, &mut String::new(), &mut changed);
    (value, changed)
}

/// Another text in place of this one; nothing if it stays.
pub(super) type Change = fn(&str) -> Option<String>;

// Recursion is bounded: JSON that came through a parser is at most 128 deep.
fn walk(value: Value, change: Change, pointer: &mut String, changed: &mut Vec<String>) -> Value {
    match value {
        Value::String(text) => match change(&text) {
            Some(visible) => {
                changed.push(pointer.clone());
                Value::String(visible)
            }
            None => Value::String(text),
        },
        Value::Array(items) => {
            let each = items.into_iter().enumerate();
            let each = each.map(|(i, v)| inside(v, &i.to_string(), change, pointer, changed));
            Value::Array(each.collect())
        }
        Value::Object(fields) => object(fields, change, pointer, changed),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
    }
}

/// Whether a browser, to which every number is a 64-bit float, could read another
/// integer.
fn is_rounded(number: &Number) -> bool {
    const MOST: u64 = (1 << 53) - 1;
    let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    magnitude.is_some_and(|magnitude| magnitude > MOST)
}

/// Writes out the integers that a browser would round.
fn write_digits(value: &mut Value, pointer: &mut String, changed: &mut Vec<String>) {
    let mut inside = |step: &str, value: &mut Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(step);
        write_digits(value, pointer, changed);
        pointer.truncate(length);
    };
    match value {
        Value::Number(number) if is_rounded(number) => {
            let digits = number.to_string();
            *value = Value::String(digits);
            changed.push(pointer.clone());
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(at, item)| inside(&at.to_string(), item));
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                inside(&name.replace('~', "~0").replace('/', "~1"), field);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn object(
    fields: Map<String, Value>,
    change: Change,
    pointer: &mut String,
    changed: &mut Vec<String>,
) -> Value {
    if fields.keys().any(|key| change(key).is_some()) {
        changed.push(pointer.clone());
    }
    let shown = fields.into_iter().map(|(key, value)| {
        let step = key.replace('~', "~0").replace('/', "~1");
        let value = inside(value, &step, change, pointer, changed);
        (change(&key).unwrap_or(key), value)
    });
    Value::Object(shown.collect())
}

fn inside(
    value: Value,
    step: &str,
    change: Change,
    pointer: &mut String,
    changed: &mut Vec<String>,
) -> Value {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(step);
    let value = walk(value, change, pointer, changed);
    pointer.truncate(length);
    value
}

/// Direction marks, zero-width characters, tags, and controls other than the
/// ends of lines and tabs.
pub(super) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}'
        | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' => true,
        '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// P-5 and the approvals: what is shown is what runs; what cannot be seen is written out.
    #[test]
    fn nothing_invisible_is_left_and_the_places_are_listed() {
        let input = json!({
            "path": "report\u{202E}fdp.exe", "plain": "feijão 🍲\n", "n": 1,
            "list": ["a\u{200B}b", {"x/y": "\u{0}"}], "k\u{2066}ey": true,
        });
        let (shown, changed) = reveal(input);
        assert_eq!(
            shown,
            json!({
                "path": "report‹U+202E›fdp.exe", "plain": "feijão 🍲\n", "n": 1,
                "list": ["a‹U+200B›b", {"x/y": "‹U+0000›"}], "k‹U+2066›ey": true,
            })
        );
        let mut sorted = changed;
        sorted.sort();
        assert_eq!(sorted, ["", "/list/0", "/list/1/x~1y", "/path"]);
    }

    /// S-5: an approval shows the exact number, also in a browser.
    #[test]
    fn integers_that_a_browser_would_round_are_shown_as_their_digits() {
        let input = json!({"safe": 9_007_199_254_740_991_u64, "large": [18_446_744_073_709_551_615_u64],
            "low": -9_007_199_254_740_993_i64, "float": 1e300});
        let (shown, changed) = reveal(input);
        assert_eq!(
            shown,
            json!({"safe": 9_007_199_254_740_991_u64, "large": ["18446744073709551615"],
                "low": "-9007199254740993", "float": 1e300})
        );
        assert_eq!(changed, ["/large/0", "/low"]);
    }
}
