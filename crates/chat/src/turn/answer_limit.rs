//! The limit of an answer. What is over it is not shown: the agent is stopped, and its last
//! message is marked as cut off (H-3).

/// How much the agent may still write in this turn.
#[derive(Debug)]
pub(super) struct AnswerLimit {
    limit: usize,
    left: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Something was cut off, and the agent still runs.
    Exceeded,
    /// The agent was stopped.
    Stopped,
}

impl AnswerLimit {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, left: limit, state: State::Open }
    }

    /// As much of a piece as is within the limit.
    pub(super) fn take<'p>(&mut self, piece: &'p str) -> &'p str {
        if let Some(left) = self.left.checked_sub(piece.len()) {
            self.left = left;
            return piece;
        }
        let fits = &piece[..piece.floor_char_boundary(self.left)];
        self.left = 0;
        if self.state == State::Open {
            self.state = State::Exceeded;
        }
        fits
    }

    /// Whether the agent has to be stopped; true once.
    pub(super) fn stops_agent(&mut self) -> bool {
        let exceeded = self.state == State::Exceeded;
        if exceeded {
            self.state = State::Stopped;
        }
        exceeded
    }

    /// The limit, if something was cut off at it.
    pub(super) fn cut_off_at(&self) -> Option<usize> {
        (self.state != State::Open).then_some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H-3: the limit is exact, except that no character is cut in two.
    #[test]
    fn what_is_over_the_limit_is_cut_off_once() {
        let mut limit = AnswerLimit::new(6);
        assert_eq!(limit.take("four"), "four");
        assert!(!limit.stops_agent() && limit.cut_off_at().is_none());
        assert_eq!(limit.take("aé"), "a", "the other two bytes are one too many");
        assert!(limit.stops_agent() && !limit.stops_agent());
        assert_eq!(limit.take("more"), "");
        assert_eq!((limit.stops_agent(), limit.cut_off_at()), (false, Some(6)));
        let mut exact = AnswerLimit::new(4);
        assert_eq!((exact.take("four"), exact.cut_off_at()), ("four", None));
    }
}
