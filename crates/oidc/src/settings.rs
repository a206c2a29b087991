//! What is known of a provider beforehand.

use std::fmt;
use std::str::FromStr;

use secrecy::SecretString;
use url::Url;

use crate::addresses;
use crate::claims::ClaimRules;
use crate::error::SettingsError;

const LONGEST_ID: usize = 32;
const LONGEST_CLIENT_ID: usize = 256;
/// Without it a provider speaks OAuth alone, and returns no ID token.
const OPENID: &str = "openid";

/// The name of a provider in addresses and in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderId(String);

/// A provider, and how this server is known to it.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The provider's name here.
    pub id: ProviderId,
    /// What people read on its button.
    pub title: String,
    /// Its own address, exactly as it says it itself.
    pub issuer: String,
    /// How this server is known to it.
    pub client_id: String,
    /// The secret that goes with it; a public client has none.
    pub client_secret: Option<SecretString>,
    /// What is asked for; `openid` is always among it.
    pub scopes: Vec<String>,
    /// Whether the provider may be on this machine or in a private network.
    pub allow_private_addresses: bool,
    /// Where the provider sends the browser back to.
    pub redirect_uri: String,
    /// Who is admitted, and as what.
    pub claims: ClaimRules,
}

impl ProviderSettings {
    /// Checks what can be checked without the provider.
    pub fn check(&self) -> Result<(), SettingsError> {
        let wrong = |setting, why: &str| Err(SettingsError { setting, why: why.to_owned() });
        if self.title.trim().is_empty() {
            return wrong("title", "it is what people read on the button: it cannot be blank");
        }
        if self.client_id.is_empty()
            || self.client_id.len() > LONGEST_CLIENT_ID
            || self.client_id.contains(char::is_control)
        {
            return wrong("client_id", "it must be what the provider calls this server");
        }
        let is_word = |scope: &String| {
            !scope.is_empty()
                && scope.bytes().all(|b| b.is_ascii_graphic() && !b"\"\\".contains(&b))
        };
        if !self.scopes.iter().all(is_word) {
            return wrong("scopes", "a scope is a word without spaces");
        }
        self.check_issuer()?;
        self.claims.check()
    }

    fn check_issuer(&self) -> Result<(), SettingsError> {
        let wrong = |why: String| SettingsError { setting: "issuer", why };
        let url = addresses::parse(&self.issuer).map_err(|why| wrong(why.to_owned()))?;
        if url.query().is_some() {
            return Err(wrong("it holds a query".to_owned()));
        }
        if !self.allow_private_addresses {
            let usual = parlor_http_client::PublicOnly::new().check(&url);
            usual.map_err(|error| wrong(format!("{error}; {REMEDY}")))?;
            if addresses::is_this_machine(&url) {
                return Err(wrong(format!("this leads to this machine; {REMEDY}")));
            }
        }
        Ok(())
    }

    /// Where the provider describes itself.
    pub(crate) fn discovery(&self) -> Result<Url, &'static str> {
        let issuer = self.issuer.trim_end_matches('/');
        addresses::parse(&format!("{issuer}/.well-known/openid-configuration"))
    }

    /// All scopes, as one value.
    pub(crate) fn scope(&self) -> String {
        let more = self.scopes.iter().map(String::as_str).filter(|scope| *scope != OPENID);
        std::iter::once(OPENID).chain(more).collect::<Vec<_>>().join(" ")
    }
}

/// What permits an address that is not public.
pub(crate) const REMEDY: &str = "allow_private_addresses = true permits it";

impl ProviderId {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProviderId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = (1..=LONGEST_ID).contains(&text.len())
            && text.starts_with(letter)
            && text.chars().all(|c| letter(c) || c == '-' || c == '_');
        let why = "a provider's name is 1 to 32 of a-z, 0-9, '-' and '_', and begins with a letter \
                   or a digit";
        fits.then(|| Self(text.to_owned())).ok_or_else(|| why.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> ProviderSettings {
        ProviderSettings {
            id: "work".parse().unwrap(),
            title: "Work".to_owned(),
            issuer: "https://login.example.org/realms/home".to_owned(),
            client_id: "parlor".to_owned(),
            client_secret: Some("hunter2".into()),
            scopes: vec!["email".to_owned(), "openid".to_owned()],
            allow_private_addresses: false,
            redirect_uri: "https://chat.example.org/login/oidc/work/callback".to_owned(),
            claims: ClaimRules { everyone: true, ..ClaimRules::default() },
        }
    }

    /// Y-1: a wrong setting is named before anybody tries to sign in.
    #[test]
    fn a_wrong_setting_is_named() {
        assert_eq!(settings().check(), Ok(()));
        type Change = fn(&mut ProviderSettings);
        let wrong: [(&str, Change); 11] = [
            ("title", |s| s.title = " ".to_owned()),
            ("issuer", |s| s.issuer = "login.example.org".to_owned()),
            ("issuer", |s| s.issuer = "http://login.example.org".to_owned()),
            ("issuer", |s| s.issuer = "https://login.example.org/?a=b".to_owned()),
            ("issuer", |s| s.issuer = "https://10.0.0.1".to_owned()),
            ("issuer", |s| s.issuer = "http://127.0.0.1:9000".to_owned()),
            ("issuer", |s| s.issuer = "http://localhost:9000".to_owned()),
            ("client_id", |s| s.client_id.clear()),
            ("scopes", |s| s.scopes = vec!["email profile".to_owned()]),
            ("scopes", |s| s.scopes = vec![String::new()]),
            ("claims", |s| s.claims.everyone = false),
        ];
        for (setting, change) in wrong {
            let mut settings = settings();
            change(&mut settings);
            let error = settings.check().unwrap_err();
            assert_eq!(error.setting, setting, "{error}");
        }
        for issuer in ["https://10.0.0.1", "http://127.0.0.1:9000", "http://localhost:9000"] {
            let issuer = issuer.to_owned();
            let private = ProviderSettings { issuer, allow_private_addresses: true, ..settings() };
            assert_eq!(private.check(), Ok(()), "{}", private.issuer);
        }
    }

    #[test]
    fn openid_is_always_asked_for() {
        assert_eq!(settings().scope(), "openid email");
        let none = ProviderSettings { scopes: Vec::new(), ..settings() };
        assert_eq!(none.scope(), "openid");
    }

    /// Some issuers end in a slash; it does not stand twice.
    #[test]
    fn the_description_is_below_the_issuer() {
        let of = |issuer: &str| {
            let settings = ProviderSettings { issuer: issuer.to_owned(), ..settings() };
            settings.discovery().unwrap().to_string()
        };
        let expected = "https://login.example.org/a/.well-known/openid-configuration";
        assert_eq!(of("https://login.example.org/a"), expected);
        assert_eq!(of("https://login.example.org/a/"), expected);
    }

    /// the secret is not printed.
    #[test]
    fn a_secret_is_not_printed() {
        let printed = format!("{:?}", settings());
        assert!(!printed.contains("hunter2"), "{printed}");
    }

    #[test]
    fn a_name_is_short_and_plain() {
        for good in ["google", "work-2", "a", "0_a"] {
            assert_eq!(good.parse::<ProviderId>().unwrap().as_str(), good);
        }
        let long = "a".repeat(33);
        for bad in ["", "Work", "-a", "a/b", "a b", "é", "../x", long.as_str()] {
            assert!(bad.parse::<ProviderId>().is_err(), "{bad}");
        }
    }
}
