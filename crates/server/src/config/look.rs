//! `[….look]`: how a project looks in the web interface. The logo itself is read when the server
//! starts ([`crate::logo`]), not here.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::colour::{Accent, Colour};
use super::{AtPlace, ConfigError};

/// The longest greeting, and the longest text below it, in characters.
const GREETING: usize = 120;
const INTRO: usize = 400;
/// The most suggestions, and the longest words of one.
const SUGGESTIONS: usize = 6;
const SUGGESTION: usize = 200;

/// How a project looks. What is absent looks as always.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LookConfig {
    /// Before the first message.
    pub greeting: Option<Words>,
    /// Below the greeting.
    pub intro: Option<Words>,
    /// What can be clicked instead of typed.
    pub suggestions: Option<Vec<Suggestion>>,
    /// A PNG or WebP file.
    pub logo: Option<PathBuf>,
    /// The accent, readable in both themes.
    pub accent: Option<Accent>,
}

/// Words in both languages of the interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Words {
    /// In English.
    pub en: String,
    /// In Portuguese.
    pub pt: String,
}

/// A message that can be sent with a click.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The message.
    pub text: Words,
    /// What it does, in small letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Words>,
    /// The mode that it is sent in, if that is not the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SuggestionMode>,
}

/// The mode that a suggestion is sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionMode {
    /// It makes a plan.
    Plan,
    /// It acts.
    Act,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLook {
    greeting: Option<RawWords>,
    intro: Option<RawWords>,
    suggestions: Option<Vec<RawSuggestion>>,
    logo: Option<PathBuf>,
    accent: Option<String>,
}

/// The same words for everybody, or words by language.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text, or { en = \"…\", pt = \"…\" }")]
enum RawWords {
    Same(String),
    Each(EachLanguage),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EachLanguage {
    en: String,
    pt: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSuggestion {
    text: RawWords,
    hint: Option<RawWords>,
    mode: Option<SuggestionMode>,
}

impl LookConfig {
    /// `place` is the section, for errors.
    pub(super) fn resolve(raw: RawLook, place: &str) -> Result<Self, ConfigError> {
        let words = |name: &str, given: Option<RawWords>, most| {
            given.map(|given| given.checked(most)).transpose().at(&format!("{place}.{name}"))
        };
        Ok(Self {
            greeting: words("greeting", raw.greeting, GREETING)?,
            intro: words("intro", raw.intro, INTRO)?,
            suggestions: raw
                .suggestions
                .map(suggestions)
                .transpose()
                .at(&format!("{place}.suggestions"))?,
            logo: raw.logo,
            accent: raw
                .accent
                .map(|text| text.parse::<Colour>().map(Accent::of))
                .transpose()
                .at(&format!("{place}.accent"))?,
        })
    }
}

fn suggestions(given: Vec<RawSuggestion>) -> Result<Vec<Suggestion>, String> {
    if given.len() > SUGGESTIONS {
        return Err(format!("there are {}, and there can be {SUGGESTIONS} at most", given.len()));
    }
    let each = given.into_iter().map(|one| {
        Ok(Suggestion {
            text: one.text.checked(SUGGESTION)?,
            hint: one.hint.map(|hint| hint.checked(SUGGESTION)).transpose()?,
            mode: one.mode,
        })
    });
    each.collect()
}

impl RawWords {
    fn checked(self, most: usize) -> Result<Words, String> {
        let words = match self {
            Self::Same(text) => Words { pt: text.clone(), en: text },
            Self::Each(EachLanguage { en, pt }) => Words { en, pt },
        };
        for text in [&words.en, &words.pt] {
            let count = text.chars().count();
            if text.trim().is_empty() {
                return Err("it is empty; leave it out".to_owned());
            }
            if count > most {
                return Err(format!("it has {count} characters, and can have {most} at most"));
            }
            if text.chars().any(char::is_control) {
                return Err("it holds control characters; write it on one line".to_owned());
            }
        }
        Ok(words)
    }
}
