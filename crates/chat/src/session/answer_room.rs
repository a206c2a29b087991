//! How much an agent may say in one turn. What is over the limit is not shown: the
//! agent is stopped, and its last message says that it was cut off (H-3).

/// The room that is left.
#[derive(Debug)]
pub(super) struct AnswerRoom {
    limit: usize,
    left: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Something was cut off, and the agent goes on.
    Full,
    /// The agent was told to stop.
    Told,
}

impl AnswerRoom {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, left: limit, state: State::Open }
    }

    /// As much of a piece as there is room for.
    pub(super) fn take<'p>(&mut self, piece: &'p str) -> &'p str {
        if let Some(left) = self.left.checked_sub(piece.len()) {
            self.left = left;
            return piece;
        }
        let fits = &piece[..piece.floor_char_boundary(self.left)];
        self.left = 0;
        if self.state == State::Open {
            self.state = State::Full;
        }
        fits
    }

    /// Whether the agent has to be stopped; true once.
    pub(super) fn ran_out(&mut self) -> bool {
        let full = self.state == State::Full;
        if full {
            self.state = State::Told;
        }
        full
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
    fn what_does_not_fit_is_cut_off_once() {
        let mut room = AnswerRoom::new(6);
        assert_eq!(room.take("four"), "four");
        assert!(!room.ran_out() && room.cut_off_at().is_none());
        assert_eq!(room.take("aé"), "a", "the other two bytes are one too many");
        assert!(room.ran_out() && !room.ran_out());
        assert_eq!(room.take("more"), "");
        assert_eq!((room.ran_out(), room.cut_off_at()), (false, Some(6)));
        let mut exact = AnswerRoom::new(4);
        assert_eq!((exact.take("four"), exact.cut_off_at()), ("four", None));
    }
}
