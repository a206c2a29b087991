//! One turn of a program, from the person's message to its end.
//!
//! 1. What the program began to say by itself comes first, and is let to its end
//!    before the person's message is said, so that one message has one end. A turn
//!    that nobody asked for consists of that alone.
//! 2. A process is started if none runs and there is room for one ([`super::queue`]),
//!    with the session that the history names. One that does not know it is started
//!    once more, afresh.
//! 3. Lines become events until the turn is over. Time counts only while nobody
//!    is asked. In between the turn may be parked, without a process
//!    ([`super::parked`]).
//! 4. Whatever goes wrong ends the process and says why; the next turn starts
//!    another one.

use std::time::Duration;

use parlor_agent::{AgentError, AgentEvent, TurnContext, TurnEnd};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::child::{Child, Exit};
use super::keeper::{Begin, Command, Keeper, Live, Unasked};
use super::lines::Line;
use super::memory::remembered;
use super::parked::Parked;
use super::queue::{Queued, Start};
use super::{Output, Paused, Session};

/// How long a process may take until it says anything.
const START: Duration = Duration::from_secs(60);
/// How long one that speaks may take until it comes to the call that it was left with.
const COMING_TO_IT: Duration = Duration::from_secs(10);
/// How long a program that was told to stop may take for it.
const STOPPING: Duration = Duration::from_secs(5);

/// A turn that runs.
pub(super) struct Turn {
    pub(super) context: Box<TurnContext>,
    pub(super) events: mpsc::Sender<AgentEvent>,
    /// Whether nobody asked for it.
    unasked: bool,
    /// Whether the person's message was said, or must not be.
    pub(super) said: bool,
    /// What it waits for before a process is started.
    pub(super) queued: Option<Queued>,
    /// Whether the process was started in this turn with a session to go on with.
    resumes: bool,
    /// The call that was put off, until it is answered.
    pub(super) parked: Option<Parked>,
    /// How much time is left.
    left: Duration,
    /// How much was written.
    bytes: usize,
    /// When it is ended, having been told to stop.
    pub(super) stops_at: Option<Instant>,
    /// The turn that begins instead.
    pub(super) next: Option<Begin>,
    pub(super) over: Option<TurnEnd>,
    /// Whether the process cannot be used any more.
    ends_process: bool,
}

impl Keeper {
    /// Takes a turn; gives back the turn that came in between, if one did.
    pub(super) async fn turn(&mut self, mut begin: Begin) -> Option<Begin> {
        let paused = begin.paused.take();
        let mut turn = Turn::new(begin, self.pool.program.limits().turn);
        let known = remembered(&turn.context, self.pool.program.kind());
        if let Some(session) = self.session.clone().filter(|id| known.as_ref() != Some(id)) {
            self.name_session(&mut turn, &session).await;
        }
        self.session = self.session.take().or(known);
        if self.slot.as_ref().is_some_and(|slot| !slot.is_busy()) {
            // It was just asked to make room for another conversation.
            self.end_process().await;
        }
        if let Some(paused) = paused {
            self.take_up(&mut turn, paused).await;
        } else if let Some(Unasked { line, length, .. }) = self.unasked.take() {
            self.line(&mut turn, Line::Json(line, length)).await;
        }
        while turn.over.is_none() {
            if let Some(queued) = turn.queued.take() {
                self.wait_for_slot(&mut turn, queued).await;
            } else if turn.is_parked(self.live.is_some()) {
                self.wait(&mut turn).await;
            } else if turn.said || self.live.as_ref().is_some_and(|live| live.dialect.is_busy()) {
                self.step(&mut turn).await;
            } else if turn.unasked {
                turn.over = Some(TurnEnd::Complete { cut_off: false });
            } else {
                self.say(&mut turn);
            }
        }
        self.finish(turn).await
    }

    async fn finish(&mut self, mut turn: Turn) -> Option<Begin> {
        if turn.ends_process
            && let Some(live) = &mut self.live
        {
            let mut out = Vec::new();
            live.dialect.give_up(&mut out);
            for output in out {
                if let Output::Event(event) = output {
                    turn.emit(event).await;
                }
            }
        }
        if let Some(end) = turn.over.take() {
            turn.emit(AgentEvent::Ended(end)).await;
        }
        if turn.ends_process || self.live.is_none() {
            self.end_process().await;
        }
        turn.next
    }

    /// Says the person's message, to a new process if none runs.
    pub(super) fn say(&mut self, turn: &mut Turn) {
        if self.live.is_none() {
            if !self.may_start(turn, Start::Message) {
                return;
            }
            match self.start(&turn.context, None) {
                Ok(live) => self.live = Some(live),
                Err(why) => return turn.fail(AgentError::NotStarted(why)),
            }
            turn.resumes = self.session.is_some();
        }
        if let Some(live) = &mut self.live {
            turn.said = true;
            let lines = live.dialect.begin(&turn.context, Uuid::now_v7());
            lines.iter().for_each(|line| live.child.send(line));
        }
    }

