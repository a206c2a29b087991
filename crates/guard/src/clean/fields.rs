//! Every type that is shown to people, taken apart field by field.
//!
//! Ids, numbers and enums cannot carry words and stay; every text is masked,
//! except what a person wrote: it goes back to people as they wrote it.

use parlor_protocol::event::EventBody;
use parlor_protocol::influence::{Found, Influence, Source, ValueOrigin};
use parlor_protocol::message::{Message, MessageData, Metadata, Role};
use parlor_protocol::plan::{Plan, PlanStep};
use parlor_protocol::prompt::{Preview, PromptClosed, PromptStep, PromptUpdated, UserPrompt};
use parlor_protocol::question::{Question, QuestionOption, SubQuestion};
use parlor_protocol::tool::{ToolCall, ToolProgress, ToolResult};
use serde_json::Value;

use super::options::{clean_default, clean_options};
use super::readable::unless_readable;
use super::visible::{reveal, reveal_text, rewrite};
use super::{Cleanable, clean_text};
use crate::sanitizer::Sanitizer;

/// Keeps the list of cleanable types inside this crate.
pub trait Sealed {}

macro_rules! cleanable {
    ($(fn cleaned($this:pat => $type:ty, $sanitizer:ident) $body:block)*) => {$(
        impl Sealed for $type {}
        impl Cleanable for $type {
            fn cleaned(self, $sanitizer: &Sanitizer) -> Self {
                let $this = self;
                $body
            }
        }
    )*};
}

impl<T: Cleanable> Sealed for Option<T> {}
impl<T: Cleanable> Cleanable for Option<T> {
    fn cleaned(self, sanitizer: &Sanitizer) -> Self {
        self.map(|value| value.cleaned(sanitizer))
    }
}

impl<T: Cleanable> Sealed for Vec<T> {}
impl<T: Cleanable> Cleanable for Vec<T> {
    fn cleaned(self, sanitizer: &Sanitizer) -> Self {
        self.into_iter().map(|value| value.cleaned(sanitizer)).collect()
    }
}

