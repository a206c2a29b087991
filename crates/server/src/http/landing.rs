//! Where a login leads: to a page of ours, whatever the link that brought
//! somebody to the form asks for.

use axum::response::{IntoResponse, Redirect, Response};

/// A page that needs a session. What a link asks for is compared with these, so
/// there is no address of somebody else that a login could lead to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Landing {
    /// The chat.
    #[default]
    Chat,
    /// The chat without the web interface.
    PlainChat,
}

impl Landing {
    const ALL: [Self; 2] = [Self::Chat, Self::PlainChat];

    /// What `next` asks for; the chat, if it is none of our pages.
    pub(crate) fn of(next: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|page| next == Some(page.path())).unwrap_or_default()
    }

    /// Its address on this server.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat",
            Self::PlainChat => "/chat?plain",
        }
    }

    /// The form, and from there to this page. `ended`: there was a session.
    pub(crate) fn after_login(self, ended: bool) -> Response {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if ended {
            query.append_pair("ended", "1");
        }
        if self != Self::default() {
            query.append_pair("next", self.path());
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
        for page in Landing::ALL {
            assert_eq!(Landing::of(Some(page.path())), page);
        }
        assert_eq!(Landing::of(None), Landing::Chat);
        let strange = [
            "", "https://evil.example/chat", "//evil.example/chat", "/\\evil.example",
            "/chat/../../evil", "/chat?plain#x", "/chat\r\nlocation: //evil.example",
            "javascript:alert(1)", "/logout", " /chat?plain",
        ];
        for text in strange {
            assert_eq!(Landing::of(Some(text)), Landing::Chat, "{text:?}");
        }
    }
}
