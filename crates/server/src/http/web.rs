//! The web interface, embedded in the binary as it was built.
//!
//! 1. File names contain a hash of the content, so browsers cache them for ever; the
//!    page that names them is revalidated by its `ETag`.
//! 2. Files were compressed when the interface was built; the smallest form that the
//!    browser accepts is sent as it is.
//! 3. A page among them is for a frame that draws what an agent wrote (diagrams). It is served
//!    into a sandbox: it has no origin, and reaches nothing.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use rust_embed::RustEmbed;
use serde::Deserialize;

use super::body::Parameters;
use super::edge;
use super::errors::ApiError;
use crate::app::App;
use crate::config::Config;

/// Empty on a fresh clone, until the web interface is built.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Bundle;

struct File {
    data: Cow<'static, [u8]>,
    hash: [u8; 32],
}

impl Bundle {
    fn file(name: &str) -> Option<File> {
        let file = Self::get(name)?;
        Some(File { hash: file.metadata.sha256_hash(), data: file.data })
    }
}

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const REVALIDATE: &str = "no-cache";

/// What a page for a frame may do: run the script in it, which its own policy names by its hash, and
/// set styles. It can be shown only inside our own page.
const SANDBOX: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/// For a page for a frame: whose pages are around ours, if it is embedded.
#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    /// `tenant/project`.
    embed: Option<String>,
}

/// `GET /assets/…`: a file of the built interface.
pub(crate) async fn asset(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Parameters(query): Parameters<Query>,
    headers: HeaderMap,
) -> Response {
    let mut response = answer(Bundle::file, &format!("assets/{name}"), &headers, IMMUTABLE)
        .unwrap_or_else(|| ApiError::not_found().into_response());
    if is_page(&name) {
        response.extensions_mut().insert(sandbox(&app.config, query.embed.as_deref()));
    }
    response
}

/// The policy of a page for a frame. All pages around a frame count: of an embedded chat, ours and
/// that of the site. A project without sites adds none.
fn sandbox(config: &Config, embed: Option<&str>) -> edge::FramePolicy {
    let own = || edge::FramePolicy::for_own_pages(HeaderValue::from_static(SANDBOX));
    let Some((tenant, project)) = embed.and_then(|named| named.split_once('/')) else {
        return own();
    };
    let Some(origins) = config.sites_of(tenant, project) else { return own() };
    let policy = HeaderValue::try_from(format!("{SANDBOX} {}", origins.join(" ")));
    policy.map_or_else(|_| own(), edge::FramePolicy::for_sites)
}

/// The page of the interface for a frame in pages of these origins, which it is told; none if it was
/// not built.
pub(super) fn embedded_page(origins: &str) -> Option<Response> {
    let page = String::from_utf8(Bundle::file("index.html")?.data.into_owned()).ok()?;
    let told = format!("<meta name=\"parlor-embed\" content=\"{origins}\"></head>");
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, REVALIDATE)];
    Some((headers, page.replacen("</head>", &told, 1)).into_response())
}

fn is_page(name: &str) -> bool {
    media_type(name).is_some_and(|kind| kind.starts_with("text/html"))
}

/// The page of the interface; none if it was not built.
pub(super) fn page(headers: &HeaderMap) -> Option<Response> {
    answer(Bundle::file, "index.html", headers, REVALIDATE)
}

fn answer(
    files: fn(&str) -> Option<File>,
    name: &str,
    headers: &HeaderMap,
    cache: &'static str,
) -> Option<Response> {
    let media_type = media_type(name)?;
    let (file, encoding) = smallest_form(files, name, headers)?;
    let tag = HEXLOWER.encode(&file.hash[..16]);
    let tag = HeaderValue::from_str(&format!("\"{tag}\"")).ok()?;
    let is_cached = headers.get_all(header::IF_NONE_MATCH).iter().any(|value| *value == tag);
    let mut response = if is_cached {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Response::new(body_of(file.data));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        response
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let (Some(encoding), false) = (encoding, is_cached) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// The smallest form that was built and that the browser accepts.
fn smallest_form(
    files: fn(&str) -> Option<File>,
    name: &str,
    headers: &HeaderMap,
) -> Option<(File, Option<&'static str>)> {
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(file) = files(&format!("{name}.{ending}"))
        {
            return Some((file, Some(encoding)));
        }
    }
    files(name).map(|file| (file, None))
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|entry| {
        let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
        let refused = weight.trim().trim_start_matches("q=").parse() == Ok(0.0_f32);
        name.trim().eq_ignore_ascii_case(encoding) && !refused
    })
}

