//! Conversations of other chats: what an export of ChatGPT, Claude, Open WebUI or LibreChat holds,
//! as plain messages (Y-5).
//!
//! 1. [`read`] takes the file as people got it: a ZIP archive or JSON ([`archive`]).
//! 2. Each conversation in it is read by itself ([`stream`]), so that a large export takes little more
//!    memory than its file.
//! 3. A conversation shows which product wrote it ([`products`]). What people said and were
//!    answered on its current branch becomes a [`Conversation`]; whatever else it holds is counted in
//!    [`LeftOut`].
//!
//! Nothing of a file is believed: sizes are bounded, and what cannot be read is counted, not fatal.
//!
//! Must never contain: IO, storage, what a model is told.

mod archive;
mod left_out;
mod path;
mod products;
mod stream;
mod text;

pub use left_out::LeftOut;
pub use products::Product;

/// The most conversations of one export.
pub const MOST_CONVERSATIONS: usize = 20_000;
/// The most messages of one conversation; the oldest are left out.
pub const MOST_MESSAGES: usize = 5_000;
/// The longest text of one message, in bytes; the rest of it is left out.
pub const LONGEST_TEXT: usize = 256 * 1024;

/// What an export holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The product that wrote it.
    pub product: Product,
    /// Its conversations, in its order.
    pub conversations: Vec<Conversation>,
    /// What else it holds.
    pub left_out: LeftOut,
}

/// One conversation of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// What the product calls it.
    pub id: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// When it began, in milliseconds since 1970.
    pub began_at: Option<i64>,
    /// What was said, oldest first. Never empty.
    pub messages: Vec<Message>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub speaker: Speaker,
    /// The words. Never blank.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    Person,
    /// The assistant.
    Assistant,
}

/// Why a file cannot be imported, by what a person does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Choose another file.
    #[error(
        "This is not an export that can be read. ChatGPT, Claude, Open WebUI and LibreChat are \
         known; choose their ZIP file, or the JSON file in it."
    )]
    Unknown,
    /// Export it again.
    #[error("The file is damaged or not complete ({0}). Export it again.")]
    Damaged(String),
    /// Import it in parts.
    #[error("The file unfolds to more than {0} MB. Export fewer conversations at once.")]
    TooLarge(usize),
    /// Export it in another form.
    #[error(
        "The messages lie too deep in one another. In LibreChat, export again without \
         \"Recursive\"."
    )]
    TooDeep,
}

/// Reads an export: a ZIP archive or JSON. What unfolds to more than `most_bytes` is refused.
pub fn read(file: &[u8], most_bytes: usize) -> Result<Export, ImportError> {
    let unpacked = archive::unpack(file, most_bytes)?;
    let json = unpacked.as_deref().unwrap_or(file);
    if json.len() > most_bytes {
        return Err(ImportError::TooLarge(most_bytes >> 20));
    }
    let mut conversations = Vec::new();
    let mut left_out = LeftOut::default();
    let mut product = None;
    stream::each_conversation(json, |value| {
        let Some((of, read)) = products::read(&value, &mut left_out) else {
            left_out.unreadable += 1;
            return;
        };
        product.get_or_insert(of);
        match read {
            Some(_) if conversations.len() == MOST_CONVERSATIONS => left_out.conversations += 1,
            Some(conversation) => conversations.push(conversation),
            None => left_out.empty += 1,
        }
    })?;
    let product = product.ok_or(ImportError::Unknown)?;
    Ok(Export { product, conversations, left_out })
}
