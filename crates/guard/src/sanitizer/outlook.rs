//! What is known in each state of the automaton: what matched, and what can still match.
//!
//! A stream must not hold text back for longer than necessary. The moment at which
//! a match is certain is a property of the state alone, so it is computed once,
//! when the rules are compiled, by two fixed points over the table:
//!
//! - *outlook*: which outcomes can still come (grows from nothing);
//! - *sure*: every continuation brings a match (shrinks from everything). A loop
//!   without a match does not break it, since each turn of the loop may be the
//!   end of the text, and the end counts as a continuation too.

/// Index of an outcome: what becomes of a match.
pub(super) type Outcome = u16;

/// No rule has matched.
pub(super) const NO_MATCH: Outcome = u16::MAX;

/// A rule has matched that exists to protect the text, such as `Geminids`.
pub(super) const SPARE: Outcome = 0;

/// What a state knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// The outcome of the rule that matched just before the last byte.
    pub(super) matched: Outcome,
    /// The outcome of the rule that matches if the text ends here.
    pub(super) at_end: Outcome,
    /// Which outcomes can still come.
    pub(super) outlook: Outlook,
    /// Whether every continuation, the end of the text included, brings a match.
    pub(super) sure: bool,
}

/// Which outcomes can still be reached from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// None: the run is over.
    Nothing,
    /// Exactly one.
    Only(Outcome),
    /// More than one: the text that follows decides.
    Several,
}

/// Fills in `outlook` and `sure` of every state.
///
/// `rows` are the rows of the table without the columns that only pad them.
pub(super) fn compute<'a>(facts: &mut [Facts], rows: impl Iterator<Item = &'a [u16]>) {
    let followers: Vec<Vec<u16>> = rows.map(followers).collect();
    for fact in facts.iter_mut() {
        fact.outlook = Outlook::Nothing.or(fact.at_end);
        fact.sure = fact.at_end != NO_MATCH;
    }
    // States are numbered breadth first, so that walking backwards visits most
    // followers before the states that lead to them.
    let mut changed = true;
    while changed {
        changed = false;
        for state in (0..facts.len()).rev() {
            let (outlook, sure) = look_ahead(facts, state, &followers[state]);
            changed |= outlook != facts[state].outlook || sure != facts[state].sure;
            facts[state].outlook = outlook;
            facts[state].sure = sure;
        }
    }
}

fn look_ahead(facts: &[Facts], state: usize, followers: &[u16]) -> (Outlook, bool) {
    let mut outlook = facts[state].outlook;
    let mut sure = facts[state].sure;
    for &follower in followers {
        let follower = facts[usize::from(follower)];
        outlook = outlook.or(follower.matched).join(follower.outlook);
        sure &= follower.matched != NO_MATCH || follower.sure;
    }
    (outlook, sure)
}

/// The different states that can follow a state.
fn followers(row: &[u16]) -> Vec<u16> {
    let mut followers = row.to_vec();
    followers.sort_unstable();
    followers.dedup();
    followers
}

impl Outlook {
    fn or(self, outcome: Outcome) -> Self {
        if outcome == NO_MATCH { self } else { self.join(Self::Only(outcome)) }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, outlook) | (outlook, Self::Nothing) => outlook,
            (left, right) if left == right => left,
            _ => Self::Several,
        }
    }
}
