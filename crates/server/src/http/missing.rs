//! What an address that does not exist is answered with: a page for whoever
//! reads it in a browser, JSON for programs.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::errors::ApiError;
use super::locale::Locale;
use super::pages::html;

const PAGE: &str = include_str!("../pages/missing.html");

/// Addresses that only programs ask for, whatever they say that they read.
const FOR_PROGRAMS: [&str; 3] = ["/api/", "/ws/", "/assets/"];

/// Answers for every address that no route has.
pub(crate) async fn missing(uri: Uri, headers: HeaderMap) -> Response {
    let for_programs = FOR_PROGRAMS.iter().any(|start| uri.path().starts_with(start));
    if for_programs || !reads_html(&headers) {
        return ApiError::not_found().into_response();
    }
    page(&headers)
}

/// The page, which leads back to the chat.
pub(super) fn page(headers: &HeaderMap) -> Response {
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
    let words =
        [("{lang}", locale.as_str()), ("{title}", title), ("{text}", text), ("{back}", back)];
    let page = words.iter().fold(PAGE.to_owned(), |page, (name, word)| page.replace(name, word));
    html(StatusCode::NOT_FOUND, page)
}

/// Browsers name HTML when a person goes somewhere; programs take anything.
fn reads_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted.filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}
