//! Logging in to a server that asks for it (OAuth 2.1).
//!
//! 1. A request is refused: the server says where to log in (401), or that the login does not
//!    cover this (403, more scopes).
//! 2. The library finds the authorization server; Parlor makes itself known there, and the library
//!    makes the address of the login page ([`attempt`]).
//! 3. If a person is there ([`Login::Now`]), they log in, and the request is sent again; a request
//!    causes a few logins at most. Otherwise the need is noted, and the request fails: somebody
//!    logs in later, and the server is connected anew.
//! 4. The library exchanges the code for tokens. [`stored_login`] keeps them, and renews them for
//!    one process at a time.
//!
//! [`requests`] has the requests to authorization servers, within our own limits.

pub(super) mod attempt;
mod requests;
mod stored_login;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio::sync::Mutex;

use super::http::{self, HttpClient, HttpError};
use super::login::{Login, LoginNeed, LoginPage, LoginStatus, LoginStore};
use super::resolve::HttpEndpoint;
use super::settings::LoginOf;
use requests::Requests;
use stored_login::StoredLogin;

/// The most logins that one request causes.
const MOST_LOGINS: usize = 2;
/// The longest reason that is repeated.
const LONGEST_REASON: usize = 300;

type Failure = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The transport to a server at a URL that may ask for a login.
pub(super) async fn transport(
    server: &str,
    endpoint: &HttpEndpoint,
    login: &Login,
) -> Result<StreamableHttpClientTransport<Authorized>, HttpError> {
    let client = HttpClient::new(endpoint)?;
    let (manager, who) = match login {
        Login::Now(page) => (manager(endpoint).await, Who::Person(page.clone())),
        Login::Later { store, .. } => {
            let login = StoredLogin::new(store.clone(), server, endpoint);
            let noted = Noted {
                server: server.to_owned(),
                status: endpoint.login_status.clone(),
                store: store.clone(),
                by: endpoint.login_by,
            };
            (with_stored(endpoint, login).await, Who::Nobody(noted))
        }
    };
    let manager = manager.map_err(|error| HttpError::NotSent(words(&error)))?;
    let authorized = Authorized {
        client: AuthClient::new(client, manager),
        access: Arc::new(Access { who, endpoint: endpoint.clone(), logins: Mutex::default() }),
    };
    Ok(StreamableHttpClientTransport::with_client(authorized, http::config(endpoint)))
}

/// A manager without a login.
async fn manager(endpoint: &HttpEndpoint) -> Result<AuthorizationManager, AuthError> {
    let requests = Requests::new(endpoint).map_err(|e| AuthError::InternalError(e.to_string()))?;
    let url = endpoint.url.as_str();
    AuthorizationManager::new_with_oauth_http_client(url, Arc::new(requests)).await
}

/// A manager with the login that is stored, if there is one that can be used.
async fn with_stored(
    endpoint: &HttpEndpoint,
    login: StoredLogin,
) -> Result<AuthorizationManager, AuthError> {
    let mut manager = manager(endpoint).await?;
    let client = login.client().await.map_err(AuthError::CredentialStoreError)?;
    manager.set_credential_store(login);
    // The tokens are for the authorization server that made them: another one ends the login.
    if let Some(client) = client
        && manager.initialize_from_store().await?
    {
        manager.configure_client(client)?;
        endpoint.login_status.logged_in();
    } else {
        endpoint.login_status.logged_out();
    }
    Ok(manager)
}

/// A client as the library has it.
fn client_config(id: &str, secret: Option<&str>, redirect_uri: &str) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(id, redirect_uri);
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}

/// An HTTP client that logs in when it is asked to.
#[derive(Clone)]
pub(super) struct Authorized {
    client: AuthClient<HttpClient>,
    access: Arc<Access>,
}

struct Access {
    who: Who,
    endpoint: HttpEndpoint,
    /// How often somebody logged in. Locked while they do: requests that are refused at the same
    /// time are covered by the same login.
    logins: Mutex<u64>,
}

/// Who can log in now.
enum Who {
    Person(Arc<dyn LoginPage>),
    /// What is needed is noted.
    Nobody(Noted),
}

/// Where it is noted what a login lacks.
struct Noted {
    server: String,
    status: LoginStatus,
    store: Arc<dyn LoginStore>,
    by: LoginOf,
}

impl Authorized {
    /// Makes a request, and logs in if it is refused.
    async fn with_login<T, F>(&self, request: impl Fn() -> F + Send + Sync) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Failure>> + Send,
    {
        let page = match &self.access.who {
            Who::Person(page) => page,
            Who::Nobody(noted) => return noted.after(request().await).await,
        };
        for _ in 0..MOST_LOGINS {
            let before = *self.access.logins.lock().await;
            let answer = request().await;
            let Some(need) = need(&answer) else { return answer };
            let mut logins = self.access.logins.lock().await;
            if *logins == before {
                self.log_in(page.as_ref(), &need).await.map_err(|why| {
                    StreamableHttpError::Client(HttpError::NotSent(format!("no login: {why}")))
                })?;
                *logins += 1;
            }
        }
        request().await
    }

