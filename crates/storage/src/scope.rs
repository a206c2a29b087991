//! Whose conversations: the one place that decides what of a tenant a request sees (Y-2).
//!
//! - A conversation of the tenant's shared account, which names no person, is everybody's.
//! - That of a person is theirs, and everybody's while it is shared with the tenant.
//! - An administrator reads the others too, if the tenant says so; they never take part in them.
//! - A visitor of another site sees their own and nothing else.
//! - Any of them may be held to some projects; those of others are not there then.
//! - One that was deleted is nobody's until that is undone ([`sees_deleted`]). Only the server itself
//!   sees it: its turn may have yet to end.
//!
//! [`sees`] is the predicate for every statement that reads or writes conversations and what is in
//! them; [`Scope::bind`] binds its values. [`Scope::takes_part`] and [`Scope::is_in_charge`] say
//! what somebody may do with a conversation that they see.

use parlor_database::Query;
use parlor_protocol::{PersonId, ProjectId, TenantId, Visibility};

/// What of a tenant somebody sees. Only authentication makes one for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
    viewer: Viewer,
    /// Whether they read what others have to themselves.
    reads_all: bool,
    /// The projects that they are held to, if they are.
    projects: Option<Vec<ProjectId>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Viewer {
    SharedAccount,
    Person(PersonId),
    /// Whom another site named.
    Visitor(PersonId),
    /// The server itself.
    Server,
}

impl Scope {
    /// What a person sees, or, without one, the tenant's shared account.
    pub fn of(tenant: TenantId, person: Option<PersonId>) -> Self {
        let viewer = person.map_or(Viewer::SharedAccount, Viewer::Person);
        Self { tenant, viewer, reads_all: false, projects: None }
    }

    /// What a visitor of another site sees: what is theirs, in the project that is embedded there.
    pub fn of_visitor(tenant: TenantId, visitor: PersonId, project: ProjectId) -> Self {
        let viewer = Viewer::Visitor(visitor);
        Self { tenant, viewer, reads_all: false, projects: Some(vec![project]) }
    }

    /// What the server needs for its own work, which nobody is shown: all of the tenant.
    pub fn of_server(tenant: TenantId) -> Self {
        Self { tenant, viewer: Viewer::Server, reads_all: true, projects: None }
    }

    /// The same for an administrator of a tenant whose people know that administrators read.
    #[must_use]
    pub fn reading_all(self) -> Self {
        Self { reads_all: true, ..self }
    }

    /// The same, held to these projects.
    #[must_use]
    pub fn within(self, projects: Vec<ProjectId>) -> Self {
        let kept = |project: &ProjectId| self.has_project(project);
        let projects = projects.into_iter().filter(kept).collect();
        Self { projects: Some(projects), ..self }
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

    /// Whether they may use this project, as far as it is one of the tenant.
    pub fn has_project(&self, project: &ProjectId) -> bool {
        self.projects.as_ref().is_none_or(|projects| projects.contains(project))
    }

    /// The project that they are held to, if it is one alone.
    pub fn only_project(&self) -> Option<&ProjectId> {
        match self.projects.as_deref() {
            Some([project]) => Some(project),
            _ => None,
        }
    }

    /// Whether it is a visitor of another site.
    pub fn is_visitor(&self) -> bool {
        matches!(self.viewer, Viewer::Visitor(_))
    }

    /// The person or visitor; none for the shared account.
    pub fn person(&self) -> Option<PersonId> {
        match self.viewer {
            Viewer::Person(person) | Viewer::Visitor(person) => Some(person),
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
            Viewer::Server => Some(SERVER.to_owned()),
            Viewer::SharedAccount | Viewer::Person(_) | Viewer::Visitor(_) => {
                self.person().map(|person| person.to_string())
            }
        };
        query.bind(self.tenant.as_str()).bind(viewer).bind(self.view())
    }

    /// What rows that are somebody's own have as their key: the person, or nothing for the shared
    /// account.
    pub(crate) fn viewer_key(&self) -> String {
        self.person().map(|person| person.to_string()).unwrap_or_default()
    }

    /// What of the tenant is seen, as a text for the predicate: `all`, `own` or `shared`, and the
    /// projects after it, if it is held to some: `own:,shop,`. No id has a comma.
    fn view(&self) -> String {
        let whose = match (self.reads_all, self.viewer) {
            (true, _) => "all",
            (false, Viewer::Visitor(_)) => "own",
            (false, _) => "shared",
        };
        match &self.projects {
            None => whose.to_owned(),
            Some(projects) => {
                let ids: Vec<&str> = projects.iter().map(ProjectId::as_str).collect();
                format!("{whose}:,{},", ids.join(","))
            }
        }
    }
}

/// What the predicate has for the server in the place of a person. No person has it as their id.
const SERVER: &str = "server";

/// The predicate: whether the conversation `c` is seen. Its values are those from number `first`
/// on, three of them.
pub(crate) fn sees(first: usize) -> String {
    let (tenant, viewer, view) = (first, first + 1, first + 2);
    let (of_person, in_project) = (owned("c.person", first), in_projects(first));
    format!(
        "(c.tenant = ${tenant} AND (c.deleted_at IS NULL OR ${viewer} = '{SERVER}')
          AND ({of_person} OR (c.visibility = 'tenant' AND ${view} NOT LIKE 'own%'))
          AND {in_project})"
    )
}