cleanable! {
    fn cleaned(text => String, sanitizer) {
        clean_text(sanitizer, &text)
    }

    fn cleaned(value => Value, sanitizer) {
        let (value, _places) = rewrite(value, unless_readable);
        sanitizer.sanitize_json(&value).value
    }

    fn cleaned(metadata => Metadata, sanitizer) {
        match Value::Object(metadata).cleaned(sanitizer) {
            Value::Object(metadata) => metadata,
            _ => Metadata::new(),
        }
    }

    fn cleaned(Plan { goal, steps, tools_needed, estimated_time, risks, markdown } => Plan, sanitizer) {
        Plan {
            goal: goal.cleaned(sanitizer),
            steps: steps.cleaned(sanitizer),
            tools_needed: tools_needed.cleaned(sanitizer),
            estimated_time: estimated_time.cleaned(sanitizer),
            risks: risks.cleaned(sanitizer),
            markdown: markdown.cleaned(sanitizer),
        }
    }

    fn cleaned(PlanStep { step_number, action, reason, tools_needed, estimated_time, risks } => PlanStep, sanitizer) {
        PlanStep {
            step_number,
            action: action.cleaned(sanitizer),
            reason: reason.cleaned(sanitizer),
            tools_needed: tools_needed.cleaned(sanitizer),
            estimated_time: estimated_time.cleaned(sanitizer),
            risks: risks.cleaned(sanitizer),
        }
    }

    fn cleaned(Question { question, options, context, severity, default } => Question, sanitizer) {
        let clean = clean_options(sanitizer, &options);
        Question {
            question: question.cleaned(sanitizer),
            default: clean_default(&options, &clean, default.as_deref()),
            options: clean,
            context: context.cleaned(sanitizer),
            severity,
        }
    }

    fn cleaned(SubQuestion { id, question, header, options, multi_select, allow_other } => SubQuestion, sanitizer) {
        SubQuestion {
            id: id.cleaned(sanitizer),
            question: question.cleaned(sanitizer),
            header: header.cleaned(sanitizer),
            options: clean_options(sanitizer, &options),
            multi_select,
            allow_other,
        }
    }

    fn cleaned(ToolProgress { done, total, message } => ToolProgress, sanitizer) {
        ToolProgress { done, total, message: message.cleaned(sanitizer) }
    }

    fn cleaned(ToolCall { name, input, masked } => ToolCall, sanitizer) {
        let input = sanitizer.sanitize_json(&input);
        let mut pointers = masked.unwrap_or_default();
        pointers.extend(input.masked);
        let (input, revealed) = reveal(input.value);
        pointers.extend(revealed);
        pointers.sort();
        pointers.dedup();
        ToolCall {
            name: name.cleaned(sanitizer),
            input,
            masked: (!pointers.is_empty()).then_some(pointers),
        }
    }

    fn cleaned(ToolResult { name, call_id, output, is_error, structured } => ToolResult, sanitizer) {
        ToolResult {
            name: name.cleaned(sanitizer),
            call_id,
            output: output.cleaned(sanitizer),
            is_error,
            structured: structured.cleaned(sanitizer),
        }
    }

    fn cleaned(data => MessageData, sanitizer) {
        match data {
            MessageData::Plan(plan) => MessageData::Plan(plan.cleaned(sanitizer)),
            MessageData::Question(question) => MessageData::Question(question.cleaned(sanitizer)),
            MessageData::ToolCall(call) => MessageData::ToolCall(call.cleaned(sanitizer)),
            MessageData::ToolResult(result) => MessageData::ToolResult(result.cleaned(sanitizer)),
            MessageData::Other(value) => MessageData::Other(value.cleaned(sanitizer)),
        }
    }

    fn cleaned(message => Message, sanitizer) {
        match message.role {
            Role::User => message,
            Role::Assistant | Role::Tool => clean_message(message, sanitizer),
        }
    }

    fn cleaned(PromptStep { id, title, prompt_type, question, options, schema } => PromptStep, sanitizer) {
        PromptStep {
            id: id.cleaned(sanitizer),
            title: title.cleaned(sanitizer),
            prompt_type,
            question: question.cleaned(sanitizer),
            options: options.map(|options| clean_options(sanitizer, &options)),
            schema: schema.cleaned(sanitizer),
        }
    }

    fn cleaned(preview => Preview, sanitizer) {
        match preview {
            // What is approved has nothing invisible in it, here as in the arguments:
            // terminal codes are written out too, for they are part of what is done.
            Preview::Diff { old, new } => {
                let shown = |text: Option<String>| text.map(visible).cleaned(sanitizer);
                Preview::Diff { old: shown(old), new: shown(new) }
            }
            Preview::Record { old, new } => {
                let shown = |value: Option<Value>| value.map(|v| reveal(v).0).cleaned(sanitizer);
                Preview::Record { old: shown(old), new: shown(new) }
            }
            Preview::List { items, count } => {
                let items: Vec<String> = items.into_iter().map(visible).collect();
                Preview::List { items: items.cleaned(sanitizer), count }
            }
        }
    }

    fn cleaned(Influence { sources, more, values } => Influence, sanitizer) {
        Influence { sources: sources.cleaned(sanitizer), more, values: values.cleaned(sanitizer) }
    }

    fn cleaned(Source { server, tool, what, at, suspicious } => Source, sanitizer) {
        Source {
            server: server.cleaned(sanitizer),
            tool: tool.cleaned(sanitizer),
            what: what.map(visible).cleaned(sanitizer),
            at,
            suspicious,
        }
    }

    // A stranger's text is shown as it is written, with nothing invisible in it.
    fn cleaned(ValueOrigin { pointer, found } => ValueOrigin, sanitizer) {
        let found = match found {
            Found::Person => Found::Person,
            Found::Nowhere => Found::Nowhere,
            Found::Source { source, before, text, after } => Found::Source {
                source,
                before: visible(before).cleaned(sanitizer),
                text: visible(text).cleaned(sanitizer),
                after: visible(after).cleaned(sanitizer),
            },
        };
        ValueOrigin { pointer: pointer.cleaned(sanitizer), found }
    }

    fn cleaned(prompt => UserPrompt, sanitizer) {
        clean_prompt(prompt, sanitizer)
    }

    fn cleaned(PromptUpdated { id, expires_at } => PromptUpdated, _sanitizer) {
        PromptUpdated { id, expires_at }
    }

    // The answer, the reason and the name are the person's own. Arguments that a
    // person changed still hold what the agent wrote.
    fn cleaned(PromptClosed { id, outcome, response, reason, tool_call, preview, answered_by, at } => PromptClosed, sanitizer) {
        PromptClosed {
            id,
            outcome,
            response,
            reason,
            tool_call: tool_call.cleaned(sanitizer),
            preview: preview.cleaned(sanitizer),
            answered_by,
            at,
        }
    }

    fn cleaned(event => EventBody, sanitizer) {
        clean_event(event, sanitizer)
    }
}