    pub(super) fn start(
        &self,
        context: &TurnContext,
        paused: Option<&Paused>,
    ) -> Result<Live, String> {
        let program = &self.pool.program;
        let from = Session { id: self.session.as_deref(), paused };
        let (spec, mut dialect) = program.start(context, from);
        let longest = program.limits().line_bytes;
        let child = Child::start(&self.pool.supervisor, &spec, longest, program.kind())?;
        tracing::info!(conversation = %self.conversation, kind = program.kind(),
            resumes = self.session.is_some(), "an agent is started");
        dialect.opening().iter().for_each(|line| child.send(line));
        Ok(Live { child, dialect })
    }

    /// Waits for the next thing to happen, and deals with it.
    async fn step(&mut self, turn: &mut Turn) {
        let Some(live) = &mut self.live else {
            return turn.fail(AgentError::Lost("there is no process".to_owned()));
        };
        let (patience, counts) = turn.patience(live);
        let since = Instant::now();
        let events = turn.events.clone();
        let happened = tokio::select! {
            biased;
            () = self.stop.cancelled() => Happened::ServerStops,
            Some(command) = self.queue.recv() => Happened::Told(command),
            () = events.closed() => Happened::NobodyListens,
            line = live.child.next() => Happened::Line(line),
            () = sleep(patience) => Happened::TimeIsUp,
        };
        if counts {
            turn.left = turn.left.saturating_sub(since.elapsed());
        }
        match happened {
            Happened::Told(command) => self.told(turn, command).await,
            Happened::Line(line) => self.line(turn, line).await,
            Happened::TimeIsUp => self.time_is_up(turn),
            Happened::ServerStops => {
                turn.fail(AgentError::Lost("the server is stopping".to_owned()));
            }
            Happened::NobodyListens => {
                turn.ends_process = true;
                turn.over = Some(TurnEnd::Stopped);
            }
        }
    }

    async fn told(&mut self, turn: &mut Turn, command: Command) {
        let Some(live) = &mut self.live else { return };
        match command {
            Command::Answer(id, reply) => {
                let mut out = Vec::new();
                live.dialect.answer(&id, reply, &mut out);
                self.is_answered(turn, &id).await;
                self.apply(turn, out).await;
            }
            Command::Waits(id) => live.dialect.waits(&id),
            Command::Stop => turn.stop(live),
            Command::Begin(begin) => {
                turn.next = Some(begin);
                turn.stop(live);
            }
        }
    }

    async fn line(&mut self, turn: &mut Turn, line: Line) {
        let Some(live) = &mut self.live else { return };
        if let Line::Json(_, length) | Line::Noise(_, length) = &line {
            turn.bytes += length;
            let most = self.pool.program.limits().output_bytes;
            if turn.bytes > most {
                let why = format!("it wrote more than {most} bytes in one turn");
                return turn.fail(AgentError::Lost(why));
            }
        }
        match line {
            Line::Json(line, _) => {
                let mut out = Vec::new();
                live.dialect.read(&line, &mut out);
                self.apply(turn, out).await;
            }
            Line::Noise(..) => {}
            Line::Broken(why) => turn.fail(AgentError::Lost(why)),
            Line::End => self.ended(turn).await,
        }
    }

    /// The process ended by itself.
    async fn ended(&mut self, turn: &mut Turn) {
        let Some(mut live) = self.live.take() else { return };
        let mut out = Vec::new();
        live.dialect.give_up(&mut out);
        let has_spoken = live.child.has_spoken;
        let exit = live.child.farewell().await;
        for output in out {
            if let Output::Event(event) = output {
                turn.emit(event).await;
            }
        }
        turn.over = Some(match exit {
            _ if turn.stops_at.is_some() => TurnEnd::Stopped,
            Exit::NotRun(why) => TurnEnd::Failed(AgentError::NotStarted(why)),
            // What was put off is asked again, by another process.
            Exit::Ended(why) if turn.may_try_again() => return self.again(turn, &why),
            Exit::Ended(why) if turn.parked.is_some() => TurnEnd::Failed(AgentError::Lost(why)),
            // It may not even say that it does not know its session.
            Exit::Ended(_) if !has_spoken && turn.resumes => return self.afresh(turn).await,
            Exit::Ended(why) if !has_spoken => TurnEnd::Failed(AgentError::NotStarted(why)),
            Exit::Ended(why) => TurnEnd::Failed(AgentError::Lost(why)),
        });
    }

