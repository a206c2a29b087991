//! What a provider says of a person (claims), and what this makes of them: whether they are
//! admitted, as what, and how they are called. Pure, and fails closed: a claim that is missing or
//! of another shape matches nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{OidcError, SettingsError};

/// The longest texts that are taken over.
const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;
/// The longest `sub` by the standard.
const LONGEST_SUBJECT: usize = 255;

const EMAIL: &str = "email";
const EMAIL_VERIFIED: &str = "email_verified";

/// Claims by name.
pub(crate) type Claims = Map<String, Value>;

/// What claims mean here. A claim is named by its key, or by a path with dots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClaimRules {
    /// The claim with the name of the person.
    pub name: String,
    /// The claim with the e-mail address.
    pub email: String,
    /// The claim with the name that they log in with at the provider.
    pub login: String,
    /// What everybody must have who is admitted.
    pub require: Option<RequiredClaim>,
    /// Which values make administrators and users.
    pub roles: Option<RoleRules>,
    /// Whether everybody who can log in at the provider is admitted.
    pub everyone: bool,
}

/// A claim that everybody must have with one of these values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredClaim {
    /// The claim: a text, or a list of texts.
    pub claim: String,
    /// The values that admit.
    pub values: Vec<String>,
}

/// A claim whose values give the access role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleRules {
    /// The claim: a text, or a list of texts.
    pub claim: String,
    /// Values that make an administrator.
    #[serde(default)]
    pub admin: Vec<String>,
    /// Values that make a user. If this is not set, everybody else who is admitted is a user.
    #[serde(default)]
    pub user: Option<Vec<String>>,
    /// Values that give roles of the tenant, by the role. If this is set, these are all roles that
    /// somebody has.
    #[serde(default)]
    pub named: BTreeMap<String, Vec<String>>,
}

/// The access role that claims give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// May do what administrators may.
    Admin,
    /// May chat.
    User,
}

/// A person who is admitted, as the provider describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Who it is at the provider; it never changes. Everything else may.
    pub subject: String,
    /// What they are called.
    pub name: Option<String>,
    /// Their e-mail address, unless the provider says that it did not verify it.
    pub email: Option<String>,
    /// Whether the provider says that it verified the address. Only then does it name a person.
    pub email_verified: bool,
    /// What they log in with at the provider.
    pub login: Option<String>,
    /// Their access role.
    pub role: Role,
    /// Their roles in the tenant, by name; none if the claims say nothing of them.
    pub named_roles: Option<Vec<String>>,
}

