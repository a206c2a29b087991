//! Pictures that people sent, and that tools gave back.

use parlor_database::{Batch, query};
use parlor_protocol::{ConversationId, Timestamp};
use uuid::Uuid;

use crate::error::StorageError;
use crate::scope::{Scope, sees_conversation};
use crate::store::Store;

/// A picture that is stored.
#[derive(Debug, Clone)]
pub struct NewImage {
    /// Its id.
    pub id: Uuid,
    /// Its media type.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its media type.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Store {
    /// A picture of a conversation that is seen.
    pub async fn image(&self, scope: &Scope, id: Uuid) -> Result<Image, StorageError> {
        let select = query(format!(
            "SELECT media_type, bytes FROM images i WHERE i.id = $1 AND {}",
            sees_conversation("i.conversation_id", 2)
        ));
        let row = scope.bind(select.bind(id.to_string())).fetch_one(self.reader()).await?;
        Ok(Image { media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? })
    }
}

/// Adds a picture to a conversation, whose tenant it belongs to.
pub(crate) fn insert(
    batch: &mut Batch,
    conversation: ConversationId,
    image: &NewImage,
    now: Timestamp,
) {
    batch
        .add(
            "INSERT INTO images (id, tenant, conversation_id, media_type, bytes, created_at)
             SELECT $1, tenant, id, $3, $4, $5 FROM conversations WHERE id = $2",
        )
        .bind(image.id.to_string())
        .bind(conversation.to_string())
        .bind(&image.media_type)
        .bind(&image.bytes)
        .bind(now.0);
}
