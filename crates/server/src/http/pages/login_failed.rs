//! Nobody was logged in by a provider: why, and what to do.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use parlor_oidc::OidcError;
use parlor_protocol::TenantId;

use super::template::{self, escaped, fill};
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/login_failed.html");

/// The page.
pub(in crate::http) struct LoginFailed<'a> {
    pub(in crate::http) locale: Locale,
    pub(in crate::http) tenant: &'a TenantId,
    /// The title of the provider.
    pub(in crate::http) provider: &'a str,
    pub(in crate::http) error: &'a OidcError,
}

impl LoginFailed<'_> {
    fn status(&self) -> StatusCode {
        match self.error {
            OidcError::BeginAgain => StatusCode::BAD_REQUEST,
            OidcError::Declined | OidcError::NotAdmitted => StatusCode::FORBIDDEN,
            OidcError::TryLater(_) => StatusCode::SERVICE_UNAVAILABLE,
            OidcError::Misconfigured(_) | OidcError::Untrusted(_) => StatusCode::BAD_GATEWAY,
        }
    }

    fn text(&self) -> &'static str {
        match (self.locale, self.error) {
            (Locale::En, OidcError::BeginAgain) => {
                "This login took too long, or was begun in another window. Please begin it again."
            }
            (Locale::Pt, OidcError::BeginAgain) => {
                "Esta entrada demorou demais ou começou em outra janela. Comece de novo."
            }
            (Locale::En, OidcError::Declined) => "{provider} did not log you in.",
            (Locale::Pt, OidcError::Declined) => "{provider} não concluiu a sua entrada.",
            (Locale::En, OidcError::NotAdmitted) => {
                "{provider} knows you, but you have no access here. Ask whoever runs this server."
            }
            (Locale::Pt, OidcError::NotAdmitted) => {
                "{provider} conhece você, mas você não tem acesso aqui. Fale com quem cuida deste \
                 servidor."
            }
            (Locale::En, OidcError::TryLater(_)) => {
                "{provider} cannot be reached right now. Please try again in a moment."
            }
            (Locale::Pt, OidcError::TryLater(_)) => {
                "{provider} não responde agora. Tente de novo daqui a pouco."
            }
            (Locale::En, OidcError::Misconfigured(_) | OidcError::Untrusted(_)) => {
                "Logging in with {provider} does not work. Whoever runs this server finds the \
                 reason in its log."
            }
            (Locale::Pt, OidcError::Misconfigured(_) | OidcError::Untrusted(_)) => {
                "Entrar com {provider} não funciona. Quem cuida deste servidor encontra o motivo \
                 no log."
            }
        }
    }
}

impl IntoResponse for LoginFailed<'_> {
    fn into_response(self) -> Response {
        let (title, back) = match self.locale {
            Locale::En => ("Not logged in", "Back to the login"),
            Locale::Pt => ("Não deu para entrar", "Voltar para a entrada"),
        };
        let values = [
            ("{title}", title),
            ("{text}", self.text()),
            ("{back}", back),
            ("{tenant}", self.tenant.as_str()),
            // Last: the configuration has it, so nothing in it may be taken for a name.
            ("{provider}", &escaped(self.provider)),
        ];
        template::page(self.locale, self.status(), title, &fill(CONTENT, &values))
    }
}
