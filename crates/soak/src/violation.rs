//! What must never happen.

use std::fmt;

/// One thing that must not have happened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    pub(crate) kind: Kind,
    pub(crate) what: String,
}

/// Which promise is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// An acknowledged message is not in its conversation.
    MessageLost,
    /// A message is there twice.
    MessageTwice,
    /// A message that nobody sent.
    MessageMadeUp,
    /// The same message was acknowledged as two.
    AcknowledgedTwice,
    /// A message was seen, and is gone or another one later.
    MessageChanged,
    /// An event id came twice.
    EventTwice,
    /// An event came after a later one.
    EventOutOfOrder,
    /// A stored event did not come.
    EventMissed,
    /// An event is stored otherwise than it was shown, or not at all.
    EventChanged,
    /// Streamed text has a gap, or a part of it twice.
    TextGap,
    /// Streamed text is not what the message says.
    TextDiffers,
    /// Text was shown and never became a message.
    TextLost,
    /// Shown text was replaced although nothing was broken.
    TextWithdrawn,
    /// A stored text is not what the model said.
    TextWrong,
    /// A turn runs for ever.
    TurnStuck,
    /// A turn has no end, or several, or no beginning.
    TurnEnds,
    /// A prompt waits for ever, or has no end or several in the log.
    PromptStuck,
    /// An acknowledged answer does not count.
    AnswerLost,
    /// Two answers to one prompt were acknowledged.
    AnswerTwice,
    /// A call was made twice.
    CallTwice,
    /// A call was made without consent.
    CallWithoutConsent,
    /// A result of a call that was not made.
    ResultMadeUp,
    /// A stop took too long although nothing was broken.
    StopSlow,
    /// A response that no fault explains.
    ResponseUnexpected,
    /// A node does not start, or does not stop.
    NodeFails,
    /// A process outlives its node.
    ProcessLeft,
    /// A node takes more and more memory.
    MemoryGrows,
}

impl Kind {
    /// A violation of this kind.
    pub(crate) fn because(self, what: impl Into<String>) -> Violation {
        Violation { kind: self, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.what)
    }
}