fn body_of(data: Cow<'static, [u8]>) -> Body {
    match data {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    }
}

/// Only the types that a build contains. Compressed forms are not served by name.
fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "json" => Some("application/json"),
        "woff2" => Some("font/woff2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    /// Stands for a build.
    fn built(path: &str) -> Option<File> {
        let data: &'static [u8] = match path {
            "assets/index-1a2b.js" => b"plain",
            "assets/index-1a2b.js.br" => b"br",
            "assets/index-1a2b.js.gz" => b"gz",
            "assets/icon.svg" => b"<svg/>",
            _ => return None,
        };
        Some(File { data: Cow::Borrowed(data), hash: [data[0]; 32] })
    }

    async fn requested(name: &str, header: (HeaderName, &str)) -> Option<(Response, Vec<u8>)> {
        let headers = HeaderMap::from_iter([(header.0, header.1.parse().unwrap())]);
        let response = answer(built, name, &headers, IMMUTABLE)?;
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1_000).await.unwrap();
        Some((Response::from_parts(parts, Body::empty()), bytes.to_vec()))
    }

    #[tokio::test]
    async fn the_smallest_form_that_the_browser_accepts() {
        let forms = [
            ("gzip, deflate, br, zstd", Some("br"), "br"),
            ("gzip", Some("gzip"), "gz"),
            ("br;q=0, gzip;q=0.5", Some("gzip"), "gz"),
            ("identity", None, "plain"),
        ];
        for (accepted, encoding, body) in forms {
            let header = (header::ACCEPT_ENCODING, accepted);
            let (response, bytes) = requested("assets/index-1a2b.js", header).await.unwrap();
            let headers = response.headers();
            let sent = headers.get("content-encoding").map(|value| value.to_str().unwrap());
            assert_eq!((sent, bytes.as_slice()), (encoding, body.as_bytes()), "{accepted}");
            assert_eq!(headers["content-type"], "text/javascript; charset=utf-8");
            assert_eq!(headers["cache-control"], IMMUTABLE);
            assert_eq!(headers["vary"], "accept-encoding");
        }
        let (plain, _) =
            requested("assets/icon.svg", (header::ACCEPT_ENCODING, "br")).await.unwrap();
        assert!(!plain.headers().contains_key("content-encoding"), "it was not compressed");
    }

    #[tokio::test]
    async fn a_cached_file_is_not_sent_again() {
        let any = (header::ACCEPT, "*/*");
        let (first, _) = requested("assets/icon.svg", any).await.unwrap();
        let tag = first.headers()["etag"].to_str().unwrap().to_owned();
        let known = (header::IF_NONE_MATCH, tag.as_str());
        let (second, bytes) = requested("assets/icon.svg", known).await.unwrap();
        assert_eq!((second.status(), bytes.len()), (StatusCode::NOT_MODIFIED, 0));
        let other = (header::IF_NONE_MATCH, "\"other\"");
        assert_eq!(requested("assets/icon.svg", other).await.unwrap().0.status(), StatusCode::OK);
    }

    /// U-9: the page that draws diagrams has no origin and no network, also if it is opened by itself.
    #[test]
    fn a_page_for_a_frame_is_in_a_sandbox() {
        assert!(is_page("diagram-1a2b.html"));
        assert!(!is_page("index-1a2b.js") && !is_page("diagram-1a2b.html.br"));
        assert!(SANDBOX.starts_with("sandbox allow-scripts; default-src 'none'; "));
        assert!(!SANDBOX.contains("same-origin") && !SANDBOX.contains("http"));
        assert!(HeaderValue::from_str(SANDBOX).is_ok());
    }

    #[tokio::test]
    async fn only_files_of_the_build() {
        for name in ["assets/nothing.js", "assets/index-1a2b.js.br", "assets/", "../Cargo.toml"] {
            assert!(requested(name, (header::ACCEPT, "*/*")).await.is_none(), "{name}");
        }
    }
}
