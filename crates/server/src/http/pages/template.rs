//! HTML from templates. Values are our own text or were escaped.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::locale::Locale;

/// The page around the content of a small page.
const PAGE: &str = include_str!("../../pages/page.html");

/// Replaces `{name}` by its value, for each pair.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |page, (name, value)| page.replace(name, value))
}

/// A small page: a title and its content.
pub(super) fn page(locale: Locale, status: StatusCode, title: &str, content: &str) -> Response {
    let values = [("{lang}", locale.as_str()), ("{title}", title)];
    // Last, so that nothing inside the content is taken for a name.
    html(status, fill(PAGE, &values).replace("{content}", content))
}

/// A response with an HTML body.
pub(super) fn html(status: StatusCode, page: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

/// A value that is safe inside text and attributes.
pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
        out
    })
}
