//! Replaces what differs from run to run.
//!
//! - Ids are numbered in the order in which they appear; the conversation is the first.
//! - Times are counted from a fixed one, by the number of the event. Deadlines are far in the
//!   future.
//! - How text was split is arbitrary: all of it is split again after every twelve bytes, as the
//!   server might have done.

use serde_json::{Map, Value};

use crate::streams::Event;

const FIRST_TIME: u64 = 1_794_772_800_000;
const BETWEEN: u64 = 400;
/// In the year 2100.
const DEADLINE: u64 = 4_102_444_800_000;
const PIECE: usize = 12;

/// One event per line, as JSON.
pub(super) fn lines(events: &[Event]) -> String {
    let mut text = String::new();
    for (number, event) in (1..).zip(cut(&merge(events))) {
        let mut data = event.data;
        set_times(&mut data, FIRST_TIME + number * BETWEEN);
        let line = Map::from_iter([
            ("id".to_owned(), Value::String(event.id)),
            ("event".to_owned(), Value::String(event.name)),
            ("data".to_owned(), data),
        ]);
        text.push_str(&Value::Object(line).to_string());
        text.push('\n');
    }
    number_ids(&text)
}

fn is_text(event: &Event) -> bool {
    matches!(event.name.as_str(), "chunk" | "thinking")
}

fn text_of(event: &Event) -> &str {
    event.data["text"].as_str().unwrap()
}

/// Joins consecutive pieces of one text.
fn merge(events: &[Event]) -> Vec<Event> {
    let mut merged: Vec<Event> = Vec::new();
    for event in events {
        match merged.last_mut() {
            Some(last)
                if is_text(event)
                    && last.name == event.name
                    && last.data["message_id"] == event.data["message_id"] =>
            {
                last.data["text"] = Value::String(text_of(last).to_owned() + text_of(event));
                last.id.clone_from(&event.id);
            }
            _ => merged.push(event.clone()),
        }
    }
    merged
}

/// Splits texts into pieces of the same size, each with its own event id.
fn cut(events: &[Event]) -> Vec<Event> {
    events
        .iter()
        .flat_map(|event| if is_text(event) { pieces(event) } else { vec![event.clone()] })
        .collect()
}

fn pieces(event: &Event) -> Vec<Event> {
    let (seq, end) = event.id.split_once('.').unwrap();
    let text = text_of(event);
    let first: usize = end.parse::<usize>().unwrap() - text.len();
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let mut to = (from + PIECE).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        let mut piece = event.clone();
        piece.id = format!("{seq}.{}", first + to);
        piece.data["text"] = Value::String(text[from..to].to_owned());
        pieces.push(piece);
        from = to;
    }
    pieces
}

fn set_times(value: &mut Value, now: u64) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "created_at" | "updated_at" | "at" if value.is_number() => *value = now.into(),
                    "expires_at" if value.is_number() => *value = DEADLINE.into(),
                    _ => set_times(value, now),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| set_times(item, now)),
        _ => {}
    }
}

/// The same text with numbered ids, which are still valid ids.
fn number_ids(text: &str) -> String {
    const LENGTH: usize = 36;
    let mut known: Vec<&str> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let Some(id) = rest.get(..LENGTH).filter(|id| uuid::Uuid::try_parse(id).is_ok()) else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        let number = known.iter().position(|other| *other == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        });
        out.push_str(&format!("0198c5a2-7b1e-7cc0-8000-{:012}", number + 1));
        rest = &rest[LENGTH..];
    }
    out
}
