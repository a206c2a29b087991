//! Where a login redirects to: one of our own pages, whatever `next` asks for.

use std::borrow::Cow;

use axum::response::{IntoResponse, Redirect, Response};
use parlor_protocol::ConversationId;

/// A page that needs a session. `next` is compared with these, so a login can never
/// redirect to another site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RedirectTarget {
    /// The chat.
    #[default]
    Chat,
    /// The chat without the web interface.
    PlainChat,
    /// The chat with a conversation open. The API checks whether it may be read.
    Conversation(ConversationId),
    /// What waits for an answer.
    Waiting,
    /// The settings of the browser.
    Settings,
    /// The page of administrators. The API checks who may read what it shows.
    Admin,
}

/// The pages whose address holds nothing that varies.
const FIXED: [RedirectTarget; 4] = [
    RedirectTarget::PlainChat,
    RedirectTarget::Waiting,
    RedirectTarget::Settings,
    RedirectTarget::Admin,
];

impl RedirectTarget {
    /// The page that `next` asks for; the chat, if it is none of ours.
    pub(crate) fn of(next: Option<&str>) -> Self {
        let conversation = next.and_then(|path| path.strip_prefix("/c/")?.parse().ok());
        let pages = conversation.map(Self::Conversation).into_iter().chain(FIXED);
        pages.into_iter().find(|page| next == Some(&*page.path())).unwrap_or_default()
    }

    /// The path on this server.
    pub(crate) fn path(self) -> Cow<'static, str> {
        match self {
            Self::Chat => "/chat".into(),
            Self::PlainChat => "/chat?plain".into(),
            Self::Conversation(id) => format!("/c/{id}").into(),
            Self::Waiting => "/waiting".into(),
            Self::Settings => "/settings".into(),
            Self::Admin => "/admin".into(),
        }
    }

    /// A redirect to the login form, which leads back here. `had_session`: the form
    /// says that the session has ended.
    pub(crate) fn after_login(self, had_session: bool) -> Response {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if had_session {
            query.append_pair("ended", "1");
        }
        if self != Self::default() {
            query.append_pair("next", &self.path());
        }
        let query = query.finish();
        let separator = if query.is_empty() { "" } else { "?" };
        Redirect::to(&format!("/login{separator}{query}")).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X-1, U-6: exactly our own pages; anything else is the chat.
    #[test]
    fn a_login_never_redirects_to_another_site() {
        let conversation = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
        for page in [
            RedirectTarget::Chat,
            RedirectTarget::PlainChat,
            RedirectTarget::Conversation(conversation),
            RedirectTarget::Waiting,
            RedirectTarget::Settings,
            RedirectTarget::Admin,
        ] {
            assert_eq!(RedirectTarget::of(Some(&page.path())), page);
        }
        assert_eq!(RedirectTarget::of(None), RedirectTarget::Chat);
        let strange = [
            "", "https://evil.example/chat", "//evil.example/chat", "/\\evil.example",
            "/chat/../../evil", "/chat?plain#x", "/chat\r\nlocation: //evil.example",
            "javascript:alert(1)", "/logout", " /chat?plain", "/c/", "/c/x", "/c//evil.example",
            "/c/0198c0de-0000-7000-8000-000000000001/../../x",
            "/c/0198c0de-0000-7000-8000-000000000001?x", "/c/0198C0DE000070008000000000000001",
            "/waiting/", "/settings?x", "/admin/../logout",
        ];
        for text in strange {
            assert_eq!(RedirectTarget::of(Some(text)), RedirectTarget::Chat, "{text:?}");
        }
    }
}
