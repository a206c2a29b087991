//! A message from the editor, from its arrival to the end of its turn.
//!
//! 1. Questions that are open come first. One that was asked as text is answered by the
//!    message, if it is an answer ([`super::reply`]). One for which a turn waits is asked
//!    again, and the message is sent after that turn.
//! 2. The message is sent. What happened meanwhile, by people in a browser, is shown before
//!    its turn.
//! 3. The turn is followed to its end ([`super::turn`]).
//! 4. If the agent ended its turn with a question, the editor asks it now, and the turn that
//!    the answer begins is followed too.

use agent_client_protocol_schema::v1::{Error, Meta, PromptResponse, StopReason};
use parlor_protocol::{ChatRequest, ClientMessageId, DoneReason, ErrorCode, TurnId, UserPrompt};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::activity::{Activity, OpenPrompt, Way};
use super::client::ClientError;
use super::content::PersonMessage;
use super::editor::Gone;
use super::errors;
use super::reply::{self, Reply};
use super::turn::{End, FollowError, Taken, Turn, Until};
use super::updates::Ending;

/// Says how many tokens a turn took, in and out together.
const TOKENS_USED: &str = "parlor/tokensUsed";

/// What to do next.
enum Next {
    Send,
    Follow(Until),
    End(End),
}

/// Why a prompt failed.
enum PromptError {
    Follow(FollowError),
    /// A question has to be answered first.
    QuestionOpen,
}

impl From<FollowError> for PromptError {
    fn from(error: FollowError) -> Self {
        Self::Follow(error)
    }
}

impl From<ClientError> for PromptError {
    fn from(error: ClientError) -> Self {
        Self::Follow(error.into())
    }
}

impl From<Gone> for PromptError {
    fn from(gone: Gone) -> Self {
        Self::Follow(gone.into())
    }
}

/// Takes a message; returns when its turn has ended.
pub(super) async fn prompt(
    activity: &mut Activity,
    message: PersonMessage,
    cancel: CancellationToken,
) -> Result<PromptResponse, Error> {
    activity.shown.begin_prompt();
    let mut turn = Turn::new(activity, cancel);
    let end = run(&mut turn, message).await;
    let ending = turn.activity.shown.ending();
    match end {
        Ok(end) => Ok(response(end, ending)),
        Err(_) if turn.is_cancelled() => Ok(PromptResponse::new(StopReason::Cancelled)),
        Err(PromptError::QuestionOpen) => Err(errors::prompt_open()),
        Err(PromptError::Follow(FollowError::Client(error))) => Err(errors::of_client(&error)),
        // Nobody reads it.
        Err(PromptError::Follow(FollowError::Gone(_))) => Err(Error::internal_error()),
    }
}

/// Follows the turn that runs, with the questions that it waits for.
pub(super) async fn attach(activity: &mut Activity, cancel: CancellationToken) {
    let mut turn = Turn::new(activity, cancel);
    let followed = async {
        let waiting = turn.activity.waiting();
        if waiting.iter().any(|prompt| turn.activity.way(prompt) == Way::Text) {
            // The next message answers it.
            return Ok(());
        }
        ask_all(&mut turn, &waiting).await?;
        turn.follow(Until::AnyDone).await.map(drop)
    };
    if let Err(error) = followed.await {
        tracing::warn!(%error, "failed to follow a turn");
    }
}

/// Stops a turn that was left waiting for an answer.
pub(super) async fn stop_left(activity: &mut Activity) {
    if activity.waiting().is_empty() {
        return;
    }
    match activity.client.stop(activity.conversation).await {
        Ok(()) => activity.open.retain(|open| !open.turn_waits),
        Err(error) => tracing::warn!(%error, "failed to stop a turn"),
    }
}

async fn run(turn: &mut Turn<'_>, message: PersonMessage) -> Result<End, PromptError> {
    if turn.is_cancelled() {
        return Ok(End::Cancelled);
    }
    let next = match open_questions(turn, &message).await? {
        Next::Send => send(turn, message).await?,
        next => next,
    };
    let mut end = match next {
        Next::Follow(until) => turn.follow(until).await?,
        Next::End(end) => return Ok(end),
        Next::Send => return Err(PromptError::QuestionOpen),
    };
    while matches!(end, End::Done(..)) {
        match ask_later(turn).await? {
            Next::Follow(until) => end = turn.follow(until).await?,
            Next::End(End::Cancelled) => return Ok(End::Cancelled),
            Next::End(_) | Next::Send => break,
        }
    }
    Ok(end)
}

/// Step 1.
async fn open_questions(turn: &mut Turn<'_>, message: &PersonMessage) -> Result<Next, PromptError> {
    let activity = &*turn.activity;
    let as_text = |open: &&OpenPrompt| activity.way(&open.prompt) == Way::Text;
    if let Some(open) = activity.open.iter().rfind(as_text).cloned() {
        if !open.is_shown && open.turn_waits {
            // Nobody can have meant to answer it.
            turn.activity.show_again(&open.prompt).await?;
            return Err(PromptError::QuestionOpen);
        }
        match read(&open, message) {
            Reply::Answer(answer) => {
                let taken = turn.answer(&open.prompt, &answer).await?;
                return answered(turn, &open, taken).await;
            }
            Reply::Unclear(why) => return left_with(turn, &why).await,
            Reply::Message => {}
        }
    }
    let waiting = turn.activity.waiting();
    if waiting.is_empty() {
        return Ok(Next::Send);
    }
    ask_all(turn, &waiting).await?;
    settle(turn).await
}

