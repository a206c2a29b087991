//! What a provider says of itself (OpenID Connect Discovery): its addresses, and what it can do.

use reqwest::Url;
use serde::Deserialize;

use crate::addresses;
use crate::error::OidcError;
use crate::requests::Requests;
use crate::settings::ProviderSettings;

/// How much is repeated of an issuer that is not the configured one.
const LONGEST_REPEATED: usize = 120;

/// The addresses of a provider, checked.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) authorization: Url,
    pub(crate) token: Url,
    pub(crate) keys: Url,
    pub(crate) user_info: Option<Url>,
    pub(crate) end_session: Option<Url>,
    /// Whether it names itself in every callback (RFC 9207).
    pub(crate) names_itself: bool,
    pub(crate) takes: SecretIn,
}

/// How the token endpoint takes the secret of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretIn {
    Header,
    Form,
    /// In none of the ways that are spoken here.
    Neither,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    jwks_uri: Option<String>,
    userinfo_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Metadata {
    pub(crate) async fn fetch(
        requests: &Requests,
        settings: &ProviderSettings,
    ) -> Result<Self, OidcError> {
        let wrong = |why: &str| OidcError::Misconfigured(format!("issuer: {why}"));
        let url = settings.discovery().map_err(wrong)?;
        let url = requests.allowed("issuer", url.as_str())?;
        let document: Document = requests.json("discovery document", &url, None).await?;
        if document.issuer != settings.issuer {
            return Err(OidcError::Misconfigured(format!(
                "issuer: the provider calls itself {:?}; it must be set to exactly that",
                shortened(&document.issuer)
            )));
        }
        Self::of(requests, document)
    }

    fn of(requests: &Requests, document: Document) -> Result<Self, OidcError> {
        let missing =
            |what| OidcError::Misconfigured(format!("its discovery document has no {what}"));
        let needed = |what, address: Option<String>| address.ok_or_else(|| missing(what));
        // A browser opens these two, so they may be where no request of ours may go.
        let page = |what, address: &str| {
            addresses::parse(address)
                .map_err(|why| OidcError::Misconfigured(format!("its {what}: {why}")))
        };
        let optional = |what, address: Option<String>| {
            address.map(|address| requests.allowed(what, &address)).transpose()
        };
        let authorization = needed("authorization_endpoint", document.authorization_endpoint)?;
        let token = needed("token_endpoint", document.token_endpoint)?;
        let keys = needed("jwks_uri", document.jwks_uri)?;
        let end_session = document.end_session_endpoint;
        Ok(Self {
            authorization: page("authorization_endpoint", &authorization)?,
            token: requests.allowed("token_endpoint", &token)?,
            keys: requests.allowed("jwks_uri", &keys)?,
            user_info: optional("userinfo_endpoint", document.userinfo_endpoint)?,
            end_session: end_session
                .map(|address| page("end_session_endpoint", &address))
                .transpose()?,
            names_itself: document.authorization_response_iss_parameter_supported,
            takes: SecretIn::of(document.token_endpoint_auth_methods_supported.as_deref()),
        })
    }
}

impl SecretIn {
    /// The header is what the standard expects of everybody who says nothing.
    fn of(methods: Option<&[String]>) -> Self {
        let has = |name: &str| methods.is_some_and(|all| all.iter().any(|method| method == name));
        if methods.is_none() || has("client_secret_basic") {
            Self::Header
        } else if has("client_secret_post") {
            Self::Form
        } else {
            Self::Neither
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_REPEATED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Y-1: the secret goes into the header, unless the provider only takes it in the form.
    #[test]
    fn the_secret_goes_where_the_provider_takes_it() {
        let of = |methods: &[&str]| {
            let methods: Vec<String> = methods.iter().map(|m| (*m).to_owned()).collect();
            SecretIn::of(Some(&methods))
        };
        assert_eq!(SecretIn::of(None), SecretIn::Header);
        assert_eq!(of(&["client_secret_post", "client_secret_basic"]), SecretIn::Header);
        assert_eq!(of(&["private_key_jwt", "client_secret_post"]), SecretIn::Form);
        assert_eq!(of(&["private_key_jwt", "none"]), SecretIn::Neither);
    }
}
