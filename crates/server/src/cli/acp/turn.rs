//! Follows a conversation while the editor waits: events become updates, prompts become
//! questions of the editor, and their answers go back.
//!
//! - A question that is answered elsewhere, or expires, is withdrawn.
//! - A question that the editor cannot ask, or that its person closes, stays open in Parlor;
//!   the editor's turn ends, the one in Parlor waits.
//! - A cancel stops the turn in Parlor and waits for its end, but not for ever.

use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CurrentModeUpdate, SessionUpdate, StopReason,
};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use parlor_protocol::{
    DoneReason, ErrorCode, EventBody, PromptAnswer, PromptId, PromptType, TurnId, UserPrompt,
};
use serde_json::Value;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::activity::{Activity, OpenPrompt, Way};
use super::answers::Outcome;
use super::client::ClientError;
use super::editor::Gone;
use super::json_rpc::RpcError;
use super::tool_calls::call_id;
use super::{form, permission};

/// How long a turn may take to end after it was stopped.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// How often an answer that does not fit is asked for again.
const MOST_INVALID: u32 = 3;

/// How long to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// To the end of this turn.
    Done(TurnId),
    /// To the end of whichever turn runs.
    AnyDone,
    /// Until no question is with the editor any more.
    Answered,
}

/// Why it was followed no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The turn ended.
    Done(DoneReason, Option<u64>),
    /// All questions are answered; the turn that an answer began.
    Answered(Option<TurnId>),
    /// The editor cancelled.
    Cancelled,
    /// A question is open that the editor's person answers later.
    Left(StopReason),
}

/// Why it could not be followed.
#[derive(Debug, thiserror::Error)]
pub(super) enum FollowError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Gone(#[from] Gone),
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was taken, and began this turn if none waited for it.
    Yes(Option<TurnId>),
    /// Somebody else was faster, or the time was up.
    TooLate,
    /// Somebody else has to answer; the prompt is open.
    NotOurs(String),
    /// It does not fit; the prompt is open.
    Invalid(String),
}

/// A question that the editor was asked has an end.
type Reply = (PromptId, Option<Result<Value, RpcError>>);

/// Follows a conversation for one request of the editor.
pub(super) struct Turn<'a> {
    pub(super) activity: &'a mut Activity,
    cancel: CancellationToken,
    asks: FuturesUnordered<BoxFuture<'static, Reply>>,
    /// The questions that are with the editor, and the ids of their requests.
    asked: Vec<(PromptId, i64)>,
    /// Set when a cancel has stopped the turn: until when its end is waited for.
    stopped: Option<Instant>,
    /// A turn waits for an answer that the next message gives.
    waits_for_text: bool,
    /// The turn that an answer began.
    begun: Option<TurnId>,
    invalid: u32,
}

impl<'a> Turn<'a> {
    pub(super) fn new(activity: &'a mut Activity, cancel: CancellationToken) -> Self {
        Self {
            activity,
            cancel,
            asks: FuturesUnordered::new(),
            asked: Vec::new(),
            stopped: None,
            waits_for_text: false,
            begun: None,
            invalid: 0,
        }
    }

    /// Whether the editor cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Follows the conversation.
    pub(super) async fn follow(&mut self, until: Until) -> Result<End, FollowError> {
        let end = match self.follow_to_end(until).await {
            // Whatever broke on the way, a cancel is a cancel.
            Err(FollowError::Client(_)) if self.is_cancelled() => Ok(End::Cancelled),
            end => end,
        };
        self.withdraw_all().await?;
        end
    }