fn read(open: &OpenPrompt, message: &PersonMessage) -> Reply {
    match (message.attached.is_empty(), open.turn_waits) {
        (true, false) if !open.is_shown => Reply::Message,
        (true, turn_waits) => reply::read(&open.prompt, &message.text, turn_waits),
        (false, false) => Reply::Message,
        (false, true) => Reply::Unclear(
            "The message was not sent: a question waits for an answer, which has no files.".into(),
        ),
    }
}

/// The message was sent as an answer.
async fn answered(
    turn: &mut Turn<'_>,
    open: &OpenPrompt,
    taken: Taken,
) -> Result<Next, PromptError> {
    match taken {
        Taken::Yes(Some(begun)) => Ok(Next::Follow(Until::Done(begun))),
        Taken::Yes(None) if open.turn_waits => Ok(Next::Follow(Until::AnyDone)),
        Taken::Yes(None) => left_with(turn, "The question is closed.").await,
        Taken::TooLate => {
            turn.activity.close(open.prompt.id);
            let text = "The message was not sent: the question that it answers was closed \
                        meanwhile.";
            left_with(turn, text).await
        }
        Taken::NotOurs(why) | Taken::Invalid(why) => left_with(turn, &why).await,
    }
}

async fn left_with(turn: &mut Turn<'_>, text: &str) -> Result<Next, PromptError> {
    turn.activity.say(text).await?;
    Ok(Next::End(End::Left(StopReason::EndTurn)))
}

/// Follows a turn that has to end before the message can be sent.
async fn settle(turn: &mut Turn<'_>) -> Result<Next, PromptError> {
    match turn.follow(Until::AnyDone).await? {
        End::Done(..) | End::Answered(_) => Ok(Next::Send),
        End::Cancelled => Ok(Next::End(End::Cancelled)),
        End::Left(_) => Err(PromptError::QuestionOpen),
    }
}

/// Step 2. A question may have opened that the editor does not know: it is shown first.
async fn send(turn: &mut Turn<'_>, message: PersonMessage) -> Result<Next, PromptError> {
    let id: Option<ClientMessageId> = Uuid::now_v7().to_string().parse().ok();
    let mut request = ChatRequest {
        message: message.text,
        conversation_id: Some(turn.activity.conversation),
        client_message_id: id,
        ..ChatRequest::default()
    };
    message.attached.put_into(&mut request);
    loop {
        if turn.is_cancelled() {
            return Ok(Next::End(End::Cancelled));
        }
        let sent = turn.activity.client.send(&request).await;
        match sent {
            Ok(begun) => {
                if let Some(own) = begun.message {
                    turn.activity.shown.own_message(own);
                }
                return Ok(Next::Follow(Until::Done(begun.turn)));
            }
            Err(ClientError::Refused(body)) if body.code == ErrorCode::PromptOpen => {
                match settle(turn).await? {
                    Next::Send => {}
                    next => return Ok(next),
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Step 4.
async fn ask_later(turn: &mut Turn<'_>) -> Result<Next, PromptError> {
    let activity = &*turn.activity;
    let later = |open: &&OpenPrompt| !open.turn_waits && activity.way(&open.prompt) != Way::Text;
    let later: Vec<UserPrompt> =
        activity.open.iter().filter(later).map(|open| open.prompt.clone()).collect();
    if later.is_empty() {
        return Ok(Next::Send);
    }
    ask_all(turn, &later).await?;
    let begun: Option<TurnId> = match turn.follow(Until::Answered).await? {
        End::Answered(begun) => begun,
        // Nobody answered: the next message passes it over.
        End::Left(_) => None,
        end => return Ok(Next::End(end)),
    };
    Ok(begun.map_or(Next::Send, |begun| Next::Follow(Until::Done(begun))))
}

async fn ask_all(turn: &mut Turn<'_>, prompts: &[UserPrompt]) -> Result<(), FollowError> {
    for prompt in prompts {
        let way = turn.activity.way(prompt);
        turn.ask(prompt, way).await?;
    }
    Ok(())
}

fn response(end: End, ending: Ending) -> PromptResponse {
    let (stop, tokens) = match end {
        End::Cancelled => (StopReason::Cancelled, None),
        End::Left(stop) => (stop, None),
        End::Answered(_) => (StopReason::EndTurn, None),
        End::Done(reason, tokens) => (stop_reason(reason, ending), tokens),
    };
    // Parlor does not know which of them were read and which were written.
    let meta = tokens.map(|tokens| Meta::from_iter([(TOKENS_USED.to_owned(), json!(tokens))]));
    PromptResponse::new(stop).meta(meta)
}

fn stop_reason(reason: DoneReason, ending: Ending) -> StopReason {
    match reason {
        DoneReason::Stopped => StopReason::Cancelled,
        _ if ending.declined => StopReason::Refusal,
        _ if ending.cut_off => StopReason::MaxTokens,
        // What went wrong was said.
        DoneReason::Complete | DoneReason::Error | DoneReason::Interrupted => StopReason::EndTurn,
    }
}
