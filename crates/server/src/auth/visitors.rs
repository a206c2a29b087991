//! Visitors of sites that embed a chat (U-12): no accounts, no cookies.
//!
//! 1. The site's server asks for a token with its key, for one project and one origin, and says who
//!    the visitor is ([`Access::invite_visitor`]).
//! 2. The page hands the token to our frame, which gets a session for it, once
//!    ([`Access::begin_visit`]).
//! 3. The session ends after an hour, with the key, with the origin in the configuration, or when the
//!    visitor logs out. The page gets another token before.
//!
//! Whoever has a key of the tenant names visitors of all sites of the tenant: who a visitor is
//! depends on project, origin and the site's own id of them, and on no key, so that a new key loses
//! no conversation.

use std::str::FromStr;
use std::time::Duration;

use parlor_protocol::{PersonId, PersonName, ProjectId, TenantId, Timestamp};
use parlor_storage::{EmbedToken, NewVisitor, StorageError, Visit, Visitor, VisitorSession};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::token::{TokenHash, new_token, new_token_id};
use super::{Access, AccessError};
use crate::clock::later;

/// How long a token is taken.
const TOKEN_LASTS: Duration = Duration::from_secs(5 * 60);
/// How long a session lasts. A visitor who stays gets another one.
const SESSION_LASTS: Duration = Duration::from_secs(60 * 60);
/// The beginning of the secret of a session, by which it is told from a key.
pub(super) const SESSION_PREFIX: &str = "visit";
const LONGEST_ID: usize = 200;

/// A project in a page of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded<'e> {
    pub(crate) tenant: &'e TenantId,
    pub(crate) project: &'e ProjectId,
    pub(crate) origin: &'e str,
}

/// A site's own id of a visitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteId(String);

/// A text that is none.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("it must have 1 to 200 characters, and no line breaks")]
pub(crate) struct SiteIdError;

/// Whom a site names.
#[derive(Debug)]
pub(crate) struct SitePerson {
    pub(crate) id: SiteId,
    pub(crate) name: Option<PersonName>,
}

/// A session that has begun.
#[derive(Debug)]
pub(crate) struct BegunVisit {
    pub(crate) secret: SecretString,
    pub(crate) visitor: Visitor,
    pub(crate) ends_at: Timestamp,
}

impl FromStr for SiteId {
    type Err = SiteIdError;

    fn from_str(text: &str) -> Result<Self, SiteIdError> {
        let length = text.chars().count();
        let fits = (1..=LONGEST_ID).contains(&length) && !text.chars().any(char::is_control);
        if fits { Ok(Self(text.to_owned())) } else { Err(SiteIdError) }
    }
}

impl Access {
    /// Makes a token for a page, with a key of the tenant; returns until when it is taken.
    pub(crate) async fn invite_visitor(
        &self,
        key: &str,
        embedded: Embedded<'_>,
        person: Option<&SitePerson>,
    ) -> Result<(SecretString, Timestamp), AccessError> {
        let (secret, now) = (new_token("embed")?, self.clock.now());
        let token = EmbedToken {
            tenant: embedded.tenant.clone(),
            project: embedded.project.clone(),
            origin: embedded.origin.to_owned(),
            issuer: TokenHash::of(key).to_hex(),
            created_at: now,
            expires_at: later(now, TOKEN_LASTS),
        };
        let visitor = person.map(|person| NewVisitor {
            id: PersonId::new(Uuid::now_v7()),
            subject: &person.id.0,
            name: person.name.as_ref().map_or("", PersonName::as_str),
        });
        let hash = TokenHash::of(secret.expose_secret()).to_hex();
        self.store.visitors().add_token(&hash, &token, visitor).await?;
        Ok((secret, token.expires_at))
    }

    /// Gives a session for a token, to a frame in a page of this origin; none if the token is not
    /// taken. Somebody whom the site does not know stays who they are while their session lasts:
    /// `same_as`.
    pub(crate) async fn begin_visit(
        &self,
        token: &str,
        origin: &str,
        same_as: Option<PersonId>,
    ) -> Result<Option<BegunVisit>, AccessError> {
        let hash = TokenHash::of(token).to_hex();
        let Some(stored) = self.store.visitors().token(&hash).await? else { return Ok(None) };
        let embedded =
            Embedded { tenant: &stored.tenant, project: &stored.project, origin: &stored.origin };
        let is_for_it = stored.origin == origin && self.is_embedded(embedded);
        if !is_for_it || !self.sessions.is_valid_key(&stored.issuer).await? {
            return Ok(None);
        }
        let secret = new_token(SESSION_PREFIX)?;
        let now = self.clock.now();
        let session = VisitorSession {
            id: new_token_id()?,
            hash: TokenHash::of(secret.expose_secret()).to_hex(),
            same_as,
            new_visitor: PersonId::new(Uuid::now_v7()),
            begins_at: now,
            ends_at: later(now, SESSION_LASTS),
        };
        match self.store.visitors().begin_session(&hash, &session).await {
            Ok(visitor) => Ok(Some(BegunVisit { secret, visitor, ends_at: session.ends_at })),
            Err(StorageError::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends all sessions of a visitor, and their open streams.
    pub(crate) async fn end_visits(&self, visitor: PersonId) -> Result<(), StorageError> {
        self.store.visitors().end_sessions(visitor, self.clock.now()).await?;
        self.sessions.changed().await
    }

    /// Whether a project may be shown in pages of an origin.
    pub(crate) fn is_embedded(&self, embedded: Embedded<'_>) -> bool {
        let tenant = self.tenants.get(embedded.tenant);
        let origins = tenant.and_then(|tenant| tenant.embeds.get(embedded.project));
        origins.is_some_and(|origins| origins.iter().any(|origin| origin == embedded.origin))
    }

    /// Whether a visitor's session still holds, as far as the configuration says.
    pub(super) fn admits(&self, tenant: &TenantId, visit: &Visit) -> bool {
        let Visit { project, origin, .. } = visit;
        self.is_embedded(Embedded { tenant, project, origin })
    }
}
