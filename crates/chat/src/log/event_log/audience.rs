//! Who may read a log. When fewer people may see a conversation, every reader of it is checked
//! before the next event; storage says who still sees it. An event costs a comparison.

use parlor_protocol::Visibility;

use super::{EventLog, State};

/// Those who may read, by a number that changes when there may be fewer of them.
#[derive(Debug, Default)]
pub(super) struct Audience {
    number: u64,
    /// Who sees the conversation, as storage last said.
    visibility: Option<Visibility>,
}

impl Audience {
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a reader who was checked as part of this audience, or never, is part of it.
    pub(super) fn has(&self, checked: Option<u64>) -> bool {
        checked == Some(self.number)
    }
}

impl EventLog {
    /// Fewer people may see the conversation.
    pub(crate) fn audience_changed(&self) {
        self.lock().check_audience();
    }

    /// The number of the audience of now.
    pub(in crate::log) fn audience(&self) -> u64 {
        self.lock().audience.number()
    }

    /// Who sees the conversation, as storage says: what another node changed is noticed also if
    /// its hint was lost.
    pub(crate) fn is_seen_by(&self, visibility: Visibility) {
        let mut state = self.lock();
        let before = state.audience.visibility.replace(visibility);
        if visibility == Visibility::Private && before != Some(visibility) {
            state.check_audience();
        }
    }
}

impl State {
    pub(super) fn check_audience(&mut self) {
        self.audience.number += 1;
        self.wakers.wake();
    }
}
