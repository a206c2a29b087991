//! What a message asks of the model: the message says it, the model reads it there, and the checker
//! knows by it what the model said.
//!
//! `soak m3-17: 40x25 note 300, 10x20` asks for 40 pieces of text, one in 25 ms, then for a call of
//! the tool `note` that takes 300 ms, then for 10 more pieces. Each piece is recognisable by its
//! number, so that a gap or a repetition is visible in any text.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use fastrand::Rng;

/// How every message begins.
const MARK: &str = "soak ";
/// What the model asks a person.
pub(crate) const QUESTION: &str = "Which way?";
/// What a person adds to the argument of a call before it is approved.
pub(crate) const EDITED: &str = "-edited";

/// What the model does in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Unique in a run.
    pub(crate) tag: String,
    pub(crate) rounds: Vec<Round>,
}

/// What the model does in one request: it speaks, and then it calls something or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) pieces: u64,
    pub(crate) every_ms: u64,
    pub(crate) then: Then,
}

/// What follows the text of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The turn ends.
    End,
    /// A call that needs approval, and its duration in milliseconds.
    Note(u64),
    /// A call that needs none.
    Jot(u64),
    /// Both at once.
    Both(u64),
    /// A question of this kind.
    Ask(Ask),
}

/// The kind of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    Confirm,
    Input,
    Select,
}

impl Plan {
    /// A random one.
    pub(crate) fn draw(tag: String, rng: &mut Rng) -> Self {
        let mut rounds: Vec<Round> = (0..rng.usize(0..3)).map(|_| Round::draw(rng)).collect();
        rounds.push(Round { then: Then::End, ..Round::draw(rng) });
        Self { tag, rounds }
    }

    /// A piece of the text of a round.
    pub(crate) fn piece(&self, round: usize, number: u64) -> String {
        // Characters of two and three bytes: offsets count bytes.
        format!("{}.{round}/{number} größer € ", self.tag)
    }

    /// The whole text of a round.
    pub(crate) fn text(&self, round: usize) -> String {
        let pieces = self.rounds.get(round).map_or(0, |round| round.pieces);
        (0..pieces).map(|number| self.piece(round, number)).collect()
    }

    /// The argument by which a call of a round is recognised.
    pub(crate) fn argument(&self, round: usize, tool: &str) -> String {
        format!("{}.{round}-{tool}", self.tag)
    }
}

impl Round {
    fn draw(rng: &mut Rng) -> Self {
        let wait = if rng.bool() { 0 } else { rng.u64(50..1_500) };
        let then = match rng.u32(0..10) {
            0..3 => Then::Note(wait),
            3..6 => Then::Jot(wait),
            6 => Then::Both(wait),
            7 => Then::Ask(Ask::Confirm),
            8 => Then::Ask(Ask::Input),
            _ => Then::Ask(Ask::Select),
        };
        Self { pieces: rng.u64(1..60), every_ms: rng.u64(5..50), then }
    }

    /// The time between two pieces.
    pub(crate) fn every(&self) -> Duration {
        Duration::from_millis(self.every_ms)
    }
}

impl Ask {
    /// Its name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Input => "input",
            Self::Select => "select",
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}:", self.tag)?;
        for (number, round) in self.rounds.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(f, "{comma} {}x{}", round.pieces, round.every_ms)?;
            match round.then {
                Then::End => {}
                Then::Note(wait) => write!(f, " note {wait}")?,
                Then::Jot(wait) => write!(f, " jot {wait}")?,
                Then::Both(wait) => write!(f, " both {wait}")?,
                Then::Ask(ask) => write!(f, " ask {}", ask.name())?,
            }
        }
        Ok(())
    }
}

impl FromStr for Plan {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (tag, rounds) =
            text.strip_prefix(MARK).and_then(|rest| rest.split_once(':')).ok_or(())?;
        let rounds: Option<Vec<Round>> = rounds.split(',').map(round).collect();
        Ok(Self { tag: tag.to_owned(), rounds: rounds.ok_or(())? })
    }
}

fn round(text: &str) -> Option<Round> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (speech, then) = words.split_first()?;
    let (pieces, every_ms) = speech.split_once('x')?;
    let then = match then {
        [] => Then::End,
        ["note", wait] => Then::Note(wait.parse().ok()?),
        ["jot", wait] => Then::Jot(wait.parse().ok()?),
        ["both", wait] => Then::Both(wait.parse().ok()?),
        ["ask", "confirm"] => Then::Ask(Ask::Confirm),
        ["ask", "input"] => Then::Ask(Ask::Input),
        ["ask", "select"] => Then::Ask(Ask::Select),
        _ => return None,
    };
    Some(Round { pieces: pieces.parse().ok()?, every_ms: every_ms.parse().ok()?, then })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let mut rng = Rng::with_seed(1);
        for number in 0..200 {
            let plan = Plan::draw(format!("m0-{number}"), &mut rng);
            assert_eq!(plan.to_string().parse(), Ok(plan));
        }
        for other in ["", "hello", "soak m1", "soak m1: 1x", "soak m1: 1x1 dance"] {
            assert_eq!(other.parse::<Plan>(), Err(()), "{other}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_plan() {
        let draw = || Plan::draw("m".into(), &mut Rng::with_seed(7));
        assert_eq!(draw(), draw());
    }
}
