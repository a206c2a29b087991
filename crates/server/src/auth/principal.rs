//! Who makes a request: a valid session or key, its tenant and its access role.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use parlor_chat::Caller;
use parlor_storage::{AccessRole, Scope, StorageError, TokenKind};

use super::session::Session;
use super::visitors::SESSION_PREFIX;
use super::{Access, cookie};

/// The header that carries an API key.
const API_KEY: &str = "x-api-key";
/// The scheme of `Authorization` that carries one where a client knows no other header.
const BEARER: &str = "bearer";

/// The owner of a valid session or key.
#[derive(Debug, Clone)]
pub struct Principal {
    /// What the chat knows of it.
    pub caller: Caller,
    /// The session or key. Streams end with it.
    pub session: Arc<Session>,
}

impl Access {
    /// The principal that the headers of a request prove; visitors of other sites are nobody here.
    /// An invalid key is refused even if a valid cookie comes with it.
    pub(crate) async fn authenticate(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, StorageError> {
        Ok(self.authenticate_all(headers).await?.filter(|principal| !principal.is_visitor()))
    }

    /// The same, or a visitor of another site, whom only some routes serve.
    pub(crate) async fn authenticate_all(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, StorageError> {
        match given_key(headers) {
            Some(secret) if is_of_visitor(secret) => {
                self.principal(secret, TokenKind::Visitor).await
            }
            Some(key) => self.principal(key, TokenKind::Key).await,
            None => self.authenticate_cookie(headers).await,
        }
    }

    /// The principal of the session cookie alone.
    pub(crate) async fn authenticate_cookie(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, StorageError> {
        match cookie::read(headers) {
            Some(token) => self.principal(token, TokenKind::Session).await,
            None => Ok(None),
        }
    }

    async fn principal(
        &self,
        secret: &str,
        kind: TokenKind,
    ) -> Result<Option<Principal>, StorageError> {
        let session = self.sessions.find(secret, kind).await?;
        // A tenant that was removed from the configuration has no principals.
        let principal = |session: Arc<Session>| {
            let tenant = self.tenants.get(&session.tenant)?;
            // Nor has a site that was removed.
            let visit = session.visit.as_ref();
            if visit.is_some_and(|visit| !self.admits(&session.tenant, visit)) {
                session.end();
                return None;
            }
            Some(Principal::new(session, tenant.admins_read))
        };
        Ok(session.and_then(principal))
    }
}

/// The key that the headers carry, in `X-API-Key` or else as `Authorization: Bearer`. One that
/// cannot be read is an empty text, which is nobody's key.
pub(crate) fn given_key(headers: &HeaderMap) -> Option<&str> {
    if let Some(key) = headers.get(API_KEY) {
        return Some(key.to_str().unwrap_or_default());
    }
    let given = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    let (scheme, key) = given.split_once(' ').unwrap_or((given, ""));
    scheme.eq_ignore_ascii_case(BEARER).then_some(key.trim())
}

impl Principal {
    /// `admins_read`: administrators of the tenant read what people have to themselves.
    fn new(session: Arc<Session>, admins_read: bool) -> Self {
        let person = session.person.as_ref().map(|person| person.id);
        let scope = match (person, &session.visit) {
            (Some(visitor), Some(visit)) => {
                Scope::of_visitor(session.tenant.clone(), visitor, visit.project.clone())
            }
            (person, _) => Scope::of(session.tenant.clone(), person),
        };
        let reads_all = admins_read && session.role == AccessRole::Admin;
        let caller = Caller {
            scope: if reads_all { scope.reading_all() } else { scope },
            tenant: session.tenant.clone(),
            session: session.id.clone(),
            name: match &session.person {
                Some(person) if !person.name.is_empty() => person.name.clone(),
                _ => session.name.clone(),
            },
            role: session.role,
        };
        Self { caller, session }
    }

    /// Whether it is a visitor of a site that embeds a chat.
    pub(crate) fn is_visitor(&self) -> bool {
        self.session.kind == TokenKind::Visitor
    }
}

/// A visitor's session comes in the header of keys: there is no cookie inside other sites.
fn is_of_visitor(secret: &str) -> bool {
    secret.strip_prefix(SESSION_PREFIX).is_some_and(|rest| rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X-1, I-5: a key is found in either header; `X-API-Key` counts if there are both.
    #[test]
    fn a_key_is_found_in_either_header() {
        let key = |headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, value.parse().unwrap());
            }
            given_key(&map).map(str::to_owned)
        };
        assert_eq!(key(&[]), None);
        assert_eq!(key(&[("x-api-key", "a")]).as_deref(), Some("a"));
        assert_eq!(key(&[("authorization", "Bearer a")]).as_deref(), Some("a"));
        assert_eq!(key(&[("authorization", "bearer  a ")]).as_deref(), Some("a"));
        assert_eq!(key(&[("authorization", "Bearer")]).as_deref(), Some(""));
        assert_eq!(key(&[("authorization", "Basic a")]), None);
        assert_eq!(key(&[("authorization", "Bearer a"), ("x-api-key", "b")]).as_deref(), Some("b"));
        assert_eq!(key(&[("x-api-key", "caf\u{e9}")]).as_deref(), Some(""));
    }
}