    async fn log_in(&self, page: &dyn LoginPage, need: &LoginNeed) -> Result<(), String> {
        match need {
            LoginNeed::Scope(scope) => self.widen(page, scope).await,
            LoginNeed::Login(challenge) => self.begin(page, challenge).await,
        }
    }

    /// A login from the start. The authorization server may be another than last time.
    async fn begin(&self, page: &dyn LoginPage, challenge: &str) -> Result<(), String> {
        let endpoint = &self.access.endpoint;
        let mut fresh = manager(endpoint).await.map_err(|error| words(&error))?;
        let metadata = attempt::find_metadata(&mut fresh, challenge).await;
        let metadata = metadata.map_err(|error| words(&error))?;
        let client = attempt::Client::of(endpoint, None);
        let (redirect, scopes) = (page.redirect_uri(), &endpoint.oauth.scopes);
        let started = attempt::started(fresh, &metadata, &client, &redirect, scopes).await;
        let started = started.map_err(|error| words(&error))?.session;
        let back = page.open(started.get_authorization_url().to_owned()).await?;
        started.handle_callback_url(&back).await.map_err(|error| words(&error))?;
        *self.client.auth_manager.lock().await = started.auth_manager;
        Ok(())
    }

    /// A login that covers more.
    async fn widen(&self, page: &dyn LoginPage, scope: &str) -> Result<(), String> {
        let manager = self.client.auth_manager.lock().await;
        // The library counts for as long as it lives; we count for each request.
        manager.reset_scope_upgrade_attempts().await;
        let address = manager.request_scope_upgrade(scope).await.map_err(|error| words(&error))?;
        let back = page.open(address).await?;
        let back = AuthorizationCallback::from_redirect_url(&back).map_err(|e| words(&e))?;
        let issuer = back.issuer.as_deref();
        let tokens =
            manager.exchange_code_for_token_with_issuer(&back.code, &back.csrf_token, issuer);
        tokens.await.map(drop).map_err(|error| words(&error))
    }
}

/// What a refused request needs.
fn need<T>(answer: &Result<T, Failure>) -> Option<LoginNeed> {
    match answer {
        Err(StreamableHttpError::AuthRequired(refused)) => {
            Some(LoginNeed::Login(refused.www_authenticate_header.clone()))
        }
        Err(StreamableHttpError::InsufficientScope(refused)) => {
            Some(LoginNeed::Scope(refused.get_required_scope().unwrap_or_default().to_owned()))
        }
        _ => None,
    }
}

impl Noted {
    /// The answer to a request, with what it needs noted for whoever can log in.
    async fn after<T>(&self, answer: Result<T, Failure>) -> Result<T, Failure> {
        let Some(need) = need(&answer) else {
            if answer.is_ok() && self.status.works() {
                self.note(None).await;
            }
            return answer;
        };
        let (why, refused) = match (&need, self.by) {
            (LoginNeed::Login(_), LoginOf::Project) => {
                ("it asks for a login: an administrator can log in to it", "")
            }
            (LoginNeed::Scope(scope), LoginOf::Project) => {
                ("its login does not cover this: an administrator can log in to it again", &**scope)
            }
            (LoginNeed::Login(_), LoginOf::Person) => {
                ("it asks for a login: each person logs in to it in their settings", "")
            }
            (LoginNeed::Scope(scope), LoginOf::Person) => (
                "the login does not cover this: they can log in to it again in their settings",
                &**scope,
            ),
        };
        self.note(Some(refused.to_owned())).await;
        self.status.needs(need);
        Err(StreamableHttpError::Client(HttpError::LoginNeeded(why)))
    }

    /// What is not stored is lost with the process alone: the next refusal says it again.
    async fn note(&self, refused: Option<String>) {
        if let Err(error) = self.store.refused(&self.server, refused).await {
            tracing::warn!(server = self.server, %error, "what a login lacks was not stored");
        }
    }
}

fn words(error: &AuthError) -> String {
    error.to_string().chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}

impl StreamableHttpClient for Authorized {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.with_login(|| {
            let (uri, message, session) = (uri.clone(), message.clone(), session.clone());
            self.client.post_message(uri, message, session, bearer.clone(), headers.clone())
        })
        .await
    }

    /// Nobody logs in to end something.
    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session, bearer, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        self.client.get_stream(uri, session, last_event_id, bearer, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        bearer: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let stream = self
            .client
            .get_stream_with_max_sse_event_size(uri, session, last_event_id, bearer, headers, most);
        stream.await
    }
}
