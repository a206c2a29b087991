//! Masks JSON: every string and every key, with a list of what was changed.
//!
//! An approval card shows a tool's input masked and must not let a person edit a
//! masked part (S-5), hence the list of JSON pointers.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Sanitizer;

/// How deep a value may be: as deep as `serde_json` reads.
const DEPTH_LIMIT: usize = 128;

/// What stands for the part of a value that is too deep to be looked at.
const TOO_DEEP: &str = "[…]";

/// A masked value.
#[derive(Debug, Clone, PartialEq)]
pub struct Masked {
    /// The value with every string and key masked.
    pub value: Value,
    /// The JSON pointers (RFC 6901), in `value`, of the strings that were changed
    /// and of the members whose key was changed.
    pub masked: Vec<String>,
}

/// Masks a value.
pub(super) fn sanitize(sanitizer: &Sanitizer, value: &Value) -> Masked {
    let mut walk = Walk { sanitizer, pointer: String::new(), masked: Vec::new() };
    let value = walk.value(value, 0);
    Masked { value, masked: walk.masked }
}

struct Walk<'a> {
    sanitizer: &'a Sanitizer,
    /// Where we are in the masked value.
    pointer: String,
    masked: Vec<String>,
}

impl Walk<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::Array(_) | Value::Object(_) if depth >= DEPTH_LIMIT => {
                self.mark();
                Value::String(TOO_DEEP.to_owned())
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, item)| {
                    self.below(&index.to_string(), |walk| walk.value(item, depth + 1))
                });
                Value::Array(items.collect())
            }
            Value::Object(members) => self.object(members, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn string(&mut self, text: &str) -> Value {
        let masked = self.sanitizer.sanitize_cow(text);
        if masked != text {
            self.mark();
        }
        Value::String(masked.into_owned())
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) -> Value {
        let mut taken: HashSet<String> = HashSet::new();
        let keys: Vec<String> =
            members.keys().map(|key| self.sanitizer.sanitize_cow(key).into_owned()).collect();
        // Keys that stay keep their name, whichever comes first.
        let stays = |(key, masked): &(&String, &String)| key == masked;
        taken.extend(members.keys().zip(&keys).filter(stays).map(|(key, _)| key.clone()));
        let mut object = Map::new();
        for ((key, member), masked) in members.iter().zip(keys) {
            let renamed = *key != masked;
            let name = if renamed { free_name(masked, &mut taken) } else { masked };
            let member = self.below(&name, |walk| {
                if renamed {
                    walk.mark();
                }
                walk.value(member, depth + 1)
            });
            object.insert(name, member);
        }
        Value::Object(object)
    }

    /// Goes one step down and back.
    fn below(&mut self, token: &str, visit: impl FnOnce(&mut Self) -> Value) -> Value {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
        let value = visit(self);
        self.pointer.truncate(length);
        value
    }

    /// Lists the current place, once.
    fn mark(&mut self) {
        if self.masked.last() != Some(&self.pointer) {
            self.masked.push(self.pointer.clone());
        }
    }
}

/// Two keys may become the same; the later ones get a number.
fn free_name(name: String, taken: &mut HashSet<String>) -> String {
    let mut free = name.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}
