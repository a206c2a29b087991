//! What a turn waits for: the same in every phase.

use std::future::pending;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Turn;
use super::effect::{Input, Timeout};
use crate::bridge::command::Command;
use crate::bridge::line::Line;
use crate::bridge::process::Live;
use crate::bridge::slots::{Slot, SlotRequest};

/// How long a process may take for its first message.
const FIRST_MESSAGE: Duration = Duration::from_secs(60);
/// How long a process that has spoken may take to reach the deferred call.
const DEFERRED_CALL: Duration = Duration::from_secs(30);
/// How long a process is kept for a person's answer that another one could be told: who
/// answers at once needs no other, and the program has time to store its session.
const ANSWER: Duration = Duration::from_secs(2);
/// How long an interrupted program may take to end its turn.
const STOPPING: Duration = Duration::from_secs(5);
/// No line for so long: what the dialect held back is released.
const QUIET: Duration = Duration::from_secs(2);
/// Longer than any server runs.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// What came first.
pub(super) enum Happened {
    /// The process wrote a line; what it means is up to its dialect.
    Line(Line),
    /// No line came for a moment.
    Quiet,
    /// Anything else.
    Input(Input),
}

impl Turn<'_> {
    /// Waits for a line of the process, within its time, or for anything else.
    pub(super) async fn wait_for_process(
        &mut self,
        commands: &mut mpsc::Receiver<Command>,
        stop: &CancellationToken,
    ) -> Happened {
        let Some(live) = &self.process.live else {
            return Happened::Input(Input::Broken("there is no process".to_owned()));
        };
        let (patience, timeout) = self.patience(live);
        let is_held = live.dialect.holds_back() && patience > QUIET;
        let counts = !live.dialect.waits_for_person() && self.stopping_since.is_none();
        let since = Instant::now();
        let happened = tokio::select! {
            biased;
            happened = self.wait(commands, stop) => happened,
            () = sleep(QUIET), if is_held => Happened::Quiet,
            () = sleep(patience) => Happened::Input(Input::TimedOut(timeout)),
        };
        if counts {
            self.time_left = self.time_left.saturating_sub(since.elapsed());
        }
        happened
    }

    /// Waits for whatever comes next.
    pub(super) async fn wait(
        &mut self,
        commands: &mut mpsc::Receiver<Command>,
        stop: &CancellationToken,
    ) -> Happened {
        let (live, slot_request) = (&mut self.process.live, &mut self.slot_request);
        Happened::Input(tokio::select! {
            biased;
            () = stop.cancelled() => Input::ServerStops,
            command = commands.recv() => match command {
                Some(Command::Answer(id, reply)) => Input::Answer(id, reply),
                Some(Command::PersonAsked(id)) => Input::PersonAsked(id),
                Some(Command::Stop) => Input::Stop,
                Some(Command::Begin(begin)) => {
                    self.next = Some(begin);
                    Input::Stop
                }
                None => Input::RunnerGone,
            },
            () = self.events.closed() => Input::RunnerGone,
            slot = granted(slot_request) => {
                self.process.slot = Some(slot);
                self.slot_request = None;
                Input::SlotGranted
            }
            line = next_line(live) => return Happened::Line(line),
        })
    }

    /// How long to wait for the process, and for what.
    fn patience(&self, live: &Live) -> (Duration, Timeout) {
        let of_turn = Timeout::Turn(self.process.project.program.limits().turn);
        if let Some(since) = self.stopping_since {
            let until = since + STOPPING;
            return (until.saturating_duration_since(Instant::now()), Timeout::Stop);
        }
        if self.state.asks_person() {
            let until = self.asking_since.map(|since| since + ANSWER);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            return (left.unwrap_or_default(), Timeout::Answer);
        }
        let (patience, timeout) = if live.dialect.waits_for_person() {
            return (FOREVER, of_turn);
        } else if !live.child.has_spoken {
            (FIRST_MESSAGE, Timeout::FirstMessage(FIRST_MESSAGE))
        } else if self.state.has_deferred_call() && !live.dialect.reached_deferred_call() {
            (DEFERRED_CALL, Timeout::DeferredCall)
        } else {
            return (self.time_left, of_turn);
        };
        if self.time_left < patience { (self.time_left, of_turn) } else { (patience, timeout) }
    }
}

async fn granted(request: &mut Option<SlotRequest>) -> Slot {
    match request {
        Some(request) => request.granted().await,
        None => pending().await,
    }
}

async fn next_line(live: &mut Option<Live>) -> Line {
    match live {
        Some(live) => live.child.next().await,
        None => pending().await,
    }
}
