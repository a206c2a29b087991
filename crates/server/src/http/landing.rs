//! Where a login leads: to a page of ours, whatever the link that brought
//! somebody to the form asks for.

use std::borrow::Cow;

use axum::response::{IntoResponse, Redirect, Response};
use parlor_protocol::ConversationId;

/// A page that needs a session. What a link asks for is compared with these, so
/// there is no address of somebody else that a login could lead to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Landing {
    /// The chat.
    #[default]
    Chat,
    /// The chat without the web interface.
    PlainChat,
    /// The chat with a conversation open. Whose it is, the API decides.
    Conversation(ConversationId),
}

impl Landing {
    /// What `next` asks for; the chat, if it is none of our pages.
    pub(crate) fn of(next: Option<&str>) -> Self {
        let conversation = next.and_then(|path| path.strip_prefix("/c/")?.parse().ok());
        let page = conversation.map_or(Self::PlainChat, Self::Conversation);
        if next == Some(&*page.path()) { page } else { Self::default() }
    }

    /// Its address on this server.
    pub(crate) fn path(self) -> Cow<'static, str> {
        match self {
            Self::Chat => "/chat".into(),
            Self::PlainChat => "/chat?plain".into(),
            Self::Conversation(id) => format!("/c/{id}").into(),
        }
    }

    /// The form, and from there to this page. `ended`: there was a session.
    pub(crate) fn after_login(self, ended: bool) -> Response {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if ended {
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

    /// X-1, U-6: our own pages, to the letter; anything else is the chat.
    #[test]
    fn nothing_leads_elsewhere() {
        let conversation = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
        for page in [Landing::Chat, Landing::PlainChat, Landing::Conversation(conversation)] {
            assert_eq!(Landing::of(Some(&page.path())), page);
        }
        assert_eq!(Landing::of(None), Landing::Chat);
        let strange = [
            "", "https://evil.example/chat", "//evil.example/chat", "/\\evil.example",
            "/chat/../../evil", "/chat?plain#x", "/chat\r\nlocation: //evil.example",
            "javascript:alert(1)", "/logout", " /chat?plain", "/c/", "/c/x", "/c//evil.example",
            "/c/0198c0de-0000-7000-8000-000000000001/../../x",
            "/c/0198c0de-0000-7000-8000-000000000001?x", "/c/0198C0DE000070008000000000000001",
        ];
        for text in strange {
            assert_eq!(Landing::of(Some(text)), Landing::Chat, "{text:?}");
        }
    }
}
