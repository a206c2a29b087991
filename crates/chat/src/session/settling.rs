//! A prompt is closed: its end and what follows from it are one write; then the
//! agent is told, and may ask the next thing.

use parlor_agent::{Answer, Reply, TurnRunner};
use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{
    EventBody, MessageId, MessageType, Mode, PromptId, PromptOutcome, PromptType, Role,
};
use parlor_storage::{Prompt, PromptWrite, RunStatus, StorageError};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Session;
use crate::prompts::{Decided, Meant, decided, meant};

impl Session {
    /// The end of a prompt and what follows from it, in one write; then the
    /// agent is told, and may ask the next thing.
    pub(super) async fn settle(
        &mut self,
        agent: &mut dyn TurnRunner,
        prompt: Prompt,
    ) -> Result<(), StorageError> {
        self.asking.open = None;
        self.tell_end(&prompt);
        match meant(&prompt) {
            Some(Meant::Call(_)) => self.settle_call(agent, &prompt).await?,
            Some(Meant::Result) => self.settle_result(agent, &prompt).await?,
            Some(Meant::Question(_)) | None => self.settle_question(agent, &prompt).await?,
        }
        match self.asking.queue.pop_front() {
            Some(next) => Box::pin(self.asked(agent, next)).await,
            None => Ok(()),
        }
    }

    async fn settle_call(
        &mut self,
        agent: &mut dyn TurnRunner,
        prompt: &Prompt,
    ) -> Result<(), StorageError> {
        let Some(run) = self.writer.store.tool_run(self.writer.turn, &prompt.ask_id).await? else {
            return Err(StorageError::Corrupt("an approval has no run".to_owned()));
        };
        if run.status == RunStatus::Approved {
            if let Some(call) = self.changed_call(prompt, &run) {
                return self.ask_anew(agent, prompt, &run, call).await;
            }
            self.note_edit(prompt, &run).await?;
            return self.start_run(agent, &run).await;
        }
        let (why, code) = match (prompt.outcome, decided(prompt)) {
            (Some(PromptOutcome::Expired), _) => {
                ("Nobody answered in time, so it was not run.".to_owned(), "tool_expired")
            }
            (_, Some(Decided::No(Some(reason)))) => {
                (format!("The person refused: {reason}"), "tool_refused")
            }
            _ => ("The person refused.".to_owned(), "tool_refused"),
        };
        self.not_run(agent, &run, why, code).await
    }

    async fn settle_question(
        &mut self,
        agent: &mut dyn TurnRunner,
        prompt: &Prompt,
    ) -> Result<(), StorageError> {
        let answer = match (prompt.outcome, decided(prompt)) {
            (_, Some(Decided::Given { value, said })) => {
                // After a crash it may be told to the agent once more, and to nobody else.
                if !prompt.logged {
                    self.say_for_person(prompt.id, said);
                }
                self.leave_plan_mode(prompt, &value).await?;
                Answer::Given(value)
            }
            (_, Some(Decided::No(reason))) => Answer::Refused(reason),
            (Some(PromptOutcome::Expired), _) => Answer::Expired,
            _ => Answer::Refused(None),
        };
        self.commit_finished().await?;
        agent.answer(&prompt.ask_id, Reply::Answer(answer));
        Ok(())
    }

    /// A plan that is carried out ends plan mode (T-3), for the turns to come too.
    async fn leave_plan_mode(&self, prompt: &Prompt, value: &Value) -> Result<(), StorageError> {
        let is_plan = prompt.public.get().prompt_type == PromptType::Plan;
        if !is_plan || *value != json!("execute") {
            return Ok(());
        }
        let store = &self.writer.store;
        let conversation = self.writer.conversation;
        store.update_conversation(&self.tenant, conversation, None, Some(Mode::Act)).await
    }

    pub(super) fn tell_end(&mut self, prompt: &Prompt) {
        if let Some(closed) = prompt.closed().filter(|_| !prompt.logged) {
            let event = EventBody::UserPromptClosed(Box::new(closed));
            self.finished.event(&self.sanitizer, event);
            self.finished.prompts.push(PromptWrite::Logged(prompt.id));
        }
    }

    /// What the person answered, as a message of the person's own.
    fn say_for_person(&mut self, prompt: PromptId, said: String) {
        let mut message = Message {
            role: Role::User,
            content: said,
            ..self.message(MessageId::new(Uuid::now_v7()), MessageType::Text)
        };
        message.metadata.insert("answers".to_owned(), json!(prompt));
        self.finished.message(Clean::new(&self.sanitizer, message));
    }
}
