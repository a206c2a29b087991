//! Who may answer a prompt, beside those who take part in its conversation (Y-2).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::PersonId;
use crate::person::LoginName;

/// The longest name of a role.
const LONGEST_ROLE: usize = 32;

/// A role that people of a tenant have, as its configuration names it. It says whose answers count, and
/// nothing about what somebody may see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct RoleName(String);

/// A text that names no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a role is 1 to 32 of a-z, 0-9, '-' and '_', and none is called admin, user or other")]
pub struct RoleNameError;

/// Who may answer a prompt: one of those who are named, and, if it says so, not who asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Approvers {
    /// Whether administrators may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub admin: bool,
    /// People with one of these roles may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<RoleName>>", optional))]
    pub roles: Vec<RoleName>,
    /// These people may, by what they log in with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<String>>", optional))]
    pub people: Vec<String>,
    /// Whether it has to be somebody else than who asked. Alone: any other person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub other: bool,
    /// The person who asked. None for the shared account: nobody is known to be somebody else then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<PersonId>,
}

/// Somebody who wants to answer.
#[derive(Debug, Clone, Copy)]
pub struct Answerer<'a> {
    /// Whether they are an administrator.
    pub is_admin: bool,
    /// Who they are; none for the shared account.
    pub person: Option<PersonId>,
    /// What they log in with.
    pub login: Option<&'a LoginName>,
    /// Their roles.
    pub roles: &'a [RoleName],
}

/// A word that names no approvers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is none of \"admin\", \"role:NAME\", \"person:LOGIN\" and \"other\"")]
pub struct ApproverError(String);

impl Approvers {
    /// From the words of the configuration. No words are no limit.
    pub fn from_words(words: &[String]) -> Result<Option<Self>, ApproverError> {
        let mut approvers = Self::default();
        for word in words {
            let wrong = || ApproverError(word.clone());
            match word.split_once(':') {
                None if word == "admin" => approvers.admin = true,
                None if word == "other" => approvers.other = true,
                Some(("role", name)) => approvers.roles.push(name.parse().map_err(|_| wrong())?),
                Some(("person", login)) => {
                    let login: LoginName = login.parse().map_err(|_| wrong())?;
                    approvers.people.push(login.as_str().to_owned());
                }
                _ => return Err(wrong()),
            }
        }
        Ok((!words.is_empty()).then_some(approvers))
    }

    /// The same for a prompt that this person's turn opens.
    #[must_use]
    pub fn asked_by(self, person: Option<PersonId>) -> Self {
        Self { asked_by: person, ..self }
    }

    /// Whether an answer of somebody counts.
    pub fn admit(&self, who: &Answerer<'_>) -> bool {
        let names_nobody = !self.admin && self.roles.is_empty() && self.people.is_empty();
        let is_named = (self.admin && who.is_admin)
            || who.roles.iter().any(|role| self.roles.contains(role))
            || who.login.is_some_and(|login| self.people.iter().any(|one| one == login.as_str()));
        (names_nobody || is_named) && (!self.other || self.is_other(who))
    }

    /// Whether somebody is known to be somebody else than who asked: two people with accounts.
    fn is_other(&self, who: &Answerer<'_>) -> bool {
        matches!((self.asked_by, who.person), (Some(asked), Some(answers)) if asked != answers)
    }
}

impl RoleName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RoleName {
    type Err = RoleNameError;

    fn from_str(text: &str) -> Result<Self, RoleNameError> {
        let is_ours = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let fits = (1..=LONGEST_ROLE).contains(&text.len()) && text.chars().all(is_ours);
        let is_taken = ["admin", "user", "other"].contains(&text);
        if fits && !is_taken { Ok(Self(text.to_owned())) } else { Err(RoleNameError) }
    }
}

impl TryFrom<String> for RoleName {
    type Error = RoleNameError;

    fn try_from(text: String) -> Result<Self, RoleNameError> {
        text.parse()
    }
}

impl From<RoleName> for String {
    fn from(role: RoleName) -> Self {
        role.0
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn approvers(words: &[&str]) -> Approvers {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Approvers::from_words(&words).unwrap().unwrap()
    }

    fn person(number: u128) -> Option<PersonId> {
        Some(PersonId::new(Uuid::from_u128(number)))
    }

    /// Y-2: whoever is named may, and with `other` only if they are known to be somebody else.
    #[test]
    fn those_who_are_named_may_answer() {
        let (ana, bob) = (person(1), person(2));
        let (login, cook) = ("bob".parse().unwrap(), ["cook".parse().unwrap()]);
        let shared = Answerer { is_admin: false, person: None, login: None, roles: &[] };
        let admin = Answerer { is_admin: true, ..shared };
        let asker = Answerer { person: ana, roles: &cook, ..shared };
        let other = Answerer { person: bob, login: Some(&login), ..shared };
        for (words, who, may) in [
            (&["admin"][..], &admin, true),
            (&["admin"], &asker, false),
            (&["role:cook"], &asker, true),
            (&["role:cook"], &other, false),
            (&["person:Bob"], &other, true),
            (&["person:bob"], &asker, false),
            (&["admin", "role:cook"], &asker, true),
            (&["other"], &asker, false),
            (&["other"], &other, true),
            (&["other"], &admin, false),
            (&["role:cook", "other"], &asker, false),
            (&["role:cook", "other"], &other, false),
            (&["role:cook", "person:bob", "other"], &other, true),
        ] {
            let approvers = approvers(words).asked_by(ana);
            assert_eq!(approvers.admit(who), may, "{words:?} {who:?}");
        }
        let unknown = approvers(&["other"]).asked_by(None);
        assert!(!unknown.admit(&other), "the shared account may be anybody");
    }

    #[test]
    fn other_words_are_refused() {
        for word in ["", "cook", "role:", "role:Cook", "role:admin", "person:", "people:ana"] {
            assert!(Approvers::from_words(&[word.to_owned()]).is_err(), "{word}");
        }
        assert_eq!(Approvers::from_words(&[]), Ok(None));
    }
}
