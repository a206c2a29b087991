//! The pages: a form to log in, the chat, and a plain chat for when the web
//! interface was not built (or somebody asks for it: `/chat?plain`).
//!
//! Scripts and styles are files of their own, because the policy forbids inline
//! ones. What is put into a page is ours or was checked, and is escaped anyway.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use parlor_protocol::ConversationId;

use super::errors::ApiError;
use super::landing::Landing;
use super::locale::Locale;
use super::{missing, web};
use crate::app::App;
use crate::auth::{Visitor, cookie};

const LOGIN_PAGE: &str = include_str!("../pages/login.html");
const CHAT_PAGE: &str = include_str!("../pages/chat.html");
const STYLE: &str = include_str!("../pages/style.css");
const CHAT_SCRIPT: &str = include_str!("../pages/chat.js");
const THEME_SCRIPT: &str = include_str!("../pages/theme.js");
const ICON: &str = include_str!("../pages/icon.svg");

/// The form, and perhaps why it is shown.
pub(super) struct LoginPage<'a> {
    pub(super) locale: Locale,
    pub(super) tenant: &'a str,
    pub(super) next: Landing,
    pub(super) why: Option<Why>,
}

/// Why the form is shown to somebody who did not ask for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Why {
    SessionEnded,
    WrongPassword,
    TooMany { seconds: u64 },
}

/// `GET /`.
pub(crate) async fn root() -> Redirect {
    Redirect::to("/chat")
}

/// `GET /chat`: without a session, the form.
pub(crate) async fn chat(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = if query.as_deref() == Some("plain") { Landing::PlainChat } else { Landing::Chat };
    if Visitor::of(&app, &headers).await?.is_none() {
        return Ok(page.after_login(cookie::read(&headers).is_some()));
    }
    if page == Landing::Chat
        && let Some(page) = web::page(&headers)
    {
        return Ok(page);
    }
    let words = Words::of(Locale::of(&headers));
    Ok(html(StatusCode::OK, words.fill(CHAT_PAGE)))
}

/// `GET /c/{id}`: the chat with a conversation open. Whose it is, and whether it
/// is still there, the page learns from the API.
pub(crate) async fn conversation(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Ok(id) = id.parse::<ConversationId>() else {
        return Ok(missing::page(&headers));
    };
    if Visitor::of(&app, &headers).await?.is_none() {
        let ended = cookie::read(&headers).is_some();
        return Ok(Landing::Conversation(id).after_login(ended));
    }
    // The plain page has no addresses.
    Ok(web::page(&headers).unwrap_or_else(|| Redirect::to("/chat").into_response()))
}

/// `GET /assets/style.css`.
pub(crate) async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE)
}

/// `GET /assets/theme.js`: light or dark, before anything is drawn.
pub(crate) async fn theme() -> Response {
    asset("text/javascript; charset=utf-8", THEME_SCRIPT)
}

/// `GET /assets/icon.svg`.
pub(crate) async fn icon() -> Response {
    asset("image/svg+xml", ICON)
}

/// `GET /assets/chat.js`.
pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", CHAT_SCRIPT)
}

impl IntoResponse for LoginPage<'_> {
    fn into_response(self) -> Response {
        let words = Words::of(self.locale);
        let mut note = "";
        let mut trouble = String::new();
        let status = match self.why {
            None => StatusCode::OK,
            Some(Why::SessionEnded) => {
                note = words.ended;
                StatusCode::OK
            }
            Some(Why::WrongPassword) => {
                words.wrong.clone_into(&mut trouble);
                StatusCode::UNAUTHORIZED
            }
            Some(Why::TooMany { seconds }) => {
                trouble = words.too_many.replace("{seconds}", &seconds.to_string());
                StatusCode::TOO_MANY_REQUESTS
            }
        };
        let page = words.fill(LOGIN_PAGE);
        let page = page.replace("{note}", note).replace("{trouble}", &trouble);
        let page =
            page.replace("{next}", &self.next.path()).replace("{tenant}", &escaped(self.tenant));
        let mut response = html(status, page);
        if let Some(Why::TooMany { seconds }) = self.why {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// What the pages say.
struct Words {
    locale: Locale,
    login: &'static str,
    password: &'static str,
    enter: &'static str,
    ended: &'static str,
    wrong: &'static str,
    too_many: &'static str,
    log_out: &'static str,
    message: &'static str,
    send: &'static str,
    stop: &'static str,
    lost: &'static str,
    failed: &'static str,
    blocked: &'static str,
}

impl Words {
    fn of(locale: Locale) -> Self {
        match locale {
            Locale::En => Self {
                locale,
                login: "Log in",
                password: "Family password",
                enter: "Enter",
                ended: "Your session ended. Sign in to go on where you were.",
                wrong: "That is not the password. Please try again.",
                too_many: "Too many attempts. Please wait {seconds} s and try again.",
                log_out: "Log out",
                message: "Your message",
                send: "Send",
                stop: "Stop",
                lost: "The connection was lost; trying again…",
                failed: "That did not work. Please try again.",
                blocked: "This message was not allowed.",
            },
            Locale::Pt => Self {
                locale,
                login: "Entrar",
                password: "Senha da família",
                enter: "Entrar",
                ended: "Sua sessão terminou. Entre para continuar de onde parou.",
                wrong: "A senha não está certa. Tente de novo.",
                too_many: "Tentativas demais. Espere {seconds} s e tente de novo.",
                log_out: "Sair",
                message: "Sua mensagem",
                send: "Enviar",
                stop: "Parar",
                lost: "A conexão caiu; tentando de novo…",
                failed: "Não deu certo. Tente de novo.",
                blocked: "Comando não permitido",
            },
        }
    }

    fn fill(&self, page: &str) -> String {
        let words = [
            ("{lang}", self.locale.as_str()),
            ("{login}", self.login),
            ("{password}", self.password),
            ("{enter}", self.enter),
            ("{log_out}", self.log_out),
            ("{message}", self.message),
            ("{send}", self.send),
            ("{stop}", self.stop),
            ("{lost}", self.lost),
            ("{failed}", self.failed),
            ("{blocked}", self.blocked),
        ];
        words.iter().fold(page.to_owned(), |page, (name, word)| page.replace(name, word))
    }
}

pub(super) fn html(status: StatusCode, page: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

fn asset(media_type: &'static str, text: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache")];
    (headers, text).into_response()
}

fn escaped(text: &str) -> String {
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
