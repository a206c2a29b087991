//! A provider that people can sign in with: beginning and finishing a login, and logging out.

use std::time::SystemTime;

use secrecy::{ExposeSecret as _, SecretString};

use crate::callback::{self, Sender};
use crate::claims::{Claims, Identity};
use crate::discovery::Metadata;
use crate::error::{OidcError, SettingsError};
use crate::id_token::{Expected, IdToken};
use crate::json_web_keys::Verdict;
use crate::known::{Knowledge, Known};
use crate::pending_login::PendingLogin;
use crate::requests::Requests;
use crate::settings::{ProviderId, ProviderSettings};
use crate::token_request::{Tokens, exchange};

/// A provider. rustls must have its crypto provider.
#[derive(Debug)]
pub struct Provider {
    settings: ProviderSettings,
    requests: Requests,
    knowledge: Knowledge,
}

/// A login that was begun.
#[derive(Debug)]
pub struct BegunLogin {
    /// Where the browser goes.
    pub address: String,
    /// What finishes it.
    pub pending: PendingLogin,
}

/// A person whom the provider signed in, and who is admitted.
#[derive(Debug)]
pub struct SignedIn {
    /// Who it is.
    pub identity: Identity,
    /// What the provider recognises its session by when the person logs out. A secret.
    pub id_token: SecretString,
}

impl Provider {
    /// A provider whose settings were checked ([`ProviderSettings::check`]). Nothing is requested
    /// yet.
    pub fn new(settings: ProviderSettings) -> Result<Self, OidcError> {
        let wrong = |error: SettingsError| OidcError::Misconfigured(error.to_string());
        settings.check().map_err(wrong)?;
        let requests = Requests::new(settings.allow_private_addresses)?;
        Ok(Self { settings, requests, knowledge: Knowledge::default() })
    }

    /// Its name in addresses.
    pub fn id(&self) -> &ProviderId {
        &self.settings.id
    }

    /// Its own address: a subject is somebody only together with it.
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// What people read on its button.
    pub fn title(&self) -> &str {
        &self.settings.title
    }

    /// Begins a login. Nothing is kept but what is returned.
    pub async fn begin(&self, now: SystemTime) -> Result<BegunLogin, OidcError> {
        let known = self.knowledge.get(&self.requests, &self.settings).await?;
        let pending = PendingLogin::new(&self.settings, now)?;
        let mut address = known.metadata.authorization.clone();
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", &pending.redirect_uri)
            .append_pair("scope", &self.settings.scope())
            .append_pair("state", &pending.state)
            .append_pair("nonce", &pending.nonce)
            .append_pair("code_challenge", &pending.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(BegunLogin { address: address.into(), pending })
    }

    /// Finishes a login: `query` is what the browser came back with, after the `?`.
    pub async fn finish(
        &self,
        pending: &PendingLogin,
        query: &str,
        now: SystemTime,
    ) -> Result<SignedIn, OidcError> {
        if !pending.is_for(&self.settings, now) {
            return Err(OidcError::BeginAgain);
        }
        let known = self.knowledge.get(&self.requests, &self.settings).await?;
        let sender = Sender {
            issuer: &self.settings.issuer,
            names_itself: known.metadata.names_itself,
            state: &pending.state,
        };
        let code = callback::code(query, &sender)?;
        let metadata = &known.metadata;
        let tokens = exchange(&self.requests, metadata, &self.settings, pending, &code).await?;
        let claims = self.checked_claims(&known, &tokens.id_token, pending, now).await?;
        let claims = self.with_user_info(claims, metadata, &tokens).await?;
        let identity = self.settings.claims.identity(&claims)?;
        Ok(SignedIn { identity, id_token: tokens.id_token })
    }

    /// Where a browser ends its session at the provider, and is sent back from; `None` if the
    /// provider has no such page. `back` must be known to the provider.
    pub async fn log_out_address(
        &self,
        id_token: Option<&SecretString>,
        back: &str,
    ) -> Result<Option<String>, OidcError> {
        let known = self.knowledge.get(&self.requests, &self.settings).await?;
        let Some(mut address) = known.metadata.end_session.clone() else { return Ok(None) };
        let mut query = address.query_pairs_mut();
        query
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("post_logout_redirect_uri", back);
        if let Some(token) = id_token {
            query.append_pair("id_token_hint", token.expose_secret());
        }
        drop(query);
        Ok(Some(address.into()))
    }

    /// The claims of an ID token, once everything about it was checked.
    async fn checked_claims(
        &self,
        known: &Known,
        id_token: &SecretString,
        pending: &PendingLogin,
        now: SystemTime,
    ) -> Result<Claims, OidcError> {
        let token = IdToken::parse(id_token.expose_secret())?;
        let mut verdict = token.verify(&known.keys);
        if verdict == Verdict::UnknownKey {
            let keys = self.knowledge.newer_keys(&self.requests, known).await?;
            verdict = token.verify(&keys);
        }
        match verdict {
            Verdict::Valid => token.claims(&Expected {
                issuer: &self.settings.issuer,
                client_id: &self.settings.client_id,
                nonce: &pending.nonce,
                now,
            }),
            Verdict::UnknownKey => {
                Err(OidcError::Untrusted("its ID token is signed with a key that is not its own"))
            }
            Verdict::Forged => Err(OidcError::Untrusted("the signature of its ID token is wrong")),
        }
    }

    /// Adds claims that the provider tells apart from the ID token, if some are missing there. What
    /// is signed counts first.
    async fn with_user_info(
        &self,
        mut claims: Claims,
        metadata: &Metadata,
        tokens: &Tokens,
    ) -> Result<Claims, OidcError> {
        let (Some(url), Some(token)) = (&metadata.user_info, &tokens.access_token) else {
            return Ok(claims);
        };
        if self.settings.claims.are_answered_by(&claims) {
            return Ok(claims);
        }
        let more = self.requests.json::<Claims>("userinfo_endpoint", url, Some(token)).await;
        let more = match more {
            Ok(more) => more,
            // What is missing is a name, or would have given more rights.
            Err(_) if self.settings.claims.identity(&claims).is_ok() => return Ok(claims),
            Err(error) => return Err(error),
        };
        if more.get("sub").is_none() || more.get("sub") != claims.get("sub") {
            return Err(OidcError::Untrusted("its userinfo is about somebody else (sub)"));
        }
        for (name, value) in more {
            claims.entry(name).or_insert(value);
        }
        Ok(claims)
    }
}
