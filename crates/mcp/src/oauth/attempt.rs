//! A login, from the address of the login page to the tokens. Between the two a person is elsewhere,
//! for minutes; another process may finish what one began.

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, AuthorizationMetadata,
    AuthorizationRequest, AuthorizationSession, StateStore, StoredAuthorizationState,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::stored_login::StoredLogin;
use super::{client_config, manager, words};
use crate::login::{BegunLogin, Login, LoginError, LoginNeed};
use crate::resolve::HttpEndpoint;

/// How Parlor is called where it registers.
const CLIENT_NAME: &str = "Parlor";
/// The field by which an authorization server says that it fetches the description of a client.
const FETCHES_CLIENTS: &str = "client_id_metadata_document_supported";
/// The longest reason of an authorization server that is repeated.
const LONGEST_REASON: usize = 200;

/// What is needed to finish a login.
#[derive(Serialize, Deserialize)]
struct Attempt {
    /// The server that it is for.
    url: String,
    challenge: String,
    /// Whom the code is handed to: nobody else gets it.
    issuer: Option<String>,
    token_endpoint: String,
    client_id: String,
    client_secret: Option<String>,
    redirect_uri: String,
    state: StoredAuthorizationState,
}

/// How Parlor is known to an authorization server.
pub(super) struct Client {
    id: Option<String>,
    secret: Option<SecretString>,
    metadata_url: Option<String>,
}

impl Client {
    pub(super) fn of(endpoint: &HttpEndpoint, own_metadata: Option<&String>) -> Self {
        let oauth = &endpoint.oauth;
        Self {
            id: oauth.client_id.clone(),
            secret: oauth.client_secret.clone(),
            metadata_url: oauth.client_metadata_url.clone().or_else(|| own_metadata.cloned()),
        }
    }
}

/// A session of the library, and the client that it is for.
pub(super) struct Started {
    pub(super) session: AuthorizationSession,
    client_id: String,
    client_secret: Option<String>,
}

/// Begins a login: nothing is kept but what is returned.
pub(crate) async fn begin(
    server: &str,
    endpoint: &HttpEndpoint,
    login: &Login,
) -> Result<BegunLogin, LoginError> {
    let Login::Later { redirect_uri, client_metadata_url, store } = login else {
        return Err(LoginError::NotPossible);
    };
    let need = endpoint.login_status.need();
    let challenge = match &need {
        Some(LoginNeed::Login(challenge)) => challenge.as_str(),
        _ => "",
    };
    let mut scopes = endpoint.oauth.scopes.clone();
    if let Some(LoginNeed::Scope(more)) = &need {
        let stored = StoredLogin::new(store.clone(), server, endpoint);
        scopes.extend(stored.scopes().await.map_err(LoginError::Failed)?);
        scopes.extend(more.split_whitespace().map(str::to_owned));
    }
    let mut manager = manager(endpoint).await.map_err(failed)?;
    let kept = Kept::default();
    manager.set_state_store(kept.clone());
    let metadata = find_metadata(&mut manager, challenge).await.map_err(failed)?;
    let client = Client::of(endpoint, client_metadata_url.as_ref());
    let started = started(manager, &metadata, &client, redirect_uri, &scopes).await;
    let started = started.map_err(failed)?;
    let state = kept.take().ok_or_else(|| LoginError::Failed("nothing was begun".to_owned()))?;
    let attempt = Attempt {
        url: endpoint.url.to_string(),
        challenge: challenge.to_owned(),
        issuer: metadata.issuer,
        token_endpoint: metadata.token_endpoint,
        client_id: started.client_id,
        client_secret: started.client_secret,
        redirect_uri: redirect_uri.clone(),
        state,
    };
    let json = serde_json::to_string(&attempt).map_err(|e| LoginError::Failed(e.to_string()))?;
    Ok(BegunLogin {
        address: page_address(started.session.get_authorization_url())?,
        state: attempt.state.csrf_token,
        attempt: SecretString::from(json),
    })
}