impl ClaimRules {
    /// Whether anybody could be admitted, and nobody by accident.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let wrong = |why: &str| Err(SettingsError { setting: "claims", why: why.to_owned() });
        let named = [Some(&self.name), Some(&self.email), Some(&self.login)];
        let of_rules = [
            self.require.as_ref().map(|rule| &rule.claim),
            self.roles.as_ref().map(|rule| &rule.claim),
        ];
        if named.iter().chain(&of_rules).flatten().any(|claim| claim.trim().is_empty()) {
            return wrong("the name of a claim is blank");
        }
        if self.require.as_ref().is_some_and(|rule| rule.values.is_empty()) {
            return wrong("require has no values, so that nobody would be admitted");
        }
        if self.everyone && self.require.is_some() {
            return wrong("everyone = true and require contradict each other: keep one of the two");
        }
        let roles = self.roles.as_ref();
        let by_role = roles.is_some_and(|rule| {
            !rule.admin.is_empty() || rule.user.as_ref().is_some_and(|values| !values.is_empty())
        });
        if !self.everyone && self.require.is_none() && !by_role {
            return wrong(
                "say who is admitted: require = { claim = \"…\", values = [\"…\"] } or roles; or \
                 everyone = true, if everybody who can log in there may come in here",
            );
        }
        Ok(())
    }

    /// The person that claims describe, if they are admitted.
    pub(crate) fn identity(&self, claims: &Claims) -> Result<Identity, OidcError> {
        let subject = subject(claims)?;
        let role = self.role(claims).ok_or(OidcError::NotAdmitted)?;
        let is_verified = is_true(claims.get(EMAIL_VERIFIED));
        let is_refuted = claims.contains_key(EMAIL_VERIFIED) && !is_verified;
        let email = text(claims, &self.email, LONGEST_EMAIL);
        let email = email.filter(|email| email.contains('@') && !is_refuted);
        Ok(Identity {
            subject,
            name: text(claims, &self.name, LONGEST_NAME),
            email_verified: is_verified && self.email == EMAIL && email.is_some(),
            email,
            login: text(claims, &self.login, LONGEST_NAME),
            role,
            named_roles: self.named_roles(claims),
        })
    }

    /// Whether all claims that may matter are there; if not, the provider is asked for more.
    pub(crate) fn are_answered_by(&self, claims: &Claims) -> bool {
        let rules = [
            self.require.as_ref().map(|rule| rule.claim.as_str()),
            self.roles.as_ref().map(|rule| rule.claim.as_str()),
        ];
        let mut all = [self.name.as_str(), &self.email, &self.login]
            .into_iter()
            .chain(rules.into_iter().flatten());
        all.all(|claim| find(claims, claim).is_some())
    }

    fn named_roles(&self, claims: &Claims) -> Option<Vec<String>> {
        let rule = self.roles.as_ref().filter(|rule| !rule.named.is_empty())?;
        let has = |values: &Vec<String>| has_any(claims, &rule.claim, values);
        let named = rule.named.iter().filter(|(_, values)| has(values));
        Some(named.map(|(name, _)| name.clone()).collect())
    }

    fn role(&self, claims: &Claims) -> Option<Role> {
        if let Some(rule) = &self.require
            && !has_any(claims, &rule.claim, &rule.values)
        {
            return None;
        }
        let all_are_users = self.require.is_some() || self.everyone;
        let Some(rule) = &self.roles else {
            return all_are_users.then_some(Role::User);
        };
        if has_any(claims, &rule.claim, &rule.admin) {
            return Some(Role::Admin);
        }
        let is_user = match &rule.user {
            Some(values) => has_any(claims, &rule.claim, values),
            None => all_are_users,
        };
        is_user.then_some(Role::User)
    }
}

/// Who it is. Without a subject nobody is anybody.
fn subject(claims: &Claims) -> Result<String, OidcError> {
    let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default();
    let fits = (1..=LONGEST_SUBJECT).contains(&subject.len());
    if fits && !subject.contains(char::is_control) {
        return Ok(subject.to_owned());
    }
    Err(OidcError::Untrusted("it does not say who signed in (sub)"))
}

/// Whether a claim is, or holds, one of these values.
fn has_any(claims: &Claims, claim: &str, values: &[String]) -> bool {
    // Anybody can type anybody's address where it is not verified.
    if claim == EMAIL && !is_true(claims.get(EMAIL_VERIFIED)) {
        return false;
    }
    let is_one = |value: &Value| match value {
        Value::String(text) => values.contains(text),
        Value::Bool(_) | Value::Number(_) => values.contains(&value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    };
    match find(claims, claim) {
        Some(Value::Array(all)) => all.iter().any(is_one),
        Some(value) => is_one(value),
        None => false,
    }
}

/// A claim by its key, or by a path with dots; keys may have dots too.
fn find<'c>(claims: &'c Claims, path: &str) -> Option<&'c Value> {
    if let Some(value) = claims.get(path) {
        return Some(value).filter(|value| !value.is_null());
    }
    path.match_indices('.').find_map(|(at, _)| {
        let inner = claims.get(&path[..at])?.as_object()?;
        find(inner, &path[at + 1..])
    })
}

/// A text for people: one line, not too long.
fn text(claims: &Claims, claim: &str, longest: usize) -> Option<String> {
    let text = find(claims, claim)?.as_str()?;
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim();
    let fits = !plain.is_empty() && plain.chars().count() <= longest;
    fits.then(|| plain.to_owned())
}

/// Some providers write truth values as text.
fn is_true(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Bool(true)))
        || value.and_then(Value::as_str).is_some_and(|text| text == "true")
}

impl Default for ClaimRules {
    fn default() -> Self {
        Self {
            name: "name".to_owned(),
            email: EMAIL.to_owned(),
            login: "preferred_username".to_owned(),
            require: None,
            roles: None,
            everyone: false,
        }
    }
}

#[cfg(test)]
mod tests;
