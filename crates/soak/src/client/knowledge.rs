//! What a client knows of its conversation right now, from whatever it read.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::api::Refusal;
use crate::calm::CalmPeriod;
use crate::event::{Body, Event, Message, Prompt};
use crate::evidence::Acknowledged;

/// What a reader learns and the hands of the same client act on.
#[derive(Debug, Default)]
pub(super) struct Knowledge(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The turn that runs.
    running: Option<String>,
    /// Prompts that wait.
    prompts: Vec<Prompt>,
    /// People's messages by their text.
    heard: HashMap<String, Acknowledged>,
    /// Refused messages by the client's own id.
    refused: HashMap<String, Refusal>,
    /// A stop that was acknowledged, until the turn ends.
    stop: Option<Stop>,
    /// Counts connections: a reader that was away cannot time anything.
    connection: u64,
}

#[derive(Debug, Clone)]
struct Stop {
    turn: String,
    at: Instant,
    period: CalmPeriod,
    connection: u64,
}

impl Knowledge {
    /// Learns from an event. Returns how long a turn ran on after its stop, and in which period of
    /// calm that was.
    pub(super) fn learn(
        &self,
        conversation: &str,
        event: &Event,
    ) -> Option<(Duration, CalmPeriod)> {
        let mut known = self.lock();
        match &event.body {
            Body::Start { turn, .. } => known.running = Some(turn.clone()),
            Body::Message(message) => known.hear(conversation, message),
            Body::Prompt(prompt) => known.prompts.push(prompt.clone()),
            Body::PromptClosed { prompt, .. } => known.prompts.retain(|open| open.id != *prompt),
            Body::Done { turn, .. } => {
                known.running = None;
                let stop = known.stop.take_if(|stop| stop.turn == *turn)?;
                let is_whole = stop.connection == known.connection;
                return is_whole.then(|| (stop.at.elapsed(), stop.period));
            }
            Body::Text { .. } | Body::Snapshot { .. } | Body::Other { .. } => {}
        }
        None
    }

    /// Learns from the page of a conversation.
    pub(super) fn learn_page(
        &self,
        conversation: &str,
        running: bool,
        messages: &[Message],
        open: Vec<Prompt>,
    ) {
        let mut known = self.lock();
        known.running = messages.last().filter(|_| running).map(|last| last.turn.clone());
        known.prompts = open;
        // Somebody who asks now and then cannot time anything.
        known.stop = None;
        messages.iter().for_each(|message| known.hear(conversation, message));
    }

    /// A connection begins.
    pub(super) fn connected(&self) {
        self.lock().connection += 1;
    }

    /// A message was refused over a socket.
    pub(super) fn refuse(&self, client_message_id: &str, refusal: Refusal) {
        self.lock().refused.insert(client_message_id.to_owned(), refusal);
    }

    /// What became of a message, if that is known by now.
    pub(super) fn fate(&self, tag: &str, text: &str) -> Option<Result<Acknowledged, Refusal>> {
        let mut known = self.lock();
        let refusal = known.refused.remove(tag);
        known.heard.get(text).cloned().map(Ok).or(refusal.map(Err))
    }

    pub(super) fn running(&self) -> Option<String> {
        self.lock().running.clone()
    }

    pub(super) fn prompts(&self) -> Vec<Prompt> {
        self.lock().prompts.clone()
    }

    /// A prompt is closed, which the reader may learn later.
    pub(super) fn forget_prompt(&self, id: &str) {
        self.lock().prompts.retain(|open| open.id != id);
    }

    /// The stop of a turn was acknowledged just now. False if the turn has ended already.
    pub(super) fn stopped(&self, turn: String, period: CalmPeriod) -> bool {
        let mut known = self.lock();
        let is_running = known.running.as_ref() == Some(&turn);
        let connection = known.connection;
        known.stop = is_running.then(|| Stop { turn, at: Instant::now(), period, connection });
        is_running
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn hear(&mut self, conversation: &str, message: &Message) {
        if message.role == "user" {
            let heard = Acknowledged {
                conversation: conversation.to_owned(),
                turn: message.turn.clone(),
                message: message.id.clone(),
            };
            self.heard.insert(message.content.clone(), heard);
        }
    }
}
