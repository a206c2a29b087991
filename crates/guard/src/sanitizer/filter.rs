//! The filter before the automaton.
//!
//! A position is worth a run only if the four bytes that begin there can be the
//! first four of a match. Four tables answer that: each says for a byte in which
//! of 32 buckets it may stand at that place, and the position is a candidate when
//! one bucket is left in all four. The bucket is the first byte without its case
//! bits, so that one bucket holds the rules that begin with one letter.
//!
//! The tables are derived from the automaton's states and not from the patterns' text, so that a
//! project's own rules are filtered like the built-in ones.

use std::collections::HashSet;

use super::{
    outlook::{NO_MATCH, Outlook},
    table::Table,
};

/// How many bytes the filter looks at.
const DEPTH: usize = 4;

/// The four tables.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    tables: Box<[[u32; 256]; DEPTH]>,
}

impl Filter {
    /// Derives the filter from the first steps of the table.
    pub(super) fn new(table: &Table) -> Self {
        // Lets nothing through, to begin with.
        let mut filter = Self { tables: Box::new([[0; 256]; DEPTH]) };
        let starts: HashSet<u16> = (0..=255).map(|before| table.start(before)).collect();
        let mut walked = HashSet::new();
        for start in starts {
            for first in 0..=255 {
                let state = table.step(start, first);
                if table.facts(state).outlook != Outlook::Nothing {
                    let bucket = 1 << (first & 31);
                    filter.tables[0][usize::from(first)] |= bucket;
                    filter.walk(table, state, 1, bucket, &mut walked);
                }
            }
        }
        filter
    }

    /// The first position at or after `from` that can begin a match. Bytes after
    /// the end of the text are unknown and pass.
    #[inline]
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second, third, fourth] = &*self.tables;
        let rest = text.get(from..)?;
        let found = rest.windows(DEPTH).position(|bytes| {
            let early = first[usize::from(bytes[0])] & second[usize::from(bytes[1])];
            early & third[usize::from(bytes[2])] & fourth[usize::from(bytes[3])] != 0
        });
        if let Some(offset) = found {
            return Some(from + offset);
        }
        let tail = text.len().saturating_sub(DEPTH - 1).max(from);
        (tail..text.len()).find(|&position| self.passes_short(&text[position..]))
    }

    fn passes_short(&self, bytes: &[u8]) -> bool {
        let tables = self.tables.iter().zip(bytes);
        tables.fold(u32::MAX, |mask, (table, &byte)| mask & table[usize::from(byte)]) != 0
    }

    /// Marks what can stand at `depth` and after it, from `state` on.
    fn walk(
        &mut self,
        table: &Table,
        state: u16,
        depth: usize,
        bucket: u32,
        walked: &mut HashSet<(u16, usize, u32)>,
    ) {
        if depth == DEPTH || !walked.insert((state, depth, bucket)) {
            return;
        }
        for byte in 0..=255 {
            let follower = table.step(state, byte);
            let facts = table.facts(follower);
            // A match that has ended says nothing about the bytes after it.
            let ended = facts.matched != NO_MATCH;
            if ended || facts.outlook != Outlook::Nothing {
                self.tables[depth][usize::from(byte)] |= bucket;
            }
            if ended {
                let later = self.tables.iter_mut().skip(depth + 1).flatten();
                later.for_each(|mask| *mask |= bucket);
            } else if facts.outlook != Outlook::Nothing {
                self.walk(table, follower, depth + 1, bucket, walked);
            }
        }
    }
}
