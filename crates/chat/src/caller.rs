//! Who makes a request, and what a message that was accepted is known by.

use std::borrow::Cow;

use parlor_protocol::{ConversationId, EventId, PersonId, TenantId, TurnId};
use parlor_storage::{AccessRole, Scope, TurnRow};

/// Who makes a request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The tenant.
    pub tenant: TenantId,
    /// Which of its conversations are visible.
    pub scope: Scope,
    /// The id of the session or API key.
    pub session: String,
    /// The name of the person, or that of the session or key of the shared account.
    pub name: String,
    /// The access role.
    pub role: AccessRole,
}

impl Caller {
    /// The person; none for the tenant's shared account.
    pub fn person(&self) -> Option<PersonId> {
        self.scope.person()
    }

    /// What their messages are counted by: the session or key. A visitor of another site gets a
    /// session whenever a page is loaded, so they are counted as themselves.
    pub fn counted_as(&self) -> Cow<'_, str> {
        match self.person().filter(|_| self.scope.is_visitor()) {
            Some(visitor) => Cow::Owned(format!("visitor:{visitor}")),
            None => Cow::Borrowed(&self.session),
        }
    }

    /// What their messages and the names of external clients are theirs by: the person, on whatever
    /// device; without one, the session or key.
    pub fn principal(&self) -> String {
        match self.person() {
            Some(person) => format!("person:{person}"),
            None => self.session.clone(),
        }
    }
}

/// A turn that has begun: the message that began it is stored and will not be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The turn.
    pub turn_id: TurnId,
    /// The event id just before the turn's `start`: reading after it shows the whole turn.
    pub after: EventId,
}

impl Accepted {
    /// A turn whose `start` has this number.
    pub(crate) fn new(conversation_id: ConversationId, turn_id: TurnId, start_seq: u64) -> Self {
        let after = EventId::durable(start_seq.saturating_sub(1));
        Self { conversation_id, turn_id, after }
    }
}

impl From<TurnRow> for Accepted {
    fn from(TurnRow { id, conversation, start_seq, .. }: TurnRow) -> Self {
        Self::new(conversation, id, start_seq)
    }
}
