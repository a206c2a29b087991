//! Sends what is due: for each webhook one task, so that one that hangs holds up no other.

use std::time::Duration;

use futures_util::future::join_all;
use parlor_http_client::describe;
use parlor_protocol::Timestamp;
use parlor_storage::{StorageError, Store, WebhookMessage};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::signature::seconds;
use super::{Receiver, Webhooks, body};
use crate::clock::{Clock, earlier, later};

/// How often it is looked for messages.
const LOOK: Duration = Duration::from_millis(500);
/// The pause after the database failed.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long a node has for the messages that it claimed: longer than a request takes.
const CLAIM: Duration = Duration::from_secs(60);
/// How many are sent at the same time.
const AT_ONCE: u32 = 8;
/// What is waited after each attempt that failed; the last one is repeated.
const BACKOFF: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(60 * 60),
];
/// The longest problem that is stored.
const LONGEST_PROBLEM: usize = 200;

/// What sending needs of this server.
struct Node {
    store: Store,
    clock: Clock,
}

/// Sends until the server stops. What it was about to send then is claimed by another node, or after
/// the next start.
pub(crate) async fn run(webhooks: Webhooks, store: Store, stopping: CancellationToken) {
    let node = Node { store, clock: webhooks.clock.clone() };
    let sending = join_all(webhooks.all().map(|receiver| send_to(&node, receiver)));
    tokio::select! {
        _ = sending => {}
        () = stopping.cancelled() => {}
    }
}

async fn send_to(node: &Node, receiver: &Receiver) {
    loop {
        match look(node, receiver).await {
            Ok(0) => sleep(LOOK).await,
            Ok(_) => {}
            Err(error) => {
                let webhook = &receiver.name;
                tracing::warn!(%error, webhook, tenant = %receiver.tenant,
                    "messages for a webhook cannot be read or stored; trying again");
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

/// Gives up on what is too old, and sends what is due now; returns how many messages that were.
async fn look(node: &Node, receiver: &Receiver) -> Result<usize, StorageError> {
    expire(node, receiver).await?;
    let (now, webhooks) = (node.clock.now(), node.store.webhooks());
    let (tenant, name) = (&receiver.tenant, &receiver.name);
    let claimed = webhooks.claim(tenant, name, now, later(now, CLAIM), AT_ONCE).await?;
    let sent = join_all(claimed.iter().map(|message| deliver(node, receiver, message))).await;
    sent.into_iter().collect::<Result<Vec<()>, _>>().map(|sent| sent.len())
}

async fn deliver(
    node: &Node,
    receiver: &Receiver,
    message: &WebhookMessage,
) -> Result<(), StorageError> {
    let webhooks = node.store.webhooks();
    let Some(body) = body::of(&node.store, receiver, message).await? else {
        return webhooks.done(message).await;
    };
    let now = node.clock.now();
    match receiver.post(&id(message), now, body).await {
        Ok(()) => {
            receiver.taken.add(1);
            webhooks.done(message).await
        }
        Err(problem) => {
            receiver.failed.add(1);
            let due_at = next_attempt(now, message.attempts);
            tracing::warn!(webhook = receiver.name, tenant = %receiver.tenant, id = id(message),
                attempt = message.attempts + 1, problem, "a webhook did not take a message");
            webhooks.later(message, due_at, &problem).await
        }
    }
}

/// Gives up on messages that are too old.
async fn expire(node: &Node, receiver: &Receiver) -> Result<(), StorageError> {
    let before = earlier(node.clock.now(), receiver.config.keep);
    let (tenant, name) = (&receiver.tenant, &receiver.name);
    for message in node.store.webhooks().expire(tenant, name, before).await? {
        receiver.expired.add(1);
        tracing::error!(webhook = name, %tenant, id = id(&message), attempts = message.attempts,
            "a webhook did not take a message in time; it is not told any more");
    }
    Ok(())
}

impl Receiver {
    /// Sends a message once. Of the answer only the status is read.
    async fn post(&self, id: &str, now: Timestamp, body: String) -> Result<(), String> {
        let request = self
            .client
            .post(self.config.url.clone())
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds(now).to_string())
            .header("webhook-signature", self.key.sign(id, now, &body))
            .body(body);
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) if answer.status().is_redirection() => {
                Err(format!("it answered {}; redirects are not followed", answer.status().as_u16()))
            }
            Ok(answer) => Err(format!("it answered {}", answer.status().as_u16())),
            Err(error) => Err(describe(error).chars().take(LONGEST_PROBLEM).collect()),
        }
    }
}

/// The id of a message: the same at every attempt, on every node.
fn id(message: &WebhookMessage) -> String {
    format!("msg_{}_{}", message.subject, message.event.as_str().replace('.', "_"))
}

/// A little later than the pause, and not for all messages at the same moment.
fn next_attempt(now: Timestamp, attempts: u64) -> Timestamp {
    let at = usize::try_from(attempts).unwrap_or(usize::MAX).min(BACKOFF.len() - 1);
    let pause = BACKOFF[at];
    // The low bits are random.
    let jitter = u32::try_from(Uuid::now_v7().as_u128() % 100).unwrap_or_default();
    later(now, pause + pause * jitter / 1000)
}