    fn time_is_up(&mut self, turn: &mut Turn) {
        let has_spoken = self.live.as_ref().is_some_and(|live| live.child.has_spoken);
        if turn.stops_at.is_some() {
            turn.ends_process = true;
            turn.over = Some(TurnEnd::Stopped);
        } else if !has_spoken && !turn.left.is_zero() {
            turn.fail(AgentError::NotStarted(format!("it said nothing within {START:?}")));
        } else if turn.is_overdue(self.live.as_ref()) {
            turn.fail(AgentError::Lost("it did not ask again about what it was left with".into()));
        } else {
            turn.fail(AgentError::TookTooLong(self.pool.program.limits().turn));
        }
    }

    pub(super) async fn apply(&mut self, turn: &mut Turn, out: Vec<Output>) {
        for output in out {
            match output {
                Output::Event(event) => {
                    if let Some(event) = self.unless_answered(turn, event).await {
                        let event = self.with_preview(event).await;
                        turn.emit(event).await;
                    }
                }
                Output::Deferred(paused) => return self.go_on(turn, paused).await,
                Output::Durable(paused) => self.durable(turn, paused).await,
                Output::Send(line) => {
                    if let Some(live) = &self.live {
                        live.child.send(&line);
                    }
                }
                Output::Session(id) => {
                    let known = remembered(&turn.context, self.pool.program.kind());
                    self.session = Some(id.clone());
                    if known.as_ref() != Some(&id) {
                        self.name_session(turn, &id).await;
                    }
                }
                Output::NoSuchSession if turn.parked.is_some() => {
                    return turn.fail(AgentError::Lost("its session is gone".to_owned()));
                }
                Output::NoSuchSession => return self.afresh(turn).await,
                // What the program began by itself is over; the person's message is next.
                Output::Over(_) if !turn.said && !turn.unasked && turn.stops_at.is_none() => {}
                Output::Over(_) if turn.stops_at.is_some() && !turn.said => {
                    turn.over = Some(TurnEnd::Stopped);
                }
                Output::Over(end) => turn.over = Some(end),
            }
        }
    }

    /// The session is gone, or was never there: another one is begun, and told
    /// what was said so far.
    async fn afresh(&mut self, turn: &mut Turn) {
        tracing::warn!(conversation = %self.conversation, "the agent's session is gone; it begins \
            another one");
        self.leave_process().await;
        self.session = None;
        turn.resumes = false;
        self.say(turn);
    }

    /// What a call would change, where files have to be looked at for it.
    async fn with_preview(&self, event: AgentEvent) -> AgentEvent {
        let AgentEvent::Proposes(mut call) = event else { return event };
        let (program, asked) = (self.pool.program.clone(), call.clone());
        let looked = tokio::task::spawn_blocking(move || program.preview(&asked)).await;
        // Files tell more than the arguments alone.
        call.preview = looked.ok().flatten().or(call.preview);
        AgentEvent::Proposes(call)
    }
}

/// What happens in a turn.
enum Happened {
    Told(Command),
    Line(Line),
    TimeIsUp,
    ServerStops,
    NobodyListens,
}

impl Turn {
    fn new(begin: Begin, left: Duration) -> Self {
        Self {
            context: begin.context,
            events: begin.events,
            unasked: begin.unasked,
            said: false,
            queued: None,
            resumes: false,
            parked: None,
            left,
            bytes: 0,
            stops_at: None,
            next: None,
            over: None,
            ends_process: false,
        }
    }

    /// Whoever listened may be gone, which is noticed elsewhere.
    pub(super) async fn emit(&mut self, event: AgentEvent) {
        let _nobody_listens = self.events.send(event).await;
    }

    pub(super) fn fail(&mut self, error: AgentError) {
        self.ends_process = true;
        self.over = Some(TurnEnd::Failed(error));
    }

    fn stop(&mut self, live: &mut Live) {
        if self.stops_at.is_none() {
            self.stops_at = Some(Instant::now() + STOPPING);
            live.dialect.interrupt().iter().for_each(|line| live.child.send(line));
        }
    }

    /// How long to wait for the next thing, and whether that counts.
    fn patience(&self, live: &Live) -> (Duration, bool) {
        match self.stops_at {
            Some(at) => (at.saturating_duration_since(Instant::now()), false),
            // Longer than any server runs.
            None if live.dialect.is_waiting() => (Duration::from_secs(1 << 30), false),
            None if !live.child.has_spoken => (self.left.min(START), true),
            None if self.is_overdue(Some(live)) => (self.left.min(COMING_TO_IT), true),
            None => (self.left, true),
        }
    }
}
