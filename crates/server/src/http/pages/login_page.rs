//! The login form, and perhaps why it is shown.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parlor_oidc::Provider;
use parlor_protocol::TenantId;

use super::template::{self, escaped, fill};
use super::text::PageText;
use crate::http::locale::Locale;
use crate::http::redirect_target::RedirectTarget;
use crate::oidc_logins::OidcLogins;

const CONTENT: &str = include_str!("../../pages/login.html");
const NAME: &str = include_str!("../../pages/login_name.html");
/// For password managers, where no name is asked for.
const NO_NAME: &str = include_str!("../../pages/login_no_name.html");

/// The login form.
pub(in crate::http) struct LoginPage<'a> {
    pub(in crate::http) locale: Locale,
    pub(in crate::http) tenant: &'a str,
    /// What was typed as a name; none if no name is asked for.
    pub(in crate::http) name: Option<&'a str>,
    pub(in crate::http) next: RedirectTarget,
    pub(in crate::http) notice: Option<LoginNotice>,
    /// Whom people can log in with instead of a password.
    pub(in crate::http) providers: &'a OidcLogins,
}

/// Why the form is shown to somebody who did not ask for it.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) enum LoginNotice {
    SessionEnded,
    WrongPassword,
    TooManyAttempts { seconds: u64 },
}

impl LoginPage<'_> {
    /// A button for each provider of the tenant.
    fn buttons(&self, words: &str) -> String {
        let Ok(tenant) = self.tenant.parse::<TenantId>() else { return String::new() };
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("tenant", tenant.as_str()).append_pair("next", &self.next.path());
        let query = escaped(&query.finish());
        let button = |provider: &Provider| {
            let text = without_braces(&words.replace("{provider}", provider.title()));
            let path = format!("/login/oidc/{}?{query}", provider.id());
            format!("<a class=\"provider\" href=\"{path}\">{text}</a>\n")
        };
        self.providers.providers(&tenant).map(button).collect()
    }
}

/// A value that is safe, and that names nothing of a template.
fn without_braces(text: &str) -> String {
    escaped(text).replace('{', "&#123;")
}

impl IntoResponse for LoginPage<'_> {
    fn into_response(self) -> Response {
        let text = PageText::of(self.locale);
        let (mut note, mut trouble) = ("", String::new());
        let status = match self.notice {
            None => StatusCode::OK,
            Some(LoginNotice::SessionEnded) => {
                note = text.session_ended;
                StatusCode::OK
            }
            Some(LoginNotice::WrongPassword) => {
                let wrong = if self.name.is_some() { text.wrong_name } else { text.wrong_password };
                wrong.clone_into(&mut trouble);
                StatusCode::UNAUTHORIZED
            }
            Some(LoginNotice::TooManyAttempts { seconds }) => {
                trouble = text.too_many_attempts.replace("{seconds}", &seconds.to_string());
                StatusCode::TOO_MANY_REQUESTS
            }
        };
        let (field, password) = match self.name {
            Some(_) => (NAME, text.password_or_family),
            None => (NO_NAME, text.password),
        };
        // What is to be typed first.
        let (focus_name, focus_password) = match self.name {
            Some("") => (" autofocus", ""),
            _ => ("", " autofocus"),
        };
        let content = fill(
            CONTENT,
            &[
                ("{name_field}", field),
                ("{focus_name}", focus_name),
                ("{focus_password}", focus_password),
                ("{name_label}", text.name),
                ("{name_hint}", text.name_hint),
                ("{password}", password),
                ("{enter}", text.enter),
                ("{note}", note),
                ("{trouble}", &trouble),
                ("{next}", &self.next.path()),
                ("{providers}", &self.buttons(text.log_in_with)),
                // Last: a client chooses them, so nothing in them may be taken for a name.
                ("{tenant}", &without_braces(self.tenant)),
                ("{typed}", &without_braces(self.name.unwrap_or_default())),
            ],
        );
        let mut response = template::page(self.locale, status, text.login, &content);
        if let Some(LoginNotice::TooManyAttempts { seconds }) = self.notice {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
