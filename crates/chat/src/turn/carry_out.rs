//! Carries out what [`super::step`] decided, in order.

use parlor_agent::tools::Artifact;
use parlor_agent::{AskedBy, PromptRequest, TurnRunner};
use parlor_protocol::message::Message;
use parlor_protocol::{EventBody, MessageId, MessageType, Mode, PromptId, Role, metadata};
use parlor_storage::{ConversationChanges, PromptWrite, RunWrite, Scope, StorageError};
use uuid::Uuid;

use super::edited_call::{amend_history, amend_message};
use super::effect::{Effect, NewPrompt};
use super::inputs::result_ask_id;
use super::prompt_wait::{show_end, show_prompt};
use super::result_message;
use super::running::RunningTurn;
use super::writer::TurnWriter;
use crate::clock::now;
use crate::fail_point::{self, FailPoint};
use crate::flow;
use crate::flow::notes::FlowNote;
use crate::prompts::opening::{Asker, Behind, OpeningPrompt};
use crate::prompts::{AGENT, preview};

impl RunningTurn {
    /// Carries out effects, one after the other.
    pub(super) async fn carry_out(
        &mut self,
        agent: &mut dyn TurnRunner,
        effects: Vec<Effect>,
    ) -> Result<(), StorageError> {
        for effect in effects {
            let writer = &mut self.writer;
            match effect {
                Effect::AddRun(run) => writer.pending.step.runs.push(RunWrite::Add(run)),
                Effect::MoveRun { run, to, result, told } => {
                    writer.move_run(&run, to, result, told);
                }
                Effect::NoteFlow { tool, read } => self.note_flow(tool, read),
                Effect::ShowStatus { run, status } => writer.show_status(&run, status),
                Effect::ShowResult(shown) => result_message::show(writer, *shown),
                Effect::ShowArtifact(Artifact { kind, id }) => {
                    writer.add_event(EventBody::Artifact { kind, id });
                }
                Effect::ShowPromptEnd(prompt) => show_end(writer, &prompt),
                Effect::ShowAnswer { prompt, text } => show_answer(writer, prompt, text),
                Effect::SupersedePrompt(id) => {
                    writer.pending.step.prompts.push(PromptWrite::Supersede(id));
                }
                Effect::AmendCall { prompt, proposed, run, arguments } => {
                    amend_history(writer, &run.call_id, &arguments).await?;
                    amend_message(writer, prompt, proposed.as_ref(), &run, &arguments).await?;
                    self.edits.insert(run.call_id, arguments);
                }
                Effect::LeavePlanMode => self.leave_plan_mode().await?,
                Effect::OpenPrompt(prompt) => self.open_prompt(prompt).await?,
                Effect::WaitForPrompt(prompt) => self.wait.reopen(writer, &prompt).await?,
                Effect::Commit => writer.commit().await?,
                Effect::Reached(step) => fail_point::reached(step),
                Effect::TellWaiting(id) => agent.waits(&id),
                Effect::Reply { id, reply } => agent.answer(&id, reply),
            }
        }
        Ok(())
    }

    /// Opens a prompt: one write with its row and what shows it, then the turn waits for it.
    async fn open_prompt(&mut self, prompt: NewPrompt) -> Result<(), StorageError> {
        let OpeningPrompt { prompt, message } = match prompt {
            NewPrompt::Approval { call, run } => {
                let preview = match (&call.preview, &call.tool) {
                    (Some(preview), _) => Some(preview.clone()),
                    (None, Some(tool)) => {
                        preview::of_tools(&self.project, &tool.spec.name, &call.input).await
                    }
                    (None, None) => None,
                };
                let (store, path) = (&self.writer.store, self.writer.path);
                let flow = self.project.flow_context(store, path).await?;
                let influence = flow::influence(store, &flow, path, &call).await?;
                let is_dangerous = influence.is_some() && flow.is_dangerous(&call);
                let asked_by = store.person_of_turn(self.writer.turn()).await?;
                let behind = Behind { preview, influence, is_dangerous, asked_by };
                self.asker(call.ends_with_agent).approval(&call, run.id, behind)
            }
            NewPrompt::ClientCall { call, run } => self.asker(false).client_call(&call, run.id),
            NewPrompt::Result { run, rule } => {
                self.asker(false).result(&result_ask_id(&run.call_id), &run.tool, &rule)
            }
            NewPrompt::Question(ask) => {
                let PromptRequest { id, from, draft, ends_with_agent } = *ask;
                let origin = match from {
                    AskedBy::Agent => AGENT.to_owned(),
                    AskedBy::Server(server) => format!("mcp:{server}"),
                };
                self.asker(ends_with_agent).question(&id, &origin, draft, true)
            }
        };
        self.wait.open(&prompt);
        self.writer.add_message(message);
        show_prompt(&mut self.writer, prompt);
        self.spending.add_time(&mut self.writer.pending.step);
        self.writer.commit().await?;
        fail_point::reached(FailPoint::Proposed);
        Ok(())
    }

    /// A project that watches learns what it would have been asked.
    fn note_flow(&self, tool: String, read: String) {
        tracing::info!(%tool, %read, "a call would need approval: words of others were read");
        self.project.flow_notes.add(FlowNote { at: now(), tool, read });
    }

    /// A plan that is carried out ends plan mode (T-3), for the turns to come too.
    async fn leave_plan_mode(&self) -> Result<(), StorageError> {
        let (store, conversation) = (&self.writer.store, self.writer.conversation());
        let scope = Scope::of_server(self.tenant.clone());
        let changes = ConversationChanges { mode: Some(Mode::Act), ..Default::default() };
        store.update_conversation(&scope, conversation, changes).await
    }

    /// The turn, as it asks.
    pub(super) fn asker(&self, ends_with_agent: bool) -> Asker<'_> {
        Asker {
            tenant: &self.tenant,
            project: &self.project,
            sanitizer: &self.writer.sanitizer,
            conversation: self.writer.conversation(),
            turn: self.writer.turn(),
            ends_with_agent,
        }
    }
}

/// An answer is a message of the person.
fn show_answer(writer: &mut TurnWriter, prompt: PromptId, text: String) {
    let mut message = Message {
        role: Role::User,
        content: text,
        ..writer.new_message(MessageId::new(Uuid::now_v7()), MessageType::Text)
    };
    metadata::ANSWERS.set(&mut message.metadata, &prompt);
    writer.add_message(message);
}
