//! What makes the page an app on a phone (U-11): the manifest, its icons, the service worker, and the
//! page that is shown without a connection.
//!
//! The worker is one small file with the version of the server in it: another version is another
//! worker, which fills a store of its own and removes the old one. It stores the page for offline,
//! and nothing that anybody wrote.

use std::sync::{Arc, LazyLock};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{STYLE, THEME_SCRIPT, asset, template};
use crate::app::App;
use crate::config::{LookConfig, TenantConfig};
use crate::http::errors::ApiError;
use crate::http::locale::Locale;

const WORKER: &str = include_str!("../../pages/worker.js");
const OFFLINE: &str = include_str!("../../pages/offline.html");
const OFFLINE_SCRIPT: &str = include_str!("../../pages/offline.js");

/// The icons, drawn from `icon.svg`.
const ICONS: [(&str, &[u8]); 5] = [
    ("parlor-192.png", include_bytes!("../../pages/icons/parlor-192.png")),
    ("parlor-512.png", include_bytes!("../../pages/icons/parlor-512.png")),
    ("maskable-192.png", include_bytes!("../../pages/icons/maskable-192.png")),
    ("maskable-512.png", include_bytes!("../../pages/icons/maskable-512.png")),
    ("touch-180.png", include_bytes!("../../pages/icons/touch-180.png")),
];

/// Page and accent of the light theme, as in `web/src/styles.css`.
const PAGE_COLOUR: &str = "#faf9f7";
const ACCENT: &str = "#2f6f5e";

/// `GET /manifest.webmanifest`: in the language of the browser, and for whoever is logged in with the
/// look of their project.
pub(crate) async fn manifest(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let principal = app.access.authenticate_cookie(&headers).await?;
    let tenant = principal.and_then(|principal| app.config.tenants.get(&principal.caller.tenant));
    let body = manifest_of(Locale::of(&headers), tenant).to_string();
    let headers = [
        (header::CONTENT_TYPE, "application/manifest+json"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::VARY, "accept-language, cookie"),
    ];
    Ok((headers, body).into_response())
}

fn manifest_of(locale: Locale, tenant: Option<&TenantConfig>) -> Value {
    let project = tenant.and_then(|tenant| tenant.projects.get(&tenant.default_project));
    let has_look = |look: &LookConfig| *look != LookConfig::default();
    let own = project.filter(|project| has_look(&project.look));
    let accent = own.and_then(|project| project.look.accent);
    let (description, waiting) = match locale {
        Locale::En => ("Talk to your agent; you decide what it may do.", "What waits for you"),
        Locale::Pt => {
            ("Fale com o seu agente; você decide o que ele pode fazer.", "O que espera por você")
        }
    };
    let icon = |name: &str, size: &str, purpose: &str| json!({"src": format!("/icons/{name}"), "sizes": size, "type": "image/png", "purpose": purpose});
    json!({
        "id": "/chat",
        "name": own.map_or("Parlor", |project| project.name.as_str()),
        "short_name": own.map_or("Parlor", |project| project.name.as_str()),
        "description": description,
        "lang": if locale == Locale::Pt { "pt-BR" } else { "en" },
        "dir": "ltr",
        "start_url": "/chat",
        "scope": "/",
        "display": "standalone",
        "background_color": PAGE_COLOUR,
        "theme_color": accent.map_or(json!(ACCENT), |accent| json!(accent.light)),
        "icons": [
            icon("parlor-192.png", "192x192", "any"),
            icon("parlor-512.png", "512x512", "any"),
            icon("maskable-192.png", "192x192", "maskable"),
            icon("maskable-512.png", "512x512", "maskable"),
        ],
        "shortcuts": [{"name": waiting, "url": "/waiting"}],
    })
}

/// `GET /icons/{name}`.
pub(crate) async fn app_icon(Path(name): Path<String>) -> Result<Response, ApiError> {
    let found = ICONS.iter().find(|(known, _)| *known == name);
    let (_, bytes) = found.ok_or_else(ApiError::not_found)?;
    let headers =
        [(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "public, max-age=86400")];
    Ok((headers, *bytes).into_response())
}

/// `GET /sw.js`.
pub(crate) async fn worker() -> Response {
    static VERSIONED: LazyLock<String> =
        LazyLock::new(|| template::fill(WORKER, &[("{version}", &version())]));
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, VERSIONED.as_str()).into_response()
}

/// Another one whenever something changes that the worker stores.
fn version() -> String {
    let parts = [WORKER, OFFLINE, OFFLINE_SCRIPT, STYLE, THEME_SCRIPT, env!("CARGO_PKG_VERSION")];
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part.as_bytes()));
    HEXLOWER.encode(&hash.finalize()[..8])
}

/// `GET /offline`: the page that the worker shows without a connection. It has both languages,
/// because it is stored once.
pub(crate) async fn offline(headers: HeaderMap) -> Response {
    let page = template::page(Locale::of(&headers), StatusCode::OK, "Parlor", OFFLINE);
    ([(header::CACHE_CONTROL, "no-cache")], page).into_response()
}

/// `GET /assets/offline.js`.
pub(crate) async fn offline_script() -> Response {
    asset("text/javascript; charset=utf-8", OFFLINE_SCRIPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-11: every icon of the manifest is a file of its size.
    #[test]
    fn the_icons_of_the_manifest_are_there() {
        let manifest = manifest_of(Locale::Pt, None);
        assert_eq!(manifest["lang"], "pt-BR");
        for icon in manifest["icons"].as_array().unwrap() {
            let name = icon["src"].as_str().unwrap().strip_prefix("/icons/").unwrap();
            let (_, bytes) = ICONS.iter().find(|(known, _)| *known == name).unwrap();
            assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
            let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
            let height = u32::from_be_bytes(bytes[20..24].try_into().unwrap());
            assert_eq!(icon["sizes"], format!("{width}x{height}"));
        }
    }

    /// U-11: what the worker stores is part of its version.
    #[test]
    fn the_worker_names_a_version_and_the_files_that_it_stores() {
        assert!(WORKER.contains("'{version}'"));
        for file in ["/offline", "/assets/style.css", "/assets/theme.js", "/assets/offline.js"] {
            assert!(WORKER.contains(&format!("'{file}'")), "{file}");
        }
        assert_eq!(version().len(), 16);
    }
}
