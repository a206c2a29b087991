//! What is sent at once: a line with the version and the sender, then one line for each
//! hint.
//!
//! A payload without lines is a beat. A new kind of line needs no new version, because
//! nodes skip lines that they do not know; another version is for a form that older nodes
//! must not read at all. They ignore its payloads.

use std::fmt::{self, Write as _};

use crate::hint::Hint;
use crate::peer::Peer;

/// `NOTIFY` takes less than 8,000 bytes.
pub(crate) const LONGEST: usize = 7_900;

const VERSION: &str = "1";
const MISSED: &str = "M";

/// One line of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    Hint(Hint),
    /// The sender could not keep all of its hints: reread everything live.
    Missed,
}

/// The payload of as many of the first lines as fit, and their number: at least one, if
/// there is one.
pub(crate) fn encode(from: Peer, lines: &[Line]) -> (String, usize) {
    let mut payload = header(from);
    for (number, line) in lines.iter().enumerate() {
        let before = payload.len();
        // Writing to a String does not fail.
        let _written = write!(payload, "\n{line}");
        if payload.len() > LONGEST && number > 0 {
            payload.truncate(before);
            return (payload, number);
        }
    }
    (payload, lines.len())
}

/// The sender and the known lines of a payload.
pub(crate) fn parse(payload: &str) -> Option<(Peer, impl Iterator<Item = Line>)> {
    let (from, lines) = split(payload)?;
    Some((from, lines.split('\n').filter_map(Line::parse)))
}

/// A payload of live text.
pub(crate) fn encode_live(from: Peer, text: &str) -> String {
    format!("{}\n{text}", header(from))
}

/// The sender and the text of a payload of live text.
pub(crate) fn parse_live(payload: &str) -> Option<(Peer, &str)> {
    split(payload)
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        match line {
            MISSED => Some(Self::Missed),
            line => Hint::from_line(line).map(Self::Hint),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hint(hint) => hint.fmt(f),
            Self::Missed => f.write_str(MISSED),
        }
    }
}

fn header(from: Peer) -> String {
    format!("{VERSION} {from}")
}

/// The sender, and what comes after the first line.
fn split(payload: &str) -> Option<(Peer, &str)> {
    let (header, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    let (version, from) = header.split_once(' ')?;
    Some((from.parse().ok().filter(|_| version == VERSION)?, rest))
}

#[cfg(test)]
mod tests {
    use parlor_protocol::{ConversationId, EventId};
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::hint::AccessChange;

    fn lines() -> impl Strategy<Value = Vec<Line>> {
        proptest::collection::vec(line(), 0..400)
    }

    fn line() -> impl Strategy<Value = Line> {
        let conversation = || any::<u128>().prop_map(|id| ConversationId::new(Uuid::from_u128(id)));
        let number = || 0..(1_u64 << 53);
        let event = (number(), proptest::option::of(number()))
            .prop_map(|(seq, offset)| EventId { seq, offset });
        prop_oneof![
            (conversation(), event).prop_map(|(id, event)| Line::Hint(Hint::Log(id, event))),
            conversation().prop_map(|id| Line::Hint(Hint::Prompt(id))),
            conversation().prop_map(|id| Line::Hint(Hint::Stop(id))),
            conversation().prop_map(|id| Line::Hint(Hint::HandedOver(id))),
            conversation().prop_map(|id| Line::Hint(Hint::Deleted(id))),
            conversation().prop_map(|id| Line::Hint(Hint::Audience(id))),
            conversation().prop_map(|id| Line::Hint(Hint::Reads(id))),
            Just(Line::Hint(Hint::Nodes)),
            Just(Line::Hint(Hint::Access(AccessChange::Any))),
            "[!-~]{1,200}".prop_map(|id| Line::Hint(Hint::Access(AccessChange::Token(id)))),
            Just(Line::Missed),
        ]
    }

    proptest! {
        /// E-2: whatever is sent is read the same, however many payloads it takes.
        #[test]
        fn payloads_are_read_as_they_were_written(lines in lines()) {
            let from = Peer::random();
            let mut read = Vec::new();
            let mut done = 0;
            while done < lines.len() {
                let (payload, count) = encode(from, &lines[done..]);
                prop_assert!(payload.len() <= LONGEST && count > 0, "{} bytes", payload.len());
                let (sender, parsed) = parse(&payload).unwrap();
                prop_assert_eq!(sender, from);
                read.extend(parsed);
                done += count;
            }
            prop_assert_eq!(read, lines);
        }

        /// E-2: no text makes the parser fail otherwise than by reading nothing.
        #[test]
        fn any_text_is_read(text in "(1 0198c5a2-7b1e-7cc0-8000-0000000000ab\n)?(\\PC|\n| ){0,80}") {
            let read = parse(&text).map(|(_, lines)| lines.count());
            prop_assert!(read.is_none_or(|count| count <= text.len()));
        }
    }

    /// E-2: a beat is a payload without lines.
    #[test]
    fn a_beat_has_no_lines() {
        let from = Peer::random();
        let (beat, count) = encode(from, &[]);
        assert_eq!((beat.as_str(), count), (format!("1 {from}").as_str(), 0));
        let (sender, mut lines) = parse(&beat).unwrap();
        assert_eq!((sender, lines.next()), (from, None));
    }

    /// E-2: a node skips what only newer nodes know, and reads the rest.
    #[test]
    fn unknown_lines_are_skipped() {
        let from = Peer::random();
        let payload = format!("1 {from}\nX new kind\nN\n\nL too short\nM\n");
        let (_, lines) = parse(&payload).unwrap();
        assert_eq!(lines.collect::<Vec<_>>(), [Line::Hint(Hint::Nodes), Line::Missed]);
        for other in [format!("2 {from}\nN"), format!("{from}\nN"), "1 x\nN".to_owned()] {
            assert!(parse(&other).is_none(), "{other}");
        }
    }

    /// E-3: live text may hold anything.
    #[test]
    fn live_text_is_read_as_it_was_written() {
        let from = Peer::random();
        for text in ["", "one\n\ntwo", "\n", "1 x\r\n"] {
            assert_eq!(parse_live(&encode_live(from, text)), Some((from, text)));
        }
    }
}
