//! The demo model: something to talk to before there is a key.
//!
//! It is a model like any other for everything around it: it streams, can be
//! stopped, and sees the history. It is not a language model and says so. It
//! looks for the first intent of its table that the newest message matches, and
//! answers in the language of the message, English or Portuguese. Where Recipe
//! Vault is among its tools it uses them ([`cook`]).

mod conversation;
mod cook;
mod intents;
mod language;
mod phrases;
mod replies;
mod texts;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use parlor_agent::{AgentDescription, ContentBlock, ModelError, Takes};
use tokio::time::{Sleep, sleep};

use self::conversation::Conversation;
use self::cook::Move;
use crate::client::{ModelClient, ModelEvent, ModelRequest, ModelStream, StopReason};

/// A model that needs no key.
#[derive(Debug, Clone, Copy)]
pub struct Demo {
    delay: Duration,
}

impl Demo {
    /// A demo model with this pause between two pieces of text.
    pub fn new(delay: Duration) -> Self {
        Self { delay }
    }
}

impl ModelClient for Demo {
    fn stream(&self, request: &ModelRequest<'_>) -> ModelStream {
        let conversation = Conversation::new(request.history);
        let cooks = request.tools.iter().any(|tool| tool.name == "list_recipes");
        let next = if cooks { cook::next(&conversation) } else { None };
        let next = next.unwrap_or_else(|| Move::Say(intents::answer(&conversation)));
        let events = match next {
            Move::Say(answer) => spoken(&answer),
            Move::Call(name, input) => {
                let id = format!("demo-{}", conversation.calls() + 1);
                let call = ContentBlock::ToolUse { id, name: name.to_owned(), input };
                VecDeque::from([
                    ModelEvent::ContentBlock(call),
                    ModelEvent::Stop(StopReason::ToolUse),
                ])
            }
        };
        Box::pin(PacedAnswer { events, delay: self.delay, pause: None })
    }

    fn takes(&self) -> Takes {
        Takes { pictures: true, pdf: false }
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: "demo", model: "demo".to_owned() }
    }
}

fn spoken(answer: &str) -> VecDeque<ModelEvent> {
    let pieces = answer.split_inclusive(' ').map(|piece| ModelEvent::Text(piece.to_owned()));
    pieces.chain([ModelEvent::BlockEnd, ModelEvent::Stop(StopReason::EndTurn)]).collect()
}

/// An answer that streams word by word, with a pause after each.
struct PacedAnswer {
    events: VecDeque<ModelEvent>,
    delay: Duration,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Stream for PacedAnswer {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
        }
        let event = self.events.pop_front();
        let delay = self.delay;
        self.pause = match event {
            Some(ModelEvent::Text(_)) if !delay.is_zero() => Some(Box::pin(sleep(delay))),
            _ => None,
        };
        Poll::Ready(event.map(Ok))
    }
}
