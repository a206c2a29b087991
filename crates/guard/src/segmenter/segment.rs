//! What comes out of the segmenter, and how it is handed out.

use parlor_protocol::{Plan, PromptDraft, Question};

/// A piece of an agent's text. `source` is the text that it was read from,
/// code fence and markers included: text and sources together are the input.
#[derive(Debug, Clone, PartialEq)]
pub enum Segment {
    /// Words.
    Text(String),
    /// A valid plan (T-2).
    Plan {
        /// What was read.
        plan: Plan,
        /// What it was read from.
        source: String,
    },
    /// A valid question with options (T-4).
    Question {
        /// What was read.
        question: Question,
        /// What it was read from.
        source: String,
    },
    /// A prompt between inline markers (P-10).
    Prompt {
        /// What was read.
        prompt: Box<PromptDraft>,
        /// What it was read from.
        source: String,
    },
    /// Claims to be one of the above and is not valid: it is shown in its
    /// original words, and is not judged further (C-2).
    Invalid {
        /// The words.
        source: String,
    },
}

/// What complete JSON turned out to be.
#[derive(Debug)]
pub(super) enum Found {
    Plan(Plan),
    Question(Question),
    Prompt(Box<PromptDraft>),
    Invalid,
    Nothing,
}

/// Where segments go. Text of one push is one segment; what an earlier push
/// gave out is not touched any more.
pub(super) struct Output<'o> {
    first: usize,
    segments: &'o mut Vec<Segment>,
}

impl<'o> Output<'o> {
    pub(super) fn new(segments: &'o mut Vec<Segment>) -> Self {
        Self { first: segments.len(), segments }
    }

    /// Hands out text as what it was found to be.
    pub(super) fn found(&mut self, found: Found, source: String) {
        let segment = match found {
            Found::Plan(plan) => Segment::Plan { plan, source },
            Found::Question(question) => Segment::Question { question, source },
            Found::Prompt(prompt) => Segment::Prompt { prompt, source },
            Found::Invalid => Segment::Invalid { source },
            Found::Nothing => return self.text(&source),
        };
        self.segments.push(segment);
    }

    /// Hands out words.
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.segments[self.first..].last_mut() {
            Some(Segment::Text(before)) => before.push_str(text),
            _ => self.segments.push(Segment::Text(text.to_owned())),
        }
    }
}
