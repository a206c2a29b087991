//! `GET /widget.js`: the script that pages of other sites load.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::http::edge;

const SCRIPT: &str = include_str!("../../pages/widget.js");
/// Its address never changes, so browsers look again soon, and are shown the old one meanwhile.
const CACHE: &str = "public, max-age=600, stale-while-revalidate=86400";

static TAG: LazyLock<String> = LazyLock::new(|| {
    let hash = HEXLOWER.encode(&Sha256::digest(SCRIPT.as_bytes()));
    format!("\"{}\"", hash.get(..32).unwrap_or_default())
});

/// The script. It is no secret, and may be loaded by any page.
pub(crate) async fn read(headers: HeaderMap) -> Response {
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let is_known = known.into_iter().any(|value| value.as_bytes() == TAG.as_bytes());
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => {
            ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE));
    if let Ok(tag) = HeaderValue::from_str(&TAG) {
        headers.insert(header::ETAG, tag);
    }
    response.extensions_mut().insert(edge::ForEverySite);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-12: a page that embeds a chat loads little, and code that needs no exception in its policy.
    #[test]
    fn the_script_is_small_and_plain() {
        assert!(SCRIPT.len() < 12_000, "{} bytes", SCRIPT.len());
        for forbidden in ["eval(", "innerHTML", "Function(", "setAttribute('style'", "<style"] {
            assert!(!SCRIPT.contains(forbidden), "{forbidden}");
        }
    }
}
