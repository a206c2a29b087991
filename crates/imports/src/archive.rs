//! The JSON file in a ZIP archive, as products pack it.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::ImportError;

/// How a ZIP archive begins.
const SIGNATURE: &[u8] = b"PK\x03\x04";
/// The file in the archives of ChatGPT and Claude.
const NAME: &str = "conversations.json";

/// The JSON file of an archive; `None` if the file is none.
pub(crate) fn unpack(file: &[u8], most_bytes: usize) -> Result<Option<Vec<u8>>, ImportError> {
    if !file.starts_with(SIGNATURE) {
        return Ok(None);
    }
    let damaged = |error: String| ImportError::Damaged(error);
    let mut archive =
        ZipArchive::new(Cursor::new(file)).map_err(|error| damaged(error.to_string()))?;
    // A name that is no text is not the one.
    let name = archive.file_names().flatten().find(|name| is_wanted(name)).map(Cow::into_owned);
    let entry = archive.by_name(&name.ok_or(ImportError::Unknown)?);
    // What an entry says of its size is not believed.
    let limit = u64::try_from(most_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut entry = entry.map_err(|error| damaged(error.to_string()))?.take(limit);
    let mut json = Vec::new();
    entry.read_to_end(&mut json).map_err(|error| damaged(error.to_string()))?;
    if json.len() > most_bytes {
        return Err(ImportError::TooLarge(most_bytes >> 20));
    }
    Ok(Some(json))
}

fn is_wanted(name: &str) -> bool {
    name.rsplit('/').next() == Some(NAME)
}
