//! Measures the memory of an idle stream and of an idle WebSocket.
//!
//! In a process of its own: one that was under load before would reuse the memory that the load
//! left behind.

use anyhow::Context;
use futures_util::StreamExt;
use parlor_testkit::{Script, ScriptedModel};

use crate::parlor::Parlor;
use crate::process::memory_kb;
use crate::target::{Target, conversation_in};

/// How many connections are held.
const HELD: usize = 500;
/// The first connections also pay for one-time costs: tables, threads, pages of code.
const FIRST: usize = 100;

/// The result of a measurement.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) what: &'static str,
    pub(crate) count: usize,
    pub(crate) kb_each: f64,
}

/// Holds streams on a fresh server.
pub(crate) async fn streams(binary: &str, model: &ScriptedModel) -> anyhow::Result<Held> {
    let (parlor, conversation) = with_conversation(binary, model).await?;
    let open = async || {
        let mut response = parlor.events(&conversation).send().await?;
        // The stored events come first; then the stream is idle.
        response.chunk().await?;
        anyhow::Ok(response)
    };
    measure("streams", &parlor, open).await
}

/// Holds WebSockets on a fresh server.
pub(crate) async fn sockets(binary: &str, model: &ScriptedModel) -> anyhow::Result<Held> {
    let (parlor, conversation) = with_conversation(binary, model).await?;
    let open = async || {
        let query = format!("?conversation_id={conversation}");
        let mut socket = parlor.socket(&query).open().await?;
        socket.next().await.context("the past did not come")??;
        anyhow::Ok(socket)
    };
    measure("WebSockets", &parlor, open).await
}

/// A server with one short conversation.
async fn with_conversation(
    binary: &str,
    model: &ScriptedModel,
) -> anyhow::Result<(Target, String)> {
    let parlor = Parlor::with_model(binary, &model.base_url()).start().await?;
    model.push(Script::answer().text("A short answer."));
    let stream = parlor.chat().send().await?.text().await?;
    let conversation = conversation_in(&stream).context("the stream names no conversation")?;
    Ok((parlor, conversation.to_owned()))
}

async fn measure<T>(
    what: &'static str,
    parlor: &Target,
    open: impl AsyncFn() -> anyhow::Result<T>,
) -> anyhow::Result<Held> {
    let mut held = Vec::with_capacity(FIRST + HELD);
    for _ in 0..FIRST {
        held.push(open().await?);
    }
    let before = memory_kb(parlor.pid())?;
    for _ in 0..HELD {
        held.push(open().await?);
    }
    let after = memory_kb(parlor.pid())?;
    let kb_each = after.saturating_sub(before) as f64 / HELD as f64;
    Ok(Held { what, count: HELD, kb_each })
}
