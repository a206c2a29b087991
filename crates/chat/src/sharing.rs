//! Links to share (Y-2): whoever has one reads a conversation, and does nothing else.
//!
//! - Who may delete a conversation makes links to it, lists them and takes them back: the person whose it
//!   is; of one of the shared account, everybody in the tenant.
//! - What a link shows is decided in one place, [`SharedView`].
//! - A reader with a link is told that there is more, and reads again; no event goes out to it. It ends
//!   as soon as the link is not in force, wherever it reads.

use std::sync::Arc;

use parlor_protocol::{ConversationId, EventId, LinkAudience, ShareLinkId, Timestamp};
use parlor_storage::{
    Conversation, ListedShareLink, NewShareLink, Scope, ShareLink, SharedView, StoredFile,
};
use uuid::Uuid;

use crate::caller::Caller;
use crate::chat::Chat;
use crate::clock::now;
use crate::error::ChatError;
use crate::log::{Reader, Sight, Source};

/// More links to one conversation are not made.
const MOST_LINKS: usize = 20;

/// For what only those may do who are in charge of a conversation.
const NOT_IN_CHARGE: &str = "Only the person whose conversation this is can share it with a link.";
const TOO_MANY: &str = "There are twenty links to this conversation; take one back first.";

/// What a link is to be.
#[derive(Debug, Clone, Copy)]
pub struct LinkWish {
    /// Who may open it.
    pub audience: LinkAudience,
    /// Whether it shows what follows too.
    pub follows: bool,
    /// Whether it shows what tools gave back.
    pub results: bool,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

impl Chat {
    /// Whether the caller may make links to a conversation and take them back.
    pub async fn may_share(&self, caller: &Caller, id: ConversationId) -> Result<(), ChatError> {
        self.in_charge(caller, id).await.map(|_| ())
    }

    /// Makes a link to a conversation, to be found by the hash of its token.
    pub async fn share(
        &self,
        caller: &Caller,
        id: ConversationId,
        (link, hash): (ShareLinkId, &str),
        wish: LinkWish,
    ) -> Result<ListedShareLink, ChatError> {
        let conversation = self.in_charge(caller, id).await?.id;
        let (store, at) = (&self.state.store, now());
        if wish.expires_at.is_some_and(|end| end <= at) {
            return Err(ChatError::Malformed("expires_at: it is over".to_owned()));
        }
        if store.share_links(&caller.scope, id, at).await?.len() >= MOST_LINKS {
            return Err(ChatError::Malformed(TOO_MANY.to_owned()));
        }
        let LinkWish { audience, follows, results, expires_at } = wish;
        let (name, person) = (caller.name.clone(), caller.person());
        let new = NewShareLink {
            id: link,
            conversation,
            person,
            name,
            audience,
            follows,
            results,
            created_at: at,
            expires_at,
        };
        store.add_share_link(&caller.scope, hash, &new).await?;
        let links = store.share_links(&caller.scope, id, at).await?;
        links.into_iter().find(|listed| listed.id == link).ok_or(ChatError::NotFound)
    }

    /// The links to a conversation that are in force.
    pub async fn share_links(
        &self,
        caller: &Caller,
        id: ConversationId,
    ) -> Result<Vec<ListedShareLink>, ChatError> {
        self.in_charge(caller, id).await?;
        Ok(self.state.store.share_links(&caller.scope, id, now()).await?)
    }

    /// Takes a link back. Whoever reads with it ends, on every node.
    pub async fn take_back(
        &self,
        caller: &Caller,
        id: ConversationId,
        link: ShareLinkId,
    ) -> Result<(), ChatError> {
        self.in_charge(caller, id).await?;
        self.state.store.delete_share_link(&caller.scope, id, link).await?;
        self.state.audience_changed(id);
        Ok(())
    }

    /// The link of a token, if it is in force.
    pub async fn share_link(&self, hash: &str) -> Result<Option<ShareLink>, ChatError> {
        Ok(self.state.store.share_link(hash, now()).await?)
    }

    /// What a link shows. A page that reads it once more is not counted.
    pub async fn shared(&self, link: &ShareLink, again: bool) -> Result<SharedView, ChatError> {
        if !again {
            self.state.store.share_link_opened(link.id, now()).await?;
        }
        Ok(self.state.store.shared_view(link).await?)
    }

    /// A picture that a link shows.
    pub async fn shared_image(&self, link: &ShareLink, id: Uuid) -> Result<StoredFile, ChatError> {
        let view = self.state.store.shared_view(link).await?;
        if !view.has_image(id) {
            return Err(ChatError::NotFound);
        }
        let scope = Scope::of_server(link.tenant.clone());
        Ok(self.state.store.file(&scope, id).await?)
    }

    /// Reads what follows an event, as long as the link of a token is in force. What it reads is not to
    /// be sent: it says that there is more.
    pub fn follow_shared(&self, link: &ShareLink, hash: &str, after: EventId) -> Reader {
        let log = self.state.live_turns.log(link.conversation);
        let (store, cache) = (self.state.store.clone(), Arc::clone(&self.state.large_entries));
        let source = Arc::new(Source { store, cache, conversation: link.conversation });
        Reader::new(source, log, Sight::Link(hash.into()), after)
    }

    async fn in_charge(
        &self,
        caller: &Caller,
        id: ConversationId,
    ) -> Result<Conversation, ChatError> {
        let conversation = self.state.take_part(caller, id).await?;
        match caller.scope.is_in_charge(conversation.person) {
            true => Ok(conversation),
            false => Err(ChatError::Forbidden(NOT_IN_CHARGE)),
        }
    }
}
