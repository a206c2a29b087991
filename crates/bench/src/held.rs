//! What a stream costs that is open while nothing happens.
//!
//! On a process of its own: one that carried a load before would take the
//! memory from what the load left behind.

use anyhow::Context;
use parlor_testkit::{Script, ScriptedModel};

use crate::process::memory_kb;
use crate::target::Target;

/// How many streams are held.
const STREAMS: usize = 500;
/// The first ones pay for what there is once: tables, threads, pages of code.
const FIRST: usize = 100;

/// What was measured.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) streams: usize,
    pub(crate) kb_each: f64,
}

/// Holds streams on a fresh server.
pub(crate) async fn measure(binary: &str, model: &ScriptedModel) -> anyhow::Result<Held> {
    let parlor = Target::parlor(binary, &model.base_url()).await?;
    model.push(Script::answer().text("A short answer."));
    let stream = parlor.chat().send().await?.text().await?;
    let conversation = stream
        .split("\"conversation_id\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .context("the stream names no conversation")?;
    let mut held = Vec::with_capacity(FIRST + STREAMS);
    hold(&parlor, conversation, FIRST, &mut held).await?;
    let before = memory_kb(parlor.pid())?;
    hold(&parlor, conversation, STREAMS, &mut held).await?;
    let after = memory_kb(parlor.pid())?;
    Ok(Held { streams: STREAMS, kb_each: (after.saturating_sub(before)) as f64 / STREAMS as f64 })
}

async fn hold(
    parlor: &Target,
    conversation: &str,
    count: usize,
    held: &mut Vec<reqwest::Response>,
) -> anyhow::Result<()> {
    for _ in 0..count {
        let mut response = parlor.events(conversation).send().await?;
        // The past comes first; then the stream is held.
        response.chunk().await?;
        held.push(response);
    }
    Ok(())
}
