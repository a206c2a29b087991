//! Reading an answer that may have no end.

use reqwest::Response;

use crate::error::describe;

/// The whole body of an answer, unless it is longer than `most` bytes.
pub async fn read_whole(response: &mut Response, most: usize) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(describe)? {
        if body.len() + piece.len() > most {
            return Err(format!("the answer is longer than {most} bytes"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
