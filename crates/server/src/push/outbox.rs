//! Sends what is due, each message once if nothing goes wrong, and again if it may not have arrived.
//!
//! 1. Rows are claimed for a minute, so that of several nodes one sends each of them. A node that
//!    dies leaves them claimed until the minute is over.
//! 2. What a message says is read when it is sent: a prompt that has closed meanwhile is not told.
//! 3. The answer of the push service decides: taken, later, never, or no such browser. A message that
//!    was taken just before the process died is sent again; its tag makes the browser replace the
//!    first one.
//!
//! A server without subscriptions looks every half minute whether there are any.

use std::sync::Arc;
use std::time::Duration;

use parlor_protocol::Timestamp;
use parlor_storage::{
    PushClaim, PushMessage, PushRecipient, PushSubject, Scope, StorageError, TurnStatus,
};
use parlor_web_push::{PushError, PushOptions, Sender, Topic, Urgency};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::wording::{About, Language, Note, Words};
use super::{Push, PushOff};
use crate::clock::{between, earlier, later};
use crate::config::PushContent;

/// How often to look, with and without subscriptions.
const OFTEN: Duration = Duration::from_secs(1);
const SELDOM: Duration = Duration::from_secs(30);
/// How long a message is one node's. A request to a push service ends much earlier.
const CLAIMED: Duration = Duration::from_secs(60);
/// How many are sent at the same time: one push service that hangs holds up no other.
const AT_ONCE: usize = 16;
/// How long a prompt without a deadline, the end of a turn and a test are worth telling.
const PROMPT_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
const ANSWER_LASTS: Duration = Duration::from_secs(12 * 60 * 60);
const TEST_LASTS: Duration = Duration::from_secs(5 * 60);
/// How often the end of a prompt is tried to be told.
const END_ATTEMPTS: u64 = 8;
/// The first pause before another attempt, and the longest.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// How long what is being sent may take when the server stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// Sends what is due until the server stops.
pub(crate) async fn send_all(push: Arc<Push>, stopping: CancellationToken) {
    if !push.config.enabled {
        return;
    }
    let mut sending = JoinSet::new();
    push.release_claims().await;
    loop {
        let pause = match push.send_due(&mut sending).await {
            Ok(pause) => pause,
            Err(PushOff::Storage(error)) => {
                tracing::warn!(%error, "failed to read what browsers are to be told; retrying");
                OFTEN
            }
            // It was logged.
            Err(PushOff::Unusable(_)) => return,
        };
        tokio::select! {
            () = stopping.cancelled() => break,
            () = push.wake.notified() => {}
            () = sleep(pause) => {}
            Some(_) = sending.join_next() => {}
        }
    }
    let _best_effort =
        timeout(FAREWELL, async { while sending.join_next().await.is_some() {} }).await;
}

/// What is sent, and how.
struct Outgoing {
    words: Words,
    /// The same with nothing of the conversation, if it is too large.
    bare: Words,
    options: PushOptions,
}

impl Push {
    /// Nobody else can have claimed what the last run of a server did not finish that is alone.
    async fn release_claims(&self) {
        if self.store.is_shared() {
            return;
        }
        if let Err(error) = self.store.push().release_claims().await {
            tracing::warn!(%error, "what was being sent is sent again in a minute");
        }
    }

    /// Begins to send what is due; returns how long to wait before the next look.
    async fn send_due(self: &Arc<Self>, sending: &mut JoinSet<()>) -> Result<Duration, PushOff> {
        let sender = self.sender().await?;
        while sending.try_join_next().is_some() {}
        let push = self.store.push();
        if !push.are_left().await? {
            return Ok(if push.exist().await? { OFTEN } else { SELDOM });
        }
        let (now, room) = (self.clock.now(), AT_ONCE - sending.len());
        let claim = PushClaim {
            now,
            happened_by: earlier(now, self.config.delay),
            until: later(now, CLAIMED),
            most: u32::try_from(room).unwrap_or_default(),
        };
        for message in push.claim(claim).await? {
            sending.spawn(deliver(self.clone(), sender.clone(), message));
        }
        Ok(OFTEN)
    }

    async fn attempt(&self, sender: &Sender, message: &PushMessage) -> Result<(), StorageError> {
        let push = self.store.push();
        let Some(to) = &message.to else { return push.done(message).await };
        let Some(outgoing) = self.outgoing(message, to).await? else {
            return push.done(message).await;
        };
        let Some(subscription) = self.opened(&message.session, &to.sealed) else {
            tracing::warn!("a push subscription cannot be read any more, and is forgotten");
            return push.unsubscribe(&message.session).await;
        };
        let Outgoing { words, bare, options } = &outgoing;
        let outcome = match sender.send(&subscription, &words.payload(), options).await {
            Err(PushError::TooLarge) => sender.send(&subscription, &bare.payload(), options).await,
            outcome => outcome,
        };
        self.settle(message, outcome).await
    }

