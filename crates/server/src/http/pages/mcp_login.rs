//! `GET /oauth/callback`: where login pages of MCP servers send the browser back to.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{asset, template};
use crate::http::locale::Locale;

const CONTENT: &str = include_str!("../../pages/mcp_login.html");
const SCRIPT: &str = include_str!("../../pages/mcp_login.js");

/// The page. Its script finishes the login; the page itself knows nothing of it.
pub(crate) async fn mcp_login(headers: HeaderMap) -> Response {
    let locale = Locale::of(&headers);
    let (title, text, done, own, back, settings) = match locale {
        Locale::En => (
            "Logging in",
            "The login is being finished…",
            "You are logged in. The server is being connected.",
            "You are logged in: your messages use this login from now on.",
            "To the chat",
            "To your settings",
        ),
        Locale::Pt => (
            "Entrando",
            "A entrada está sendo concluída…",
            "Você entrou. O servidor está sendo conectado.",
            "Você entrou: suas mensagens usam esta entrada a partir de agora.",
            "Ir para o chat",
            "Ir para as suas configurações",
        ),
    };
    let values = [
        ("{title}", title),
        ("{text}", text),
        ("{done}", done),
        ("{own}", own),
        ("{back}", back),
        ("{settings}", settings),
    ];
    let content = template::fill(CONTENT, &values);
    ([(header::CACHE_CONTROL, "no-store")], template::page(locale, StatusCode::OK, title, &content))
        .into_response()
}

/// `GET /assets/mcp_login.js`.
pub(crate) async fn mcp_login_script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT)
}
