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
    Admin(AdminTab),
}

/// A tab of the page of administrators, with an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdminTab {
    Overview,
    People,
    Keys,
    Prompts,
    Decisions,
    Blocked,
    Servers,
    Usage,
    Configuration,
}

/// The pages whose address holds nothing that varies.
const FIXED: [RedirectTarget; 3] =
    [RedirectTarget::PlainChat, RedirectTarget::Waiting, RedirectTarget::Settings];
const TABS: [AdminTab; 9] = [
    AdminTab::Overview,
    AdminTab::People,
    AdminTab::Keys,
    AdminTab::Prompts,
    AdminTab::Decisions,
    AdminTab::Blocked,
    AdminTab::Servers,
    AdminTab::Usage,
    AdminTab::Configuration,
];

impl AdminTab {
    /// The tab that an address names below `/admin`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABS.into_iter()
            .find(|tab| *tab != Self::Overview && tab.path() == format!("/admin/{name}"))
    }

    fn path(self) -> &'static str {
        match self {
            Self::Overview => "/admin",
            Self::People => "/admin/people",
            Self::Keys => "/admin/keys",
            Self::Prompts => "/admin/prompts",
            Self::Decisions => "/admin/decisions",
            Self::Blocked => "/admin/blocked",
            Self::Servers => "/admin/servers",
            Self::Usage => "/admin/usage",
            Self::Configuration => "/admin/configuration",
        }
    }
}

impl RedirectTarget {
    /// The page that `next` asks for; the chat, if it is none of ours.
    pub(crate) fn of(next: Option<&str>) -> Self {
        let conversation = next.and_then(|path| path.strip_prefix("/c/")?.parse().ok());
        let pages = conversation.map(Self::Conversation).into_iter().chain(FIXED);
        let mut pages = pages.chain(TABS.map(Self::Admin));
        pages.find(|page| next == Some(&*page.path())).unwrap_or_default()
    }

    /// The path on this server.
    pub(crate) fn path(self) -> Cow<'static, str> {
        match self {
            Self::Chat => "/chat".into(),
            Self::PlainChat => "/chat?plain".into(),
            Self::Conversation(id) => format!("/c/{id}").into(),
            Self::Waiting => "/waiting".into(),
            Self::Settings => "/settings".into(),
            Self::Admin(tab) => tab.path().into(),
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
            RedirectTarget::Admin(AdminTab::Overview),
            RedirectTarget::Admin(AdminTab::Configuration),
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
            "/waiting/", "/settings?x", "/admin/../logout", "/admin/", "/admin/people/x",
        ];
        for text in strange {
            assert_eq!(RedirectTarget::of(Some(text)), RedirectTarget::Chat, "{text:?}");
        }
    }
}