    async fn follow_to_end(&mut self, until: Until) -> Result<End, FollowError> {
        loop {
            if self.asks.is_empty() {
                if until == Until::Answered {
                    return Ok(End::Answered(self.begun.take()));
                }
                if self.waits_for_text {
                    return Ok(End::Left(StopReason::EndTurn));
                }
            }
            let (cancel, stopped) = (self.cancel.clone(), self.stopped);
            let patience = sleep_until(stopped.unwrap_or_else(Instant::now));
            let end = tokio::select! {
                biased;
                () = cancel.cancelled(), if stopped.is_none() => self.stop(until).await?,
                Some((id, reply)) = self.asks.next() => self.replied(id, reply).await?,
                event = self.activity.follower.next() => self.event(event?, until).await?,
                () = patience, if stopped.is_some() => Some(End::Cancelled),
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    /// Asks a prompt in a dialog of the editor.
    pub(super) async fn ask(&mut self, prompt: &UserPrompt, way: Way) -> Result<(), FollowError> {
        let Activity { id, editor, shown, .. } = &*self.activity;
        let asking = match way {
            Way::Permission => {
                let call = shown.call_of(prompt.id).map(call_id);
                let request = permission::request(id, prompt, call);
                editor.ask(CLIENT_METHOD_NAMES.session_request_permission, &request).await?
            }
            Way::Form => match form::request(id, prompt) {
                Some(request) => {
                    editor.ask(CLIENT_METHOD_NAMES.elicitation_create, &request).await?
                }
                None => return Ok(()),
            },
            Way::Text => return Ok(()),
        };
        let prompt = prompt.id;
        self.asked.push((prompt, asking.id()));
        self.asks.push(Box::pin(async move { (prompt, asking.response().await) }));
        Ok(())
    }

    /// Sends an answer.
    pub(super) async fn answer(
        &mut self,
        prompt: &UserPrompt,
        answer: &PromptAnswer,
    ) -> Result<Taken, FollowError> {
        let (client, editor) = (self.activity.client.clone(), self.activity.editor.clone());
        let taken = match client.answer(prompt.id, answer).await {
            Ok(answered) => Taken::Yes(answered.turn_id),
            Err(ClientError::Refused(body)) => match body.code {
                ErrorCode::PromptClosed => Taken::TooLate,
                // It waits on, for somebody else.
                ErrorCode::NotApprover => Taken::NotOurs(body.message),
                ErrorCode::AnswerInvalid
                | ErrorCode::InputBlocked
                | ErrorCode::InputEmpty
                | ErrorCode::InputTooLong
                | ErrorCode::InputMalformed => Taken::Invalid(body.message),
                _ => return Err(ClientError::Refused(body).into()),
            },
            Err(error) => return Err(error.into()),
        };
        if matches!(taken, Taken::Yes(_)) {
            // Its message and its end are in the events that follow.
            self.activity.shown.own_answer(prompt.id);
            self.activity.close(prompt.id);
            if prompt.prompt_type == PromptType::Plan && answer.response == "execute" {
                // Executing a plan leaves plan mode.
                let mode = SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new("act"));
                editor.update(&self.activity.id, vec![mode]).await?;
            }
        }
        Ok(taken)
    }

    async fn event(&mut self, event: EventBody, until: Until) -> Result<Option<End>, FollowError> {
        let updates = self.activity.shown.updates(&event);
        self.activity.editor.update(&self.activity.id, updates).await?;
        match event {
            EventBody::UserPrompt(prompt) => self.opened(*prompt).await?,
            EventBody::UserPromptClosed(closed) => self.closed(closed.id).await?,
            EventBody::Done { turn_id, tokens_used, reason, .. } => {
                // No turn waits any more, for whatever it was.
                self.waits_for_text = false;
                self.activity.open.retain(|open| !open.turn_waits);
                if until == Until::AnyDone || until == Until::Done(turn_id) {
                    return Ok(Some(match self.stopped {
                        Some(_) => End::Cancelled,
                        None => End::Done(reason, tokens_used),
                    }));
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// A prompt opened. One that no turn waits for is asked when its turn has ended.
    async fn opened(&mut self, prompt: UserPrompt) -> Result<(), FollowError> {
        let is_known = self.activity.open.iter().any(|open| open.prompt.id == prompt.id);
        if is_known || self.stopped.is_some() {
            return Ok(());
        }
        // Only an approval says by itself that a turn waits.
        let turn_waits =
            prompt.tool_call.is_some() || self.activity.client.prompt(prompt.id).await?.turn_waits;
        let way = self.activity.way(&prompt);
        if way == Way::Text {
            self.activity.show(&prompt).await?;
            self.waits_for_text |= turn_waits;
        } else if turn_waits {
            self.ask(&prompt, way).await?;
        }
        self.activity.open.push(OpenPrompt { prompt, turn_waits, is_shown: way == Way::Text });
        Ok(())
    }

    async fn closed(&mut self, id: PromptId) -> Result<(), FollowError> {
        self.activity.close(id);
        if !self.activity.open.iter().any(|open| open.turn_waits) {
            self.waits_for_text = false;
        }
        if let Some(at) = self.asked.iter().position(|(asked, _)| *asked == id) {
            let (_, request) = self.asked.remove(at);
            self.withdraw(request).await?;
        }
        Ok(())
    }

    /// The editor answered a question.
    async fn replied(
        &mut self,
        id: PromptId,
        reply: Option<Result<Value, RpcError>>,
    ) -> Result<Option<End>, FollowError> {
        self.asked.retain(|(asked, _)| *asked != id);
        let open = self.activity.open.iter().find(|open| open.prompt.id == id);
        let (Some(reply), Some(OpenPrompt { prompt, .. })) = (reply, open.cloned()) else {
            return Ok(None);
        };
        let way = self.activity.way(&prompt);
        let outcome = match (reply, way) {
            (Err(error), _) => Outcome::Unanswered(error.to_string()),
            (Ok(response), Way::Form) => form::outcome(&prompt, &response),
            (Ok(response), _) => permission::outcome(&response),
        };
        match outcome {
            Outcome::Answer(answer) => self.decided(&prompt, &answer, way).await,
            // The editor says so too if its person has cancelled the turn.
            Outcome::Dismissed if self.is_cancelled() => Ok(None),
            Outcome::Dismissed => Ok(Some(End::Left(StopReason::Cancelled))),
            Outcome::Unanswered(why) => {
                tracing::warn!(why, "the editor could not ask a question");
                self.stays_open().await?;
                Ok(Some(End::Left(StopReason::EndTurn)))
            }
        }
    }

    async fn decided(
        &mut self,
        prompt: &UserPrompt,
        answer: &PromptAnswer,
        way: Way,
    ) -> Result<Option<End>, FollowError> {
        match self.answer(prompt, answer).await? {
            Taken::Yes(turn) => {
                self.begun = turn.or(self.begun);
                Ok(None)
            }
            // The event that says so is on its way.
            Taken::TooLate => Ok(None),
            // The turn waits on, and its end comes as an event.
            Taken::NotOurs(why) => {
                self.activity.say(&why).await?;
                Ok(None)
            }
            Taken::Invalid(why) => {
                self.invalid += 1;
                self.activity.say(&why).await?;
                if self.invalid >= MOST_INVALID {
                    self.stays_open().await?;
                    return Ok(Some(End::Left(StopReason::EndTurn)));
                }
                self.ask(prompt, way).await?;
                Ok(None)
            }
        }
    }

    async fn stays_open(&mut self) -> Result<(), FollowError> {
        let text = match self.activity.client.page(self.activity.conversation) {
            Some(page) => format!("The question stays open. You can answer it at {page}"),
            None => "The question stays open; the next message asks it again.".to_owned(),
        };
        Ok(self.activity.say(&text).await?)
    }

    /// Stops the turn. Its end comes as an event.
    async fn stop(&mut self, until: Until) -> Result<Option<End>, FollowError> {
        if until == Until::Answered {
            // No turn runs: only questions are with the editor.
            return Ok(Some(End::Cancelled));
        }
        self.stopped = Some(Instant::now() + STOP_PATIENCE);
        self.activity.client.stop(self.activity.conversation).await?;
        Ok(None)
    }

    async fn withdraw_all(&mut self) -> Result<(), FollowError> {
        for (_, request) in std::mem::take(&mut self.asked) {
            self.withdraw(request).await?;
        }
        self.asks = FuturesUnordered::new();
        Ok(())
    }

    /// After a cancel the editor closes its questions by itself.
    async fn withdraw(&mut self, request: i64) -> Result<(), FollowError> {
        let editor = &self.activity.editor;
        match self.is_cancelled() {
            true => editor.forget(request),
            false => editor.withdraw(request).await?,
        }
        Ok(())
    }
}
