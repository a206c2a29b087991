//! Who makes a request. A handler that takes a [`Visitor`] cannot run without one.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use parlor_chat::Caller;
use parlor_storage::{AccessRole, TokenKind};

use super::cookie;
use super::session::Session;
use crate::app::App;
use crate::connections::ConnectionPermit;
use crate::http::errors::ApiError;

/// Somebody with a valid session or key.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// As the chat knows them.
    pub caller: Caller,
    /// What ends their streams.
    pub session: Arc<Session>,
}

/// A visitor who may see what concerns the whole tenant.
#[derive(Debug, Clone)]
pub struct Admin(pub Visitor);

impl Visitor {
    /// Whoever the headers prove. A key that is not valid is not made up for
    /// by a cookie.
    pub(crate) async fn of(app: &App, headers: &HeaderMap) -> Result<Option<Self>, ApiError> {
        let found = match headers.get("x-api-key") {
            Some(key) => match key.to_str() {
                Ok(key) => app.access.sessions.find(key, TokenKind::Key).await?,
                Err(_) => None,
            },
            None => match cookie::read(headers) {
                Some(token) => app.access.sessions.find(token, TokenKind::Session).await?,
                None => None,
            },
        };
        // A tenant that was taken out of the configuration is gone.
        let found = found.filter(|session| app.config.tenants.contains_key(&session.tenant));
        Ok(found.map(Self::new))
    }

    fn new(session: Arc<Session>) -> Self {
        let caller = Caller {
            tenant: session.tenant.clone(),
            session: session.id.clone(),
            name: session.name.clone(),
            role: session.role,
        };
        Self { caller, session }
    }
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let visitor = Self::of(app, &parts.headers).await?.ok_or_else(ApiError::unauthorized)?;
        if let Some(permit) = parts.extensions.get::<ConnectionPermit>() {
            permit.sign_in();
        }
        Ok(visitor)
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        match visitor.caller.role {
            AccessRole::Admin => Ok(Self(visitor)),
            AccessRole::User => Err(ApiError::forbidden("This is for administrators.")),
        }
    }
}