/// Finishes a login: `back` is the address that the person was sent back to.
pub(crate) async fn finish(
    server: &str,
    endpoint: &HttpEndpoint,
    login: &Login,
    attempt: &SecretString,
    back: &str,
) -> Result<(), LoginError> {
    let Login::Later { store, .. } = login else { return Err(LoginError::NotPossible) };
    let attempt: Attempt = serde_json::from_str(attempt.expose_secret())
        .map_err(|_| LoginError::Failed("it was begun by another version".to_owned()))?;
    if attempt.url != endpoint.url.as_str() {
        return Err(LoginError::Failed("the address of the server has changed".to_owned()));
    }
    refused(back)?;
    let back = AuthorizationCallback::from_redirect_url(back).map_err(failed)?;
    let mut manager = manager(endpoint).await.map_err(failed)?;
    let found = find_metadata(&mut manager, &attempt.challenge).await.map_err(failed)?;
    if (&found.issuer, &found.token_endpoint) != (&attempt.issuer, &attempt.token_endpoint) {
        let why = "the server names another authorization server than before";
        return Err(LoginError::Failed(why.to_owned()));
    }
    let secret = attempt.client_secret.as_deref();
    let config = client_config(&attempt.client_id, secret, &attempt.redirect_uri);
    manager.configure_client(config).map_err(failed)?;
    manager.set_state_store(Kept::with(attempt.state));
    let stored = StoredLogin::new(store.clone(), server, endpoint);
    manager.set_credential_store(stored.of_client(attempt.client_secret, attempt.redirect_uri));
    let tokens = manager.exchange_code_for_token_with_issuer(
        &back.code,
        &back.csrf_token,
        back.issuer.as_deref(),
    );
    tokens.await.map_err(failed)?;
    endpoint.login_status.renewed();
    Ok(())
}

/// Finds the authorization server, and has the manager use it.
pub(super) async fn find_metadata(
    manager: &mut AuthorizationManager,
    challenge: &str,
) -> Result<AuthorizationMetadata, AuthError> {
    let challenge = Some(challenge).filter(|challenge| !challenge.is_empty());
    let metadata = manager.resolve_metadata_from_challenge(challenge).await?.metadata;
    manager.set_metadata(metadata.clone());
    Ok(metadata)
}

/// Makes Parlor known to the authorization server, and the address of the login page. A client
/// that was registered beforehand is used, or else the one that describes itself, or else a new one.
pub(super) async fn started(
    mut manager: AuthorizationManager,
    metadata: &AuthorizationMetadata,
    client: &Client,
    redirect_uri: &str,
    scopes: &[String],
) -> Result<Started, AuthError> {
    let scopes = match scopes {
        [] => manager.select_initial_scopes(&[]).await,
        scopes => scopes.to_vec(),
    };
    let request = AuthorizationRequest::new(redirect_uri)
        .with_initial_scope_selection()
        .with_scopes(scopes.clone());
    let (request, client_id, client_secret) = match client {
        Client { id: Some(id), secret, .. } => {
            let secret = secret.as_ref().map(|secret| secret.expose_secret().to_owned());
            (request.with_preregistered_client(id), id.clone(), secret)
        }
        Client { metadata_url: Some(url), .. } if fetches_clients(metadata) => {
            (request.with_client_metadata_url(url), url.clone(), None)
        }
        _ => {
            let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
            let new = manager.register_client(CLIENT_NAME, redirect_uri, &scopes).await?;
            let request = request.with_preregistered_client(new.client_id.clone());
            (request, new.client_id, new.client_secret)
        }
    };
    let request = match &client_secret {
        Some(secret) => request.with_client_secret(secret),
        None => request,
    };
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
    Ok(Started { session, client_id, client_secret })
}

fn fetches_clients(metadata: &AuthorizationMetadata) -> bool {
    metadata.additional_fields.get(FETCHES_CLIENTS).is_some_and(|value| value == true)
}

/// The authorization server's word that the person, or it, said no.
fn refused(back: &str) -> Result<(), LoginError> {
    let back = Url::parse(back).map_err(|error| LoginError::Failed(error.to_string()))?;
    let part = |name: &str| back.query_pairs().find(|(key, _)| key == name).map(|(_, text)| text);
    let Some(error) = part("error") else { return Ok(()) };
    let text = part("error_description").unwrap_or_default();
    let said = format!("the login was refused: {error} {text}");
    let said: String = said.trim().chars().filter(|c| !c.is_control()).collect();
    Err(LoginError::Failed(said.chars().take(LONGEST_REASON).collect()))
}

/// The address of a login page is opened by a browser: nothing else than a page is.
fn page_address(address: &str) -> Result<String, LoginError> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or_else(|| LoginError::Failed("the login page has no address".to_owned()))?;
    Ok(url.into())
}

fn failed(error: AuthError) -> LoginError {
    LoginError::Failed(words(&error))
}

/// The state of one login, in memory.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<StoredAuthorizationState>>>);

impl Kept {
    fn with(state: StoredAuthorizationState) -> Self {
        Self(Arc::new(Mutex::new(Some(state))))
    }

    fn take(&self) -> Option<StoredAuthorizationState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait::async_trait]
impl StateStore for Kept {
    async fn save(&self, _: &str, state: StoredAuthorizationState) -> Result<(), AuthError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        Ok(())
    }

    async fn load(&self, token: &str) -> Result<Option<StoredAuthorizationState>, AuthError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(kept.filter(|state| state.csrf_token == token))
    }

    async fn delete(&self, _: &str) -> Result<(), AuthError> {
        self.take();
        Ok(())
    }
}
