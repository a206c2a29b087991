//! From the code to the tokens (RFC 6749, 4.1.3): the only request with the secret of the client.

use data_encoding::BASE64;
use reqwest::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::callback::word;
use crate::discovery::{Metadata, SecretIn};
use crate::error::OidcError;
use crate::pending_login::PendingLogin;
use crate::requests::{Answer, Requests, refused};
use crate::settings::ProviderSettings;

const WHAT: &str = "token_endpoint";

/// What the provider handed out.
pub(crate) struct Tokens {
    pub(crate) id_token: SecretString,
    pub(crate) access_token: Option<SecretString>,
}

#[derive(Deserialize)]
struct Answered {
    id_token: String,
    access_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

/// The secret in the header, if it goes there, and the form.
type Request = (Option<SecretString>, String);

/// Exchanges the code of a login, which works once.
pub(crate) async fn exchange(
    requests: &Requests,
    metadata: &Metadata,
    settings: &ProviderSettings,
    login: &PendingLogin,
    code: &SecretString,
) -> Result<Tokens, OidcError> {
    let (authorization, form) = request(metadata, settings, login, code)?;
    let answer = requests.form(WHAT, &metadata.token, authorization.as_ref(), form);
    tokens(&answer.await?)
}

fn request(
    metadata: &Metadata,
    settings: &ProviderSettings,
    login: &PendingLogin,
    code: &SecretString,
) -> Result<Request, OidcError> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", code.expose_secret())
        .append_pair("redirect_uri", &login.redirect_uri)
        .append_pair("code_verifier", &login.verifier);
    let client_id = &settings.client_id;
    let authorization = match (&settings.client_secret, metadata.takes) {
        (Some(secret), SecretIn::Header) => Some(basic(client_id, secret)),
        (Some(secret), SecretIn::Form) => {
            let secret = secret.expose_secret();
            form.append_pair("client_id", client_id).append_pair("client_secret", secret);
            None
        }
        (None, _) => {
            form.append_pair("client_id", client_id);
            None
        }
        (Some(_), SecretIn::Neither) => {
            let why = "client_secret: the provider takes none (client_secret_basic or \
                       client_secret_post); register a client that may use one of them";
            return Err(OidcError::Misconfigured(why.to_owned()));
        }
    };
    Ok((authorization, form.finish()))
}

fn tokens(answer: &Answer) -> Result<Tokens, OidcError> {
    if answer.status == StatusCode::OK {
        let no_token = || OidcError::Untrusted("its token_endpoint returned no ID token");
        let answered: Answered = serde_json::from_slice(&answer.body).map_err(|_| no_token())?;
        return Ok(Tokens {
            id_token: answered.id_token.into(),
            access_token: answered.access_token.map(SecretString::from),
        });
    }
    let refusal: Option<Refusal> = serde_json::from_slice(&answer.body).ok();
    match refusal.as_ref().map(|refusal| refusal.error.as_str()) {
        // The code has lapsed, or was used.
        Some("invalid_grant") => Err(OidcError::BeginAgain),
        Some(error) if answer.status.is_client_error() => Err(OidcError::Misconfigured(format!(
            "the provider refuses with {}: check client_id and client_secret",
            word(error)
        ))),
        _ => Err(refused(WHAT, answer.status)),
    }
}

/// Both parts are escaped before they are joined (RFC 6749, 2.3.1).
fn basic(client_id: &str, secret: &SecretString) -> SecretString {
    let escaped = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let joined = format!("{}:{}", escaped(client_id), escaped(secret.expose_secret()));
    SecretString::from(format!("Basic {}", BASE64.encode(joined.as_bytes())))
}
