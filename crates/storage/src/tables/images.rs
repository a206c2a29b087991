//! Pictures that tools gave back, and pictures and files that people sent.

use parlor_database::{Batch, Row, query};
use parlor_protocol::{Content, ConversationId, Timestamp, TurnId};
use serde_json::json;
use uuid::Uuid;

use crate::columns::{optional_counter, parsed, to_json};
use crate::error::StorageError;
use crate::scope::{Scope, sees_conversation};
use crate::store::Store;

/// The server and the tool that a file stands under in the ledger, if others wrote it.
const ATTACHED: (&str, &str) = ("attachment", "file");
/// How much of the text of such a file is in the ledger, in bytes.
const MOST_TEXT: usize = 256 << 10;

/// A picture or a file that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its id.
    pub id: Uuid,
    /// Its media type, by its bytes.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What is known of a file of a person.
    pub facts: FileFacts,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileFacts {
    /// What the person calls it.
    pub name: Option<String>,
    /// A hash of its bytes.
    pub hash: Option<String>,
    /// The text of a PDF; that of a text file is its bytes.
    pub text: Option<String>,
    /// How many pages a PDF has.
    pub pages: Option<u32>,
    /// Whether models may refuse the file itself.
    pub text_only: bool,
    /// The guardrail's rule that its text matched.
    pub suspicious: Option<String>,
}

impl StoredFile {
    /// A picture of which nothing else is known.
    pub fn picture(id: Uuid, media_type: &str, bytes: Vec<u8>) -> Self {
        Self { id, media_type: media_type.to_owned(), bytes, facts: FileFacts::default() }
    }

    /// Whether it is a picture.
    pub fn is_picture(&self) -> bool {
        self.media_type.starts_with("image/")
    }

    /// Its text, if it has any.
    pub fn text(&self) -> Option<&str> {
        match self.media_type.as_str() {
            "application/pdf" => self.facts.text.as_deref(),
            _ if self.is_picture() => None,
            _ => std::str::from_utf8(&self.bytes).ok(),
        }
    }
}

impl Store {
    /// A file of a conversation that is seen.
    pub async fn file(&self, scope: &Scope, id: Uuid) -> Result<StoredFile, StorageError> {
        let select = query(format!(
            "SELECT i.* FROM images i WHERE i.id = $1 AND {}",
            sees_conversation("i.conversation_id", 2)
        ));
        let row = scope.bind(select.bind(id.to_string())).fetch_one(self.reader()).await?;
        stored_file(&row)
    }

    /// A file of a conversation, for its turns.
    pub async fn file_of(
        &self,
        conversation: ConversationId,
        id: Uuid,
    ) -> Result<Option<StoredFile>, StorageError> {
        let row = query("SELECT * FROM images WHERE id = $1 AND conversation_id = $2")
            .bind(id.to_string())
            .bind(conversation.to_string())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(stored_file).transpose()
    }
}

/// Adds a file to a conversation, whose tenant it belongs to.
pub(crate) fn insert(
    batch: &mut Batch,
    conversation: ConversationId,
    file: &StoredFile,
    now: Timestamp,
) {
    let facts = &file.facts;
    batch
        .add(
            "INSERT INTO images (id, tenant, conversation_id, media_type, bytes, created_at, name,
             hash, text, pages, text_only, suspicious)
             SELECT $1, tenant, id, $3, $4, $5, $6, $7, $8, $9, $10, $11
             FROM conversations WHERE id = $2",
        )
        .bind(file.id.to_string())
        .bind(conversation.to_string())
        .bind(&file.media_type)
        .bind(&file.bytes)
        .bind(now.0)
        .bind(facts.name.as_deref())
        .bind(facts.hash.as_deref())
        .bind(facts.text.as_deref())
        .bind(facts.pages.map(i64::from))
        .bind(facts.text_only)
        .bind(facts.suspicious.as_deref());
}

/// Enters a file that reads like orders into the ledger, as a result of others that the model is
/// told with the message: what follows from it is the same. It was never started, so it is no call
/// of a tool.
pub(crate) fn insert_told(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    file: &StoredFile,
    now: Timestamp,
) -> Result<(), StorageError> {
    let text = file.text().unwrap_or_default();
    let text = &text[..text.floor_char_boundary(MOST_TEXT)];
    let result = json!({"content": [{"type": "text", "text": text}]});
    batch
        .add(
            "INSERT INTO tool_runs (id, conversation_id, turn_id, call_id, server, tool, status,
             arguments, result, proposed_at, finished_at, content, private, suspicious, origin)
             VALUES ($1, $2, $3, $4, $5, $6, 'finished', '{}', $7, $8, $8, $9, $10, $10, $11)",
        )
        .bind(Uuid::now_v7().to_string())
        .bind(conversation.to_string())
        .bind(turn.to_string())
        .bind(format!("file:{}", file.id))
        .bind(ATTACHED.0)
        .bind(ATTACHED.1)
        .bind(to_json(&result)?)
        .bind(now.0)
        .bind(Content::Others.as_str())
        .bind(true)
        .bind(file.facts.name.as_deref());
    Ok(())
}

fn stored_file(row: &Row) -> Result<StoredFile, StorageError> {
    let pages = optional_counter(row, "pages")?;
    Ok(StoredFile {
        id: parsed(row, "id")?,
        media_type: row.try_get("media_type")?,
        bytes: row.try_get("bytes")?,
        facts: FileFacts {
            name: row.try_get("name")?,
            hash: row.try_get("hash")?,
            text: row.try_get("text")?,
            pages: pages.map(|pages| u32::try_from(pages).unwrap_or(u32::MAX)),
            text_only: row.try_get("text_only")?,
            suspicious: row.try_get("suspicious")?,
        },
    })
}