fn visible(text: String) -> String {
    reveal_text(&text).unwrap_or(text)
}

fn clean_message(message: Message, sanitizer: &Sanitizer) -> Message {
    let Message {
        id,
        conversation_id,
        turn_id,
        role,
        message_type,
        content,
        data,
        options,
        questions,
        metadata,
        created_at,
    } = message;
    Message {
        id,
        conversation_id,
        turn_id,
        role,
        message_type,
        content: content.cleaned(sanitizer),
        data: data.cleaned(sanitizer),
        options: options.map(|options| clean_options(sanitizer, &options)),
        questions: questions.cleaned(sanitizer),
        metadata: metadata.cleaned(sanitizer),
        created_at,
    }
}

fn clean_prompt(prompt: UserPrompt, sanitizer: &Sanitizer) -> UserPrompt {
    let UserPrompt {
        prompt_type,
        id,
        conversation_id,
        question,
        options,
        tool_call,
        call_id,
        questions,
        steps,
        schema,
        plan,
        preview,
        severity,
        context,
        default,
        expires_at,
        ends_with_agent,
        caveats,
        influence,
        approvers,
    } = prompt;
    let raw: &[QuestionOption] = options.as_deref().unwrap_or_default();
    let clean = clean_options(sanitizer, raw);
    UserPrompt {
        prompt_type,
        id,
        conversation_id,
        question: question.cleaned(sanitizer),
        // A default is one of the options, or, where there are none, words.
        default: match raw {
            [] => default.cleaned(sanitizer),
            raw => clean_default(raw, &clean, default.as_deref()),
        },
        options: options.is_some().then_some(clean),
        tool_call: tool_call.cleaned(sanitizer),
        call_id,
        questions: questions.cleaned(sanitizer),
        steps: steps.cleaned(sanitizer),
        schema: schema.cleaned(sanitizer),
        plan: plan.cleaned(sanitizer),
        preview: preview.cleaned(sanitizer),
        severity,
        context: context.cleaned(sanitizer),
        expires_at,
        ends_with_agent,
        caveats,
        influence: influence.cleaned(sanitizer),
        // Names of the configuration.
        approvers,
    }
}

fn clean_event(event: EventBody, sanitizer: &Sanitizer) -> EventBody {
    match event {
        EventBody::Queued { turn_id } => EventBody::Queued { turn_id },
        EventBody::Start { conversation_id, turn_id, message_id, app, branch } => {
            let app = app.cleaned(sanitizer);
            EventBody::Start { conversation_id, turn_id, message_id, app, branch }
        }
        EventBody::BranchChosen { conversation_id, turn_id } => {
            EventBody::BranchChosen { conversation_id, turn_id }
        }
        EventBody::Chunk { text, message_id } => {
            EventBody::Chunk { text: text.cleaned(sanitizer), message_id }
        }
        EventBody::Snapshot { text, message_id } => {
            EventBody::Snapshot { text: text.cleaned(sanitizer), message_id }
        }
        EventBody::Thinking { text, message_id } => {
            EventBody::Thinking { text: text.cleaned(sanitizer), message_id }
        }
        EventBody::ToolUse { tool, call_id, status, input, progress } => EventBody::ToolUse {
            tool: tool.cleaned(sanitizer),
            call_id,
            status,
            input: input.cleaned(sanitizer),
            progress: progress.cleaned(sanitizer),
        },
        EventBody::Artifact { kind, id } => {
            EventBody::Artifact { kind: kind.cleaned(sanitizer), id: id.cleaned(sanitizer) }
        }
        EventBody::Message(message) => EventBody::Message(Box::new(message.cleaned(sanitizer))),
        EventBody::UserPrompt(prompt) => EventBody::UserPrompt(Box::new(prompt.cleaned(sanitizer))),
        EventBody::UserPromptUpdated(updated) => {
            EventBody::UserPromptUpdated(updated.cleaned(sanitizer))
        }
        EventBody::UserPromptClosed(closed) => {
            EventBody::UserPromptClosed(Box::new(closed.cleaned(sanitizer)))
        }
        EventBody::Error { message, code, recoverable } => {
            EventBody::Error { message: message.cleaned(sanitizer), code, recoverable }
        }
        EventBody::Done { conversation_id, turn_id, tokens_used, reason } => {
            EventBody::Done { conversation_id, turn_id, tokens_used, reason }
        }
    }
}
