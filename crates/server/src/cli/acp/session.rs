//! A conversation that the editor has open, which it calls a session.
//!
//! A task of its own does one thing after the other in it: it takes a message, follows a turn
//! that runs already, stops one that was left waiting. A cancel reaches it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol_schema::v1::{Error, PromptResponse};
use parlor_protocol::ConversationId;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::activity::Activity;
use super::content::PersonMessage;
use super::{errors, prompting};

/// More never wait: one message, and cancels between which nothing happened.
const COMMANDS: usize = 8;

/// A conversation that the editor has open. Dropping it ends its task after what it is doing.
#[derive(Debug)]
pub(super) struct EditorSession {
    conversation: ConversationId,
    commands: mpsc::Sender<Command>,
    /// Replaced once it was cancelled.
    cancel: Mutex<CancellationToken>,
    is_prompting: Arc<AtomicBool>,
    task: AbortHandle,
}

#[derive(Debug)]
enum Command {
    /// Take a message, and follow its turn.
    Prompt {
        message: PersonMessage,
        cancel: CancellationToken,
        ended: oneshot::Sender<Result<PromptResponse, Error>>,
    },
    /// Follow the turn that runs.
    Attach { cancel: CancellationToken },
    /// Stop a turn that was left waiting.
    StopLeft,
}

/// A message that was passed on.
#[derive(Debug)]
pub(super) struct Prompted(oneshot::Receiver<Result<PromptResponse, Error>>);

impl EditorSession {
    /// Starts the task.
    pub(super) fn start(activity: Activity) -> Self {
        let (commands, queue) = mpsc::channel(COMMANDS);
        let conversation = activity.conversation;
        let is_prompting = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(run(activity, queue, Arc::clone(&is_prompting))).abort_handle();
        Self { conversation, commands, cancel: Mutex::default(), is_prompting, task }
    }

    pub(super) fn conversation(&self) -> ConversationId {
        self.conversation
    }

    /// Passes a message on. From here on a cancel is not lost.
    pub(super) fn prompt(&self, message: PersonMessage) -> Result<Prompted, Error> {
        if self.is_prompting.swap(true, Ordering::AcqRel) {
            return Err(errors::turn_running());
        }
        let (ended, prompted) = oneshot::channel();
        let command = Command::Prompt { message, cancel: self.token(), ended };
        match self.commands.try_send(command) {
            Ok(()) => Ok(Prompted(prompted)),
            Err(_) => {
                self.is_prompting.store(false, Ordering::Release);
                Err(errors::turn_running())
            }
        }
    }

    /// Follows the turn that runs, until it ends or the next message comes.
    pub(super) fn attach(&self) {
        let _never_full = self.commands.try_send(Command::Attach { cancel: self.token() });
    }

    /// Cancels what happens in it, and stops a turn that was left waiting.
    pub(super) fn cancel(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        // If the queue is full, a cancel is in it already.
        let _full = self.commands.try_send(Command::StopLeft);
    }

    /// Ends a prompt that is under way as if it was cancelled, as the protocol asks. A turn
    /// that nobody prompted for here is only followed no longer.
    pub(super) fn close(&self) {
        if self.is_prompting.load(Ordering::Acquire) {
            self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        } else {
            self.task.abort();
        }
    }

    fn token(&self) -> CancellationToken {
        let mut token = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
        if token.is_cancelled() {
            *token = CancellationToken::new();
        }
        token.clone()
    }
}

impl Prompted {
    /// Waits for the end.
    pub(super) async fn ended(self) -> Result<PromptResponse, Error> {
        self.0.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }
}

async fn run(
    mut activity: Activity,
    mut queue: mpsc::Receiver<Command>,
    is_prompting: Arc<AtomicBool>,
) {
    while let Some(command) = queue.recv().await {
        match command {
            Command::Prompt { message, cancel, ended } => {
                let outcome = prompting::prompt(&mut activity, message, cancel).await;
                is_prompting.store(false, Ordering::Release);
                let _nobody_waits = ended.send(outcome);
            }
            Command::Attach { cancel } => prompting::attach(&mut activity, cancel).await,
            Command::StopLeft => prompting::stop_left(&mut activity).await,
        }
        activity.follower.rest();
    }
}
