//! A page that leads on to another by itself.
//!
//! A redirect continues the request that it answers: one that another site began brings no cookie
//! of a session to the next page, and one after a form may lead nowhere but to our own pages. A
//! page begins anew.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::template::{self, escaped, fill};
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/leading_on.html");

/// The page.
pub(in crate::http) struct LeadingOn<'a> {
    locale: Locale,
    title: &'static str,
    text: &'static str,
    to: &'a str,
}

impl<'a> LeadingOn<'a> {
    /// Into one of our pages, after a login.
    pub(in crate::http) fn after_login(locale: Locale, to: &'a str) -> Self {
        let (title, text) = match locale {
            Locale::En => ("Logged in", "Go on"),
            Locale::Pt => ("Você entrou", "Continuar"),
        };
        Self { locale, title, text, to }
    }

    /// Out to the page on which a provider ends its session.
    pub(in crate::http) fn after_logout(locale: Locale, to: &'a str) -> Self {
        let (title, text) = match locale {
            Locale::En => ("Logging out", "Log out of your account as well"),
            Locale::Pt => ("Saindo", "Sair também da sua conta"),
        };
        Self { locale, title, text, to }
    }
}

impl IntoResponse for LeadingOn<'_> {
    fn into_response(self) -> Response {
        let to = escaped(self.to);
        let values = [("{title}", self.title), ("{text}", self.text), ("{to}", &to)];
        let content = fill(CONTENT, &values);
        let mut response = template::page(self.locale, StatusCode::OK, self.title, &content);
        // Without it the link leads on.
        if let Ok(value) = HeaderValue::from_str(&format!("0; url={}", self.to)) {
            response.headers_mut().insert(header::REFRESH, value);
        }
        response
    }
}
