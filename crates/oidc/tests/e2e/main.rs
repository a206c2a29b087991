//! Logins with a provider that does whatever a test wants it to.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod answers;
mod fake_provider;
mod id_tokens;
mod key_rotation;
mod login;
mod secrets;
mod signing;

use std::time::SystemTime;

use fake_provider::FakeProvider;
use parlor_oidc::{ClaimRules, OidcError, Provider, ProviderSettings, SignedIn};

const CLIENT_ID: &str = "parlor & friends";
const SECRET: &str = "client:secret/of+nobody";
const REDIRECT: &str = "https://chat.example.org/login/oidc/work/callback";

fn settings(issuer: &str) -> ProviderSettings {
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ProviderSettings {
        id: "work".parse().unwrap(),
        title: "Work".to_owned(),
        issuer: issuer.to_owned(),
        client_id: CLIENT_ID.to_owned(),
        client_secret: Some(SECRET.into()),
        scopes: vec!["email".to_owned(), "profile".to_owned()],
        allow_private_addresses: true,
        redirect_uri: REDIRECT.to_owned(),
        claims: ClaimRules { everyone: true, ..ClaimRules::default() },
    }
}

fn provider(fake: &FakeProvider) -> Provider {
    Provider::new(settings(&fake.issuer)).unwrap()
}

/// A whole login, by a person who says yes to everything.
async fn log_in(provider: &Provider, fake: &FakeProvider) -> Result<SignedIn, OidcError> {
    let now = SystemTime::now();
    let begun = provider.begin(now).await?;
    provider.finish(&begun.pending, &fake.authorize(&begun.address), now).await
}
