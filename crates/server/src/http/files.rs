//! Files that people sent, and pictures of tools.
//!
//! - `GET /api/images/{id}`: a picture, to be shown.
//! - `GET /api/files/{id}`: any file, to be saved; a picture may be shown.
//!
//! Whatever it is, a browser neither guesses its type nor runs it: only pictures that were decoded
//! are shown in place, all else is a download, in a sandbox of its own.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use parlor_storage::StoredFile;
use uuid::Uuid;

use super::body::PathId;
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;

const SANDBOX: &str = "sandbox; default-src 'none'";

/// A picture: the bytes, with the type that was detected. It never changes.
pub(crate) async fn image(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<Uuid>,
) -> Result<Response, ApiError> {
    let file = app.chat.file(&principal.caller, id).await?;
    match file.is_picture() {
        true => Ok(response(file)),
        false => Err(ApiError::not_found()),
    }
}

/// A file.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<Uuid>,
) -> Result<Response, ApiError> {
    Ok(response(app.chat.file(&principal.caller, id).await?))
}

fn response(file: StoredFile) -> Response {
    let media_type = served_as(&file);
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, disposition(&file)),
        (header::CACHE_CONTROL, "private, max-age=86400, immutable".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CONTENT_SECURITY_POLICY, SANDBOX.to_owned()),
    ];
    (headers, file.bytes).into_response()
}

/// Text is plain text, whatever kind of text it is.
fn served_as(file: &StoredFile) -> &str {
    match file.media_type.as_str() {
        "application/pdf" => "application/pdf",
        picture if file.is_picture() => picture,
        _ => "text/plain; charset=utf-8",
    }
}

/// Shown or saved, and under which name: once for clients that only know ASCII, once in full.
fn disposition(file: &StoredFile) -> String {
    let how = if file.is_picture() { "inline" } else { "attachment" };
    let Some(name) = &file.facts.name else { return how.to_owned() };
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let full = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    format!("{how}; filename=\"{plain}\"; filename*=UTF-8''{}", full.collect::<String>())
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_' | '(' | ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: Option<&str>, media_type: &str) -> StoredFile {
        let mut file = StoredFile::picture(Uuid::nil(), media_type, vec![1]);
        file.facts.name = name.map(str::to_owned);
        file
    }

    /// U-9: a name cannot leave its header, and nothing but a picture is shown in place.
    #[test]
    fn only_pictures_are_shown() {
        let png = file(None, "image/png");
        assert_eq!((disposition(&png).as_str(), served_as(&png)), ("inline", "image/png"));
        let html = file(Some("a\"b;\u{e9}.html"), "text/plain");
        assert_eq!(
            disposition(&html),
            "attachment; filename=\"a_b__.html\"; filename*=UTF-8''a%22b%3B%C3%A9.html"
        );
        assert_eq!(served_as(&html), "text/plain; charset=utf-8");
        let pdf = file(Some("x.pdf"), "application/pdf");
        assert!(disposition(&pdf).starts_with("attachment"));
    }
}
