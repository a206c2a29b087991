//! A room: one conversation after the other, with three clients in each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::api::Api;
use super::hands::{self, Way};
use super::knowledge::Knowledge;
use super::sending::Outgoing;
use super::{Client, Stage, polling, socket, sse};
use crate::calm::Calm;

/// How often the room looks whether its conversation is long enough.
const LOOK: Duration = Duration::from_millis(200);

/// A room.
pub(crate) struct Room {
    number: usize,
    api: Api,
    calm: Arc<Calm>,
    /// The stage of the whole run.
    stage: watch::Receiver<Stage>,
    rng: Rng,
    next_message: Arc<AtomicU64>,
}

impl Room {
    pub(crate) fn new(
        number: usize,
        api: Api,
        calm: Arc<Calm>,
        stage: watch::Receiver<Stage>,
        rng: Rng,
    ) -> Self {
        Self { number, api, calm, stage, rng, next_message: Arc::default() }
    }

    /// Runs until the end of the run.
    pub(crate) async fn run(mut self) {
        while *self.stage.borrow() == Stage::Busy {
            let number = self.next_message.fetch_add(1, Ordering::Relaxed);
            let tag = format!("m{}-{number}", self.number);
            let first = Outgoing::new(&self.api, tag, None, &mut self.rng);
            let Some((acknowledged, ..)) = first.post(&self.api).await else { return };
            self.talk(&acknowledged.conversation, number).await;
        }
    }

    /// One conversation, until it is long enough or the run ends.
    async fn talk(&mut self, conversation: &str, first: u64) {
        let (stage, clients_stage) = watch::channel(Stage::Busy);
        let mut clients = self.clients(conversation, &clients_stage);
        let last = first + self.rng.u64(6..20);
        while *self.stage.borrow() == Stage::Busy
            && self.next_message.load(Ordering::Relaxed) < last
        {
            let ended = self.stage.wait_for(|now| *now > Stage::Busy);
            drop(tokio::time::timeout(LOOK, ended).await);
        }
        if *self.stage.borrow() == Stage::Busy {
            stage.send_replace(Stage::Left);
        } else {
            stage.send_replace(Stage::Closing);
            drop(self.stage.wait_for(|now| *now == Stage::Over).await);
            stage.send_replace(Stage::Over);
        }
        while clients.join_next().await.is_some() {}
    }

    fn clients(&mut self, conversation: &str, stage: &watch::Receiver<Stage>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let client = |kind: &str| {
            Arc::new(Client {
                name: format!("{kind} {}", self.number),
                conversation: conversation.to_owned(),
                api: self.api.clone(),
                record: self.api.record.clone(),
                calm: Arc::clone(&self.calm),
                stage: stage.clone(),
                knowledge: Knowledge::default(),
                next_message: Arc::clone(&self.next_message),
                room: self.number,
            })
        };
        let (one, two, three) = (client("stream"), client("socket"), client("poll"));
        let (outbox, frames) = mpsc::channel(8);
        tasks.spawn(sse::read(Arc::clone(&one), self.rng.fork()));
        tasks.spawn(hands::act(one, Way::Requests, self.rng.fork()));
        tasks.spawn(socket::read(Arc::clone(&two), frames, self.rng.fork()));
        tasks.spawn(hands::act(two, Way::Socket(outbox), self.rng.fork()));
        tasks.spawn(polling::read(Arc::clone(&three), self.rng.fork()));
        tasks.spawn(hands::act(three, Way::Requests, self.rng.fork()));
        tasks
    }
}
