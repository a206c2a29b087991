//! The hands of a client: they act on what its reader knows, at random.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::api::Refusal;
use super::{Client, RETRY, Stage, sending, within};
use crate::event::{Prompt, text};
use crate::evidence::{Answer, AnswerResult};
use crate::plan::EDITED;

/// What the hands of a client write through.
#[derive(Debug, Clone)]
pub(super) enum Way {
    /// Requests only.
    Requests,
    /// Requests, or frames of a socket.
    Socket(mpsc::Sender<Value>),
}

/// Acts until the conversation is over.
pub(super) async fn act(client: Arc<Client>, way: Way, mut rng: Rng) {
    loop {
        client.pause(within(&mut rng, 100..2_000), Stage::Left).await;
        let stage = client.stage();
        if stage >= Stage::Left {
            return;
        }
        let outbox = match &way {
            Way::Socket(outbox) if rng.bool() => Some(outbox),
            _ => None,
        };
        let prompts = client.knowledge.prompts();
        if let Some(prompt) = rng.choice(&prompts) {
            // Some are left to expire.
            if rng.u32(0..10) < 7 {
                answer_prompt(&client, outbox, prompt, &mut rng).await;
            }
        } else if client.knowledge.running().is_some() {
            // While nothing is broken, more often: those are timed.
            let often = if client.calm.period().is_some() { 3 } else { 1 };
            if rng.u32(0..12) < often {
                stop(&client, outbox).await;
            }
        } else if stage == Stage::Busy && rng.u32(0..3) == 0 {
            sending::send(&client, outbox, &mut rng).await;
        }
    }
}

async fn stop(client: &Client, outbox: Option<&mpsc::Sender<Value>>) {
    if let Some(outbox) = outbox {
        let _over = outbox.send(json!({"type": "stop"})).await;
        return;
    }
    let (turn, period) = (client.knowledge.running(), client.calm.period());
    let path = format!("/api/conversations/{}/stop", client.conversation);
    let Ok(response) = client.api.post(&path, &json!({})).await else { return };
    if let (Some(turn), Some(period), Some(true)) = (turn, period, response["stopped"].as_bool()) {
        // The end can be there before the response.
        let has_ended = !client.knowledge.stopped(turn, period);
        if has_ended && client.calm.period() == Some(period) {
            client.record.stopped_after(Duration::ZERO);
        }
    }
}

/// Answers a prompt, perhaps after more time was asked for, and perhaps twice.
async fn answer_prompt(
    client: &Client,
    outbox: Option<&mpsc::Sender<Value>>,
    prompt: &Prompt,
    rng: &mut Rng,
) {
    if rng.u32(0..8) == 0 {
        let path = format!("/api/prompts/{}/extend", prompt.id);
        // It may be closed by now.
        let _more = client.api.post(&path, &json!({})).await;
    }
    let body = response(prompt, rng);
    if let Some(outbox) = outbox {
        return answer_by_frame(client, outbox, prompt, body).await;
    }
    answer(client, prompt, &body).await;
    if rng.u32(0..3) == 0 {
        answer(client, prompt, &response(prompt, rng)).await;
    }
    client.knowledge.forget_prompt(&prompt.id);
}

/// A frame has no response: whether the answer counts is not known.
async fn answer_by_frame(
    client: &Client,
    outbox: &mpsc::Sender<Value>,
    prompt: &Prompt,
    body: Value,
) {
    note(client, prompt, &body, AnswerResult::Unknown);
    let mut frame = body;
    frame["type"] = json!("userPromptResponse");
    frame["messageId"] = json!(prompt.id);
    let _over = outbox.send(frame).await;
    client.knowledge.forget_prompt(&prompt.id);
}

async fn answer(client: &Client, prompt: &Prompt, body: &Value) {
    let path = format!("/api/prompts/{}/response", prompt.id);
    let mut is_first = true;
    let result = loop {
        match client.api.post(&path, body).await {
            Ok(response) => break AnswerResult::Accepted(text(&response, "outcome")),
            Err(Refusal::NotNow) if is_first => break AnswerResult::TooLate,
            // An earlier try may have been taken.
            Err(Refusal::NotNow | Refusal::Wrong) => break AnswerResult::Unknown,
            Err(Refusal::Again) => {
                is_first = false;
                tokio::time::sleep(RETRY).await;
            }
        }
    };
    note(client, prompt, body, result);
}

fn note(client: &Client, prompt: &Prompt, body: &Value, result: AnswerResult) {
    client.record.answered(Answer {
        prompt: prompt.id.clone(),
        client: client.name.clone(),
        response: body["response"].clone(),
        result,
    });
}

/// A random answer that fits the prompt.
fn response(prompt: &Prompt, rng: &mut Rng) -> Value {
    if rng.u32(0..10) == 0 {
        return json!({"cancelled": true});
    }
    match prompt.kind.as_str() {
        "input" => json!({"response": format!("way {}", rng.u32(0..1_000))}),
        "select" => json!({"response": rng.choice(["left", "right"])}),
        _ => {
            let mut body = json!({"response": rng.choice(["yes", "no"])});
            if let Some(arguments) = &prompt.arguments
                && body["response"] == "yes"
                && rng.u32(0..4) == 0
            {
                body["input"] = edited(arguments);
            }
            body
        }
    }
}

fn edited(arguments: &Value) -> Value {
    let mut edited = arguments.clone();
    edited["text"] = json!(text(arguments, "text") + EDITED);
    edited
}
