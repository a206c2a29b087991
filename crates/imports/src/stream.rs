//! The conversations of a JSON file, one after the other: a list of them, or a single one.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

use crate::ImportError;

/// Hands over each conversation of a file.
pub(crate) fn each_conversation(
    json: &[u8],
    mut take: impl FnMut(Value),
) -> Result<(), ImportError> {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut deserializer = Deserializer::from_slice(json);
    let read = deserializer.deserialize_any(Conversations(&mut take));
    read.and_then(|()| deserializer.end()).map_err(refused)
}

struct Conversations<'f>(&'f mut dyn FnMut(Value));

impl<'de> Visitor<'de> for Conversations<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a conversation, or a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(conversation) = list.next_element()? {
            (self.0)(conversation);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut conversation = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            // A file of several conversations below a name.
            if name == "conversations" {
                fields.next_value_seed(List(&mut *self.0))?;
            } else {
                conversation.insert(name, fields.next_value()?);
            }
        }
        if !conversation.is_empty() {
            (self.0)(Value::Object(conversation));
        }
        Ok(())
    }
}

/// A list of conversations below a name.
struct List<'f>(&'f mut dyn FnMut(Value));

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(Conversations(self.0))
    }
}

fn refused(error: serde_json::Error) -> ImportError {
    let text = error.to_string();
    if text.starts_with("recursion limit") {
        return ImportError::TooDeep;
    }
    match error.classify() {
        serde_json::error::Category::Data => ImportError::Unknown,
        // Text that is no JSON at all is another file; JSON that ends early is a damaged one.
        serde_json::error::Category::Syntax if error.line() == 1 && error.column() <= 1 => {
            ImportError::Unknown
        }
        _ => ImportError::Damaged(text),
    }
}
