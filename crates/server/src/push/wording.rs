//! What a notification says, in the language of who gets it. Everything in it was cleaned for people;
//! how much of it is said is a setting, because others may see the screen.
//!
//! A call can be allowed from the notification only if all of it is shown there ([`shown_whole`]):
//! whoever answers has read what they answer.

use parlor_protocol::{
    ConversationId, Preview, PromptId, PromptOutcome, PromptType, Severity, ToolCall, TurnId,
    UserPrompt,
};
use serde::Serialize;
use serde_json::Value;

use crate::config::PushContent;

/// The longest title and text, in characters. Phones show about so much.
const LONGEST_TITLE: usize = 80;
const LONGEST_TEXT: usize = 240;
const NAME: &str = "Parlor";
/// Words in the names of tools that delete something, as in `web/src/i18n/tools.ts`.
const DESTRUCTIVE: [&str; 7] = ["delete", "remove", "drop", "destroy", "erase", "purge", "wipe"];

/// A language that notifications are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Portuguese,
}

/// What a notification is about.
#[derive(Debug, Clone)]
pub(super) enum About {
    Prompt(Box<UserPrompt>),
    /// It has ended; how, if that is known.
    Closed(PromptId, Option<PromptOutcome>),
    Ended {
        turn: TurnId,
        failed: bool,
    },
    Test,
}

/// A notification for somebody.
#[derive(Debug)]
pub(super) struct Note<'n> {
    pub(super) about: About,
    pub(super) conversation: Option<ConversationId>,
    /// The title of the conversation; empty if it has none.
    pub(super) title: &'n str,
    /// How many prompts wait for them.
    pub(super) waiting: u64,
    pub(super) language: Language,
}

/// What the service worker gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Words {
    kind: &'static str,
    /// A later notification with the same tag replaces this one.
    tag: String,
    title: String,
    body: String,
    lang: &'static str,
    /// For the badge.
    waiting: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<ConversationId>,
    /// The prompt that can be answered from the notification, and what stands on the buttons.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answers>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Answers {
    prompt: PromptId,
    allow: &'static str,
    refuse: &'static str,
}

impl Language {
    /// English, unless it is another one that we have.
    pub(crate) fn named(name: &str) -> Self {
        if name == Self::Portuguese.as_str() { Self::Portuguese } else { Self::English }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
        }
    }

    fn of(self, english: &'static str, portuguese: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::Portuguese => portuguese,
        }
    }
}

impl Words {
    pub(super) fn payload(&self) -> Vec<u8> {
        // Strings and numbers can always be written as JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl Note<'_> {
    /// The same for everything that is about the same.
    pub(super) fn tag(&self) -> String {
        match &self.about {
            About::Prompt(prompt) => prompt.id.to_string(),
            About::Closed(id, _) => id.to_string(),
            About::Ended { turn, .. } => turn.to_string(),
            About::Test => "test".to_owned(),
        }
    }

    pub(super) fn words(&self, content: PushContent) -> Words {
        let shows_title = content != PushContent::None && !self.title.trim().is_empty();
        let title =
            if shows_title { shortened(self.title, LONGEST_TITLE).0 } else { NAME.to_owned() };
        let mut words = Words {
            kind: self.kind(),
            tag: self.tag(),
            title,
            body: self.text().to_owned(),
            lang: self.language.as_str(),
            waiting: self.waiting,
            conversation: self.conversation,
            answer: None,
        };
        if let (About::Prompt(prompt), PushContent::Full) = (&self.about, content) {
            let (body, is_whole) = asked(prompt);
            words.body = body;
            if is_whole && prompt.prompt_type == PromptType::Confirm {
                words.answer = shown_whole(prompt).then(|| self.answers(prompt.id));
            }
        }
        words
    }

    fn kind(&self) -> &'static str {
        match &self.about {
            About::Prompt(_) => "prompt",
            About::Closed(..) => "closed",
            About::Ended { .. } => "ended",
            About::Test => "test",
        }
    }

    /// What can be said to anybody.
    fn text(&self) -> &'static str {
        let (english, portuguese) = match &self.about {
            About::Prompt(_) => {
                ("Something waits for your answer.", "Algo espera pela sua resposta.")
            }
            About::Closed(_, Some(PromptOutcome::Answered | PromptOutcome::Refused)) => {
                ("This was answered.", "Isto foi respondido.")
            }
            About::Closed(_, Some(PromptOutcome::Expired)) => {
                ("The time for an answer is up.", "O tempo para responder acabou.")
            }
            About::Closed(_, Some(PromptOutcome::Cancelled) | None) => {
                ("No answer is needed any more.", "Não é mais preciso responder.")
            }
            About::Ended { failed: false, .. } => {
                ("An answer is finished.", "Uma resposta ficou pronta.")
            }
            About::Ended { failed: true, .. } => {
                ("An answer could not be finished.", "Uma resposta não pôde ser concluída.")
            }
            About::Test => (
                "Notifications work on this device.",
                "As notificações funcionam neste dispositivo.",
            ),
        };
        self.language.of(english, portuguese)
    }

    fn answers(&self, prompt: PromptId) -> Answers {
        Answers {
            prompt,
            allow: self.language.of("Allow once", "Permitir uma vez"),
            refuse: self.language.of("Don’t allow", "Não permitir"),
        }
    }
}

/// What is asked, with the arguments and the preview of a call, and whether that is all of it.
fn asked(prompt: &UserPrompt) -> (String, bool) {
    let mut lines = vec![prompt.question.clone()];
    if let Some(call) = &prompt.tool_call {
        lines.extend(arguments(call));
    }
    if let Some(Preview::List { items, .. }) = &prompt.preview {
        lines.extend(items.iter().map(|item| format!("• {item}")));
    }
    lines.extend(prompt.context.clone());
    shortened(&lines.join("\n"), LONGEST_TEXT)
}

fn arguments(call: &ToolCall) -> Vec<String> {
    let Value::Object(input) = &call.input else { return vec![call.input.to_string()] };
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        value => format!("{name}: {value}"),
    };
    input.iter().map(line).collect()
}

/// Whether a notification shows all that one has to know to allow a call. A record before and after
/// needs the page; so do words of others behind the call, arguments that are masked or not proven,
/// and whatever deletes something.
fn shown_whole(prompt: &UserPrompt) -> bool {
    let Some(call) = &prompt.tool_call else { return false };
    let is_listed = match &prompt.preview {
        None => true,
        Some(Preview::List { items, count }) => u64::try_from(items.len()) == Ok(*count),
        Some(Preview::Diff { .. } | Preview::Record { .. }) => false,
    };
    let name = call.name.to_lowercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    is_listed
        && call.masked.as_ref().is_none_or(Vec::is_empty)
        && prompt.caveats.is_empty()
        && prompt.influence.is_none()
        && prompt.severity != Some(Severity::Critical)
        && !parts.any(|part| DESTRUCTIVE.iter().any(|word| part.starts_with(word)))
}

/// A text without characters that hide or reorder others, and whether nothing of it is missing.
fn shortened(text: &str, longest: usize) -> (String, bool) {
    let shown: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    let is_clean = shown.len() == text.len();
    match shown.char_indices().nth(longest) {
        None => (shown, is_clean),
        Some(_) => {
            let kept: String = shown.chars().take(longest.saturating_sub(1)).collect();
            (format!("{}…", kept.trim_end()), false)
        }
    }
}

/// Controls, and marks of format that have no width or change the direction.
fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
            | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