/// Whether the conversation `c` was deleted, and is the viewer's own or the shared account's, so that
/// they may undo that. The values are the same.
pub(crate) fn sees_deleted(first: usize) -> String {
    let (of_person, in_project) = (owned("c.person", first), in_projects(first));
    format!("(c.tenant = ${first} AND c.deleted_at IS NOT NULL AND {of_person} AND {in_project})")
}

/// Whether the conversation `c` is in a project that the viewer is held to, if they are.
fn in_projects(first: usize) -> String {
    let view = first + 2;
    format!("(${view} NOT LIKE '%:%' OR REPLACE(${view}, ',' || c.project || ',', '') <> ${view})")
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
    let (person, view) = (first + 1, first + 2);
    format!(
        "({column} = ${person} OR ${view} LIKE 'all%'
          OR ({column} IS NULL AND ${view} NOT LIKE 'own%'))"
    )
}

/// The same for a row of the audit, which may outlive its conversation `c`; that is joined, and may be
/// missing. Whose it was is not known then: it is for whoever decided, as this column says, and for
/// everybody where nobody has an account, so that nothing was anybody's own.
pub(crate) fn sees_or_saw(decided_by: &str, first: usize) -> String {
    let (seen, person, view) = (sees(first), first + 1, first + 2);
    format!(
        "((c.id IS NOT NULL AND {seen}) OR (c.id IS NULL AND (${view} LIKE 'all%'
         OR ({decided_by} IS NOT NULL AND {decided_by} = ${person})
         OR NOT EXISTS (SELECT 1 FROM people somebody WHERE somebody.tenant = ${first}
                        UNION ALL SELECT 1 FROM visitors somebody WHERE somebody.tenant = ${first}))))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: usize = 3;

    /// U-12, I-7: whoever is held to projects is never held to more by being held once more.
    #[test]
    fn being_held_to_projects_only_takes_away() {
        let project = |id: &str| id.parse::<ProjectId>().unwrap();
        let tenant: TenantId = "home".parse().unwrap();
        let visitor: PersonId = "0198c5a2-7b1e-7cc0-8000-000000000001".parse().unwrap();
        let scope = Scope::of_visitor(tenant.clone(), visitor, project("shop"));
        assert_eq!(scope.view(), "own:,shop,");
        assert_eq!(scope.clone().within(vec![project("shop"), project("desk")]), scope);
        let nothing = scope.within(vec![project("desk")]);
        assert!(!nothing.has_project(&project("shop")) && !nothing.has_project(&project("desk")));
        assert_eq!(nothing.view(), "own:,,", "and no project has this name");
        assert_eq!(Scope::of(tenant, None).view(), "shared");
    }

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