    /// Does what the answer of a push service asks for.
    async fn settle(
        &self,
        message: &PushMessage,
        outcome: Result<(), PushError>,
    ) -> Result<(), StorageError> {
        let (push, now) = (self.store.push(), self.clock.now());
        let Err(error) = outcome else {
            push.count_failure(&message.session, false).await?;
            return push.sent(message, now).await;
        };
        match &error {
            PushError::Gone | PushError::NotAllowed { .. } => {
                tracing::info!(%error, "a push subscription is forgotten");
                return push.unsubscribe(&message.session).await;
            }
            _ => {
                tracing::warn!(%error, attempts = message.attempts, "a notification was not taken")
            }
        }
        push.count_failure(&message.session, true).await?;
        match error {
            PushError::RetryAfter(pause) => push.later(message, later(now, pause)).await,
            PushError::Unreachable { .. } | PushError::Crypto => {
                push.later(message, later(now, pause_after(message.attempts))).await
            }
            _ => push.done(message).await,
        }
    }

    /// What there is to say, if there still is something.
    async fn outgoing(
        &self,
        message: &PushMessage,
        to: &PushRecipient,
    ) -> Result<Option<Outgoing>, StorageError> {
        let scope = Scope::of(to.tenant.clone(), to.person);
        let Some((about, ends_at)) = self.about(message, &scope).await? else { return Ok(None) };
        let now = self.clock.now();
        if ends_at <= now {
            return Ok(None);
        }
        let title = match message.conversation {
            Some(id) => match self.store.conversation(&scope, id).await {
                Ok(conversation) => conversation.title.into_inner(),
                // Only the end of what was told is still worth telling.
                Err(StorageError::NotFound) if message.sent => String::new(),
                Err(StorageError::NotFound) => return Ok(None),
                Err(error) => return Err(error),
            },
            None => String::new(),
        };
        let note = Note {
            about,
            conversation: message.conversation,
            title: &title,
            waiting: self.store.open_prompt_count(&scope).await?,
            language: Language::named(&to.language),
        };
        let mut options = PushOptions::new(between(now, ends_at));
        options.urgency = match (message.subject, message.sent) {
            (PushSubject::Prompt(_), false) | (PushSubject::Test, _) => Urgency::High,
            _ => Urgency::Normal,
        };
        options.topic = Some(Topic::of(&note.tag()));
        let bare = note.words(PushContent::None);
        Ok(Some(Outgoing { words: note.words(self.config.content), bare, options }))
    }

    /// What a message is about, and until when it is worth telling.
    async fn about(
        &self,
        message: &PushMessage,
        scope: &Scope,
    ) -> Result<Option<(About, Timestamp)>, StorageError> {
        let ends = |lasts| later(message.at, lasts);
        match message.subject {
            PushSubject::Test => Ok(Some((About::Test, ends(TEST_LASTS)))),
            PushSubject::Prompt(id) => {
                let prompt = match self.store.prompt(scope, id).await {
                    Ok(prompt) => Some(prompt),
                    Err(StorageError::NotFound) => None,
                    Err(error) => return Err(error),
                };
                let outcome = prompt.as_ref().map(|prompt| prompt.outcome);
                match (message.sent, prompt, outcome) {
                    (false, Some(prompt), Some(None)) => {
                        let until = prompt.expires_at.unwrap_or_else(|| ends(PROMPT_LASTS));
                        Ok(Some((About::Prompt(Box::new(prompt.public.into_inner())), until)))
                    }
                    (true, _, outcome) if message.attempts < END_ATTEMPTS => {
                        let until = later(self.clock.now(), ANSWER_LASTS);
                        Ok(Some((About::Closed(id, outcome.flatten()), until)))
                    }
                    _ => Ok(None),
                }
            }
            PushSubject::Turn(id) => {
                let turn = match self.store.ended_turn(scope, id).await {
                    Ok(turn) => turn,
                    Err(StorageError::NotFound) => return Ok(None),
                    Err(error) => return Err(error),
                };
                let long = i64::try_from(self.config.long_turn.as_millis()).unwrap_or(i64::MAX);
                let failed = turn.status == TurnStatus::Error;
                if turn.took_ms < long || turn.is_followed || turn.asks {
                    return Ok(None);
                }
                Ok(Some((About::Ended { turn: id, failed }, ends(ANSWER_LASTS))))
            }
        }
    }
}

async fn deliver(push: Arc<Push>, sender: Arc<Sender>, message: PushMessage) {
    if let Err(error) = push.attempt(&sender, &message).await {
        tracing::warn!(%error, "failed to store how a notification went; it is sent again");
    }
}

/// The pause after so many attempts.
fn pause_after(attempts: u64) -> Duration {
    let doubled = u32::try_from(attempts.min(16)).map_or(u32::MAX, |by| 1 << by);
    PAUSE.saturating_mul(doubled).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-11: pauses grow, and not without end.
    #[test]
    fn pauses_grow_to_ten_minutes() {
        let seconds: Vec<u64> = [0, 1, 2, 6, 7, 1_000].map(|n| pause_after(n).as_secs()).to_vec();
        assert_eq!(seconds, [5, 10, 20, 320, 600, 600]);
    }
}
