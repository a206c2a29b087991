//! Approvals that nobody could answer, as the people of a tenant are now (Y-2). The configuration alone does
//! not say it: roles are given to people, and `other` needs two of them.

use parlor_protocol::{Answerer, Approvers, PersonId};
use parlor_storage::{AccessRole, Person, StorageError, Store};
use uuid::Uuid;

use crate::config::{Config, TenantConfig};

/// Says in the log which approvals nobody could answer.
pub(crate) async fn warn(config: &Config, store: &Store) -> Result<(), StorageError> {
    for (id, tenant) in &config.tenants {
        let limited = limited(tenant);
        if limited.is_empty() {
            continue;
        }
        let mut people = store.people().list(id).await?;
        people.retain(|person| person.disabled_at.is_none());
        for (place, approvers) in limited {
            if !can_be_answered(&approvers, &people) {
                tracing::warn!(
                    tenant = %id, %place,
                    "nobody can answer these approvals: invite people, and give them the roles that \
                     approvers names; \"other\" needs two people with accounts"
                );
            }
        }
    }
    Ok(())
}

/// What names approvers in a tenant, and whom.
fn limited(tenant: &TenantConfig) -> Vec<(String, Approvers)> {
    let mut limited = Vec::new();
    for (id, project) in &tenant.projects {
        limited.extend(project.approvers.clone().map(|named| (format!("projects.{id}"), named)));
        for (server, settings) in &project.mcp {
            for (tool, settings) in &settings.tools {
                let named = Approvers::from_words(&settings.approvers).ok().flatten();
                let place = || format!("projects.{id}.mcp.{server}.tools.{tool}");
                limited.extend(named.map(|named| (place(), named)));
            }
        }
    }
    limited
}

/// Whether one of the people could answer, if another one asks.
fn can_be_answered(approvers: &Approvers, people: &[Person]) -> bool {
    // The shared login of administrators is always there.
    if approvers.admin && !approvers.other {
        return true;
    }
    let asks = |answers: PersonId| match people.iter().find(|person| person.id != answers) {
        Some(other) => Some(other.id),
        None if approvers.other => None,
        None => Some(PersonId::new(Uuid::nil())),
    };
    people.iter().any(|person| {
        approvers.clone().asked_by(asks(person.id)).admit(&Answerer {
            is_admin: person.role == AccessRole::Admin,
            person: Some(person.id),
            login: Some(&person.login),
            roles: &person.roles,
        })
    })
}

#[cfg(test)]
mod tests {
    use parlor_protocol::Timestamp;

    use super::*;

    fn person(number: u128, roles: &[&str]) -> Person {
        let name = format!("person {number}");
        Person {
            id: PersonId::new(Uuid::from_u128(number)),
            tenant: "home".parse().unwrap(),
            login: name.parse().unwrap(),
            name,
            email: None,
            role: AccessRole::User,
            roles: roles.iter().map(|role| role.parse().unwrap()).collect(),
            created_at: Timestamp(1),
            disabled_at: None,
        }
    }

    /// Y-2: two people for somebody else, and one with the role.
    #[test]
    fn some_approvals_nobody_can_answer() {
        let (one, two) = (person(1, &[]), person(2, &["cook"]));
        let can = |words: &[&str], people: &[&Person]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let people: Vec<Person> = people.iter().map(|person| (*person).clone()).collect();
            can_be_answered(&Approvers::from_words(&words).unwrap().unwrap(), &people)
        };
        assert!(can(&["admin"], &[]));
        assert!(!can(&["admin", "other"], &[&one, &two]), "nobody of them is one");
        assert!(
            !can(&["other"], &[]) && !can(&["other"], &[&one]) && can(&["other"], &[&one, &two])
        );
        assert!(can(&["role:cook"], &[&two]) && !can(&["role:cook"], &[&one]));
        assert!(
            !can(&["role:cook", "other"], &[&two]) && can(&["role:cook", "other"], &[&one, &two])
        );
        assert!(can(&["person:person 1"], &[&one]) && !can(&["person:bob"], &[&one, &two]));
    }
}
