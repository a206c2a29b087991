//! What a stream costs that is open while nothing happens.

use anyhow::Context;

use crate::process::memory_kb;
use crate::target::Target;

/// How many streams are held.
const STREAMS: usize = 500;

/// What was measured.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) streams: usize,
    pub(crate) kb_each: f64,
}

pub(crate) async fn measure(parlor: &Target) -> anyhow::Result<Held> {
    let stream = parlor.chat().send().await?.text().await?;
    let conversation = stream
        .split("\"conversation_id\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .context("the stream names no conversation")?
        .to_owned();
    let before = memory_kb(parlor.pid())?;
    let mut held = Vec::with_capacity(STREAMS);
    for _ in 0..STREAMS {
        let mut response = parlor.events(&conversation).send().await?;
        // The past comes first; then the stream is held.
        response.chunk().await?;
        held.push(response);
    }
    let after = memory_kb(parlor.pid())?;
    Ok(Held {
        streams: held.len(),
        kb_each: (after.saturating_sub(before)) as f64 / STREAMS as f64,
    })
}
