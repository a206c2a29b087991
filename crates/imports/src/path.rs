//! The branch of a tree of messages that a person saw last.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Messages by their ids, each with the id of the one before it.
pub(crate) type Tree<'v> = HashMap<&'v str, (&'v Value, Option<&'v str>)>;

/// A branch of a tree.
pub(crate) struct Branch<'v> {
    /// Its messages, oldest first.
    pub(crate) messages: Vec<&'v Value>,
    /// Their ids.
    pub(crate) ids: HashSet<&'v str>,
}

impl Branch<'_> {
    /// How many messages of the tree lie on other branches.
    pub(crate) fn others(&self, tree: &Tree<'_>) -> u32 {
        u32::try_from(tree.len() - self.messages.len()).unwrap_or(u32::MAX)
    }
}

/// The branch that ends with a message.
pub(crate) fn branch<'v>(tree: &Tree<'v>, last: &'v str) -> Branch<'v> {
    let (mut messages, mut ids) = (Vec::new(), HashSet::new());
    let mut next = Some(last);
    // A file may name messages in a circle.
    while let Some(id) = next
        && let Some((message, before)) = tree.get(id)
        && ids.insert(id)
    {
        messages.push(*message);
        next = *before;
    }
    messages.reverse();
    Branch { messages, ids }
}
