//! The page for a link to share that does not work, whatever the reason.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::template;
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/not_found.html");

/// It says the same of a link that never was, one that expired and one that was taken back.
pub(in crate::http) fn link_not_valid(headers: &HeaderMap) -> Response {
    let locale = Locale::of(headers);
    let (title, text, back) = match locale {
        Locale::En => (
            "This link does not work",
            "It was taken back, or its time is over, or a part of it is missing. Ask whoever sent it.",
            "To the login page",
        ),
        Locale::Pt => (
            "Este link não funciona",
            "Ele foi desfeito, ou o prazo terminou, ou falta uma parte dele. Pergunte a quem o enviou.",
            "Ir para a página de entrada",
        ),
    };
    let values = [("{title}", title), ("{text}", text), ("{back}", back)];
    let content = template::fill(CONTENT, &values).replace("\"/chat\"", "\"/login\"");
    template::page(locale, StatusCode::NOT_FOUND, title, &content)
}
