//! The page of an invitation: it asks for a name and a password of one's own.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::template::{self, escaped, fill};
use crate::auth::PasswordProblem;
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/invite.html");
const NOT_VALID: &str = include_str!("../../pages/not_found.html");

/// The page of an invitation that can be accepted.
pub(in crate::http) struct InvitePage<'a> {
    pub(in crate::http) locale: Locale,
    /// Where it leads: the name of the tenant, and of who invites.
    pub(in crate::http) tenant: &'a str,
    pub(in crate::http) invited_by: &'a str,
    /// What was typed as a name.
    pub(in crate::http) name: &'a str,
    pub(in crate::http) problem: Option<InviteProblem>,
}

/// Why the page is shown again.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) enum InviteProblem {
    BadName,
    NameTaken,
    Password(PasswordProblem),
    NotTheSame,
    Busy,
}

struct Text {
    title: &'static str,
    note: &'static str,
    name: &'static str,
    name_hint: &'static str,
    password: &'static str,
    password_hint: &'static str,
    again: &'static str,
    enter: &'static str,
}

impl Text {
    fn of(locale: Locale) -> Self {
        match locale {
            Locale::En => Self {
                title: "Welcome",
                note: "{invited_by} invites you to {tenant}.",
                name: "Your name",
                name_hint: "You log in with it, and the others see it.",
                password: "A password of your own",
                password_hint: "At least 8 characters.",
                again: "The same password again",
                enter: "Begin",
            },
            Locale::Pt => Self {
                title: "Boas-vindas",
                note: "{invited_by} convida você para {tenant}.",
                name: "Seu nome",
                name_hint: "Você entra com ele, e os outros o veem.",
                password: "Uma senha só sua",
                password_hint: "Pelo menos 8 caracteres.",
                again: "A mesma senha outra vez",
                enter: "Começar",
            },
        }
    }
}

impl InviteProblem {
    fn text(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::BadName, Locale::En) => {
                "Please choose a name of 1 to 80 letters, digits and spaces."
            }
            (Self::BadName, Locale::Pt) => "Escolha um nome de 1 a 80 letras, números e espaços.",
            (Self::NameTaken, Locale::En) => {
                "Somebody here has this name already. Please choose another one."
            }
            (Self::NameTaken, Locale::Pt) => "Alguém aqui já tem este nome. Escolha outro.",
            (Self::Password(PasswordProblem::TooShort), Locale::En) => {
                "This password is easy to guess. Please choose one of at least 8 characters."
            }
            (Self::Password(PasswordProblem::TooShort), Locale::Pt) => {
                "Esta senha é fácil de adivinhar. Escolha uma de pelo menos 8 caracteres."
            }
            (Self::Password(PasswordProblem::TooLong), Locale::En) => {
                "This password is too long. Please choose a shorter one."
            }
            (Self::Password(PasswordProblem::TooLong), Locale::Pt) => {
                "Esta senha é longa demais. Escolha uma mais curta."
            }
            (Self::NotTheSame, Locale::En) => "The two passwords differ. Please type them again.",
            (Self::NotTheSame, Locale::Pt) => "As duas senhas são diferentes. Digite de novo.",
            (Self::Busy, Locale::En) => "That did not work right now. Please try again.",
            (Self::Busy, Locale::Pt) => "Não deu certo agora. Tente de novo.",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::NameTaken => StatusCode::CONFLICT,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::BadName | Self::Password(_) | Self::NotTheSame => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        }
    }
}

impl IntoResponse for InvitePage<'_> {
    fn into_response(self) -> Response {
        let Self { locale, tenant, invited_by, name, problem } = self;
        let text = Text::of(locale);
        let values: [(&str, &str); 12] = [
            ("{title}", text.title),
            ("{note}", text.note),
            ("{name_label}", text.name),
            ("{name_hint}", text.name_hint),
            ("{password}", text.password),
            ("{password_hint}", text.password_hint),
            ("{again}", text.again),
            ("{enter}", text.enter),
            ("{trouble}", problem.map_or("", |problem| problem.text(locale))),
            // Last: people choose them, and nothing in them is taken for a name.
            ("{tenant}", &without_braces(tenant)),
            ("{invited_by}", &without_braces(invited_by)),
            ("{typed}", &without_braces(name)),
        ];
        let status = problem.map_or(StatusCode::OK, InviteProblem::status);
        unlisted(template::page(locale, status, text.title, &fill(CONTENT, &values)))
    }
}

/// The page of a link that does not work: it is unknown, was used, or has lapsed.
pub(in crate::http) fn invitation_not_valid(locale: Locale) -> Response {
    let (title, text, back) = match locale {
        Locale::En => (
            "This invitation does not work",
            "It was used already, or it is too old, or a part of the link is missing. Ask whoever \
             sent it for a new one.",
            "To the login page",
        ),
        Locale::Pt => (
            "Este convite não funciona",
            "Ele já foi usado, ou é antigo demais, ou falta uma parte do link. Peça um novo a quem \
             o enviou.",
            "Ir para a página de entrada",
        ),
    };
    let values = [("{title}", title), ("{text}", text), ("{back}", back)];
    let content = fill(NOT_VALID, &values).replace("\"/chat\"", "\"/login\"");
    unlisted(template::page(locale, StatusCode::NOT_FOUND, title, &content))
}

/// A page whose address is a secret: no search engine lists it, and no other site learns it.
fn unlisted(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let robots = HeaderName::from_static("x-robots-tag");
    headers.insert(robots, HeaderValue::from_static("noindex, nofollow"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn without_braces(text: &str) -> String {
    escaped(text).replace('{', "&#123;")
}
