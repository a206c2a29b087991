//! The response for an address that does not exist: a page for people in a browser,
//! JSON for programs.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::template;
use crate::http::errors::ApiError;
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/not_found.html");

/// Addresses for programs, whatever `Accept` says.
const FOR_PROGRAMS: [&str; 4] = ["/api/", "/ws/", "/assets/", "/v1/"];

/// Answers for every address that no route has.
pub(crate) async fn not_found(uri: Uri, headers: HeaderMap) -> Response {
    let for_programs = FOR_PROGRAMS.iter().any(|start| uri.path().starts_with(start));
    if for_programs || !accepts_html(&headers) {
        return ApiError::not_found().into_response();
    }
    not_found_page(&headers)
}

/// The page, with a link to the chat.
pub(in crate::http) fn not_found_page(headers: &HeaderMap) -> Response {
    let locale = Locale::of(headers);
    let (title, text, back) = match locale {
        Locale::En => (
            "Nothing here",
            "There is no page at this address. It may have been typed wrong or be out of date.",
            "To the chat",
        ),
        Locale::Pt => (
            "Nada aqui",
            "Não há nenhuma página neste endereço. Ele pode ter sido digitado errado ou ser antigo.",
            "Ir para o chat",
        ),
    };
    let values = [("{title}", title), ("{text}", text), ("{back}", back)];
    template::page(locale, StatusCode::NOT_FOUND, title, &template::fill(CONTENT, &values))
}

/// Browsers name HTML when a person opens an address; programs accept anything.
fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted.filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}
