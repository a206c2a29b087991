//! Whose conversations: the one place that decides what of a tenant a request sees (Y-2).
//!
//! - A conversation of the tenant's shared account, which names no person, is everybody's.
//! - That of a person is theirs, and everybody's while it is shared with the tenant.
//! - An administrator reads the others too, if the tenant says so; they never take part in them.
//! - One that was deleted is nobody's until that is undone ([`sees_deleted`]). Only the server itself
//!   sees it: its turn may have yet to end.
//!
//! [`sees`] is the predicate for every statement that reads or writes conversations and what is in
//! them; [`Scope::bind`] binds its values. [`Scope::takes_part`] and [`Scope::is_in_charge`] say
//! what somebody may do with a conversation that they see.

use parlor_database::Query;
use parlor_protocol::{PersonId, TenantId, Visibility};

/// What of a tenant somebody sees. Only authentication makes one for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
    viewer: Viewer,
    /// Whether they read what others have to themselves.
    reads_all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Viewer {
    SharedAccount,
    Person(PersonId),
    /// The server itself.
    Server,
}

impl Scope {
    /// What a person sees, or, without one, the tenant's shared account.
    pub fn of(tenant: TenantId, person: Option<PersonId>) -> Self {
        let viewer = person.map_or(Viewer::SharedAccount, Viewer::Person);
        Self { tenant, viewer, reads_all: false }
    }

    /// What the server needs for its own work, which nobody is shown: all of the tenant.
    pub fn of_server(tenant: TenantId) -> Self {
        Self { tenant, viewer: Viewer::Server, reads_all: true }
    }

    /// The same for an administrator of a tenant whose people know that administrators read.
    #[must_use]
    pub fn reading_all(self) -> Self {
        Self { reads_all: true, ..self }
    }

    /// The same without what is only read because an administrator reads all.
    #[must_use]
    pub fn taking_part(&self) -> Self {
        let reads_all = self.viewer == Viewer::Server;
        Self { reads_all, ..self.clone() }
    }

    /// The tenant.
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The person; none for the shared account.
    pub fn person(&self) -> Option<PersonId> {
        match self.viewer {
            Viewer::Person(person) => Some(person),
            Viewer::SharedAccount | Viewer::Server => None,
        }
    }

    /// Whether somebody may say something in a conversation that they see, and decide in it.
    pub fn takes_part(&self, whose: Option<PersonId>, visibility: Visibility) -> bool {
        visibility == Visibility::Tenant || self.is_in_charge(whose)
    }

    /// Whether somebody may delete a conversation that they see.
    pub fn is_in_charge(&self, whose: Option<PersonId>) -> bool {
        self.viewer == Viewer::Server || whose.is_none() || whose == self.person()
    }

    /// Binds the values of the predicate.
    pub(crate) fn bind(&self, query: Query) -> Query {
        let viewer = match self.viewer {
            Viewer::Person(person) => Some(person.to_string()),
            Viewer::SharedAccount => None,
            Viewer::Server => Some(SERVER.to_owned()),
        };
        query.bind(self.tenant.as_str()).bind(viewer).bind(self.reads_all)
    }

    /// What rows that are somebody's own have as their key: the person, or nothing for the shared
    /// account.
    pub(crate) fn viewer_key(&self) -> String {
        self.person().map(|person| person.to_string()).unwrap_or_default()
    }
}

/// What the predicate has for the server in the place of a person. No person has it as their id.
const SERVER: &str = "server";

/// The predicate: whether the conversation `c` is seen. Its values are those from number `first`
/// on, three of them.
pub(crate) fn sees(first: usize) -> String {
    let (tenant, viewer) = (format!("${first}"), format!("${}", first + 1));
    let of_person = owned("c.person", first);
    format!(
        "(c.tenant = {tenant} AND (c.deleted_at IS NULL OR {viewer} = '{SERVER}')
         AND (c.visibility = 'tenant' OR {of_person}))"
    )
}

/// Whether the conversation `c` was deleted, and is the viewer's own or the shared account's, so that
/// they may undo that. The values are the same.
pub(crate) fn sees_deleted(first: usize) -> String {
    let of_person = owned("c.person", first);
    format!("(c.tenant = ${first} AND c.deleted_at IS NOT NULL AND {of_person})")
}

/// Joins the place `k` that the viewer gave the conversation `c` in their list.
pub(crate) fn with_place(first: usize) -> String {
    let viewer = first + 1;
    format!(
        "LEFT JOIN list_places k ON k.conversation_id = c.id AND k.viewer = COALESCE(${viewer}, '')"
    )
}

/// The same for a row that names its conversation in this column.
pub(crate) fn sees_conversation(column: &str, first: usize) -> String {
    let seen = sees(first);
    format!("EXISTS (SELECT 1 FROM conversations c WHERE c.id = {column} AND {seen})")
}

/// Whether what this column says whose it is, is the viewer's own or the shared account's, or is
/// read anyway.
pub(crate) fn owned(column: &str, first: usize) -> String {
    let (person, reads_all) = (first + 1, first + 2);
    format!("({column} IS NULL OR {column} = ${person} OR ${reads_all})")
}

/// The same for a row of the audit, which may outlive its conversation `c`; that is joined, and may be
/// missing. Whose it was is not known then: it is for whoever decided, as this column says, and for
/// everybody where nobody has an account, so that nothing was anybody's own.
pub(crate) fn sees_or_saw(decided_by: &str, first: usize) -> String {
    let (seen, person, reads_all) = (sees(first), first + 1, first + 2);
    format!(
        "((c.id IS NOT NULL AND {seen}) OR (c.id IS NULL AND (${reads_all}
         OR ({decided_by} IS NOT NULL AND {decided_by} = ${person})
         OR NOT EXISTS (SELECT 1 FROM people somebody WHERE somebody.tenant = ${first}))))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: usize = 3;

    /// Y-2: the predicate names the values that are bound, and no other.
    #[test]
    fn the_predicate_has_as_many_values_as_are_bound() {
        let seen = sees(4);
        for number in 4..4 + VALUES {
            assert!(seen.contains(&format!("${number}")), "{seen}");
        }
        assert!(!seen.contains(&format!("${}", 4 + VALUES)), "{seen}");
    }
}
