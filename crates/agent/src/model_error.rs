//! What can go wrong between us and a model.
//!
//! Variants are named by what has to be done next. `Display` is for the log and
//! may quote the vendor; [`ModelError::user_message`] is for people and quotes
//! nobody. No variant ever holds a key, or more of an address than where a
//! server listens.

use std::borrow::Cow;
use std::time::Duration;

use crate::remedy::Remedy;

/// Why a model gave no answer, or only a part of one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The key is missing, wrong or revoked: fix the setting.
    #[error("the model refused the key: set {setting} to a valid one")]
    WrongKey {
        /// The setting that holds the key.
        setting: &'static str,
    },
    /// The key may not use this model: choose another, or get access.
    #[error("the key may not do this: {0}")]
    NotPermitted(String),
    /// The account has no credit left: top it up.
    #[error("the model's account has no credit left: {0}")]
    NoCredit(String),
    /// There is no such model at this address: fix `model` or `base_url`.
    #[error("there is no such model: check the settings model and base_url ({0})")]
    UnknownModel(String),
    /// Too many requests: wait.
    #[error("the model's rate limit is reached{}", hint(.retry_after))]
    RateLimited {
        /// How long to wait, if the vendor says so.
        retry_after: Option<Duration>,
    },
    /// The vendor has no capacity: wait.
    #[error("the model is overloaded{}", hint(.retry_after))]
    Overloaded {
        /// How long to wait, if the vendor says so.
        retry_after: Option<Duration>,
    },
    /// The vendor failed: try again.
    #[error("the model's server failed with status {status}{}", hint(.retry_after))]
    ServerFailed {
        /// The HTTP status, or the one that the error stands for.
        status: u16,
        /// How long to wait, if the vendor says so.
        retry_after: Option<Duration>,
    },
    /// The conversation does not fit into the model: shorten it.
    #[error("the request is too long for the model: {0}")]
    ContextTooLong(String),
    /// The model cannot read a picture, or this one: leave it out.
    #[error("the model refused a picture: {0}")]
    PictureRefused(String),
    /// The vendor does not take the request: a setting or this client is wrong.
    #[error("the model refused the request: {0}")]
    BadRequest(String),
    /// No connection: check the network and `base_url`.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// The answer broke off: try again.
    #[error("the answer of the model broke off: {0}")]
    Interrupted(String),
    /// Nothing came for too long: try again.
    #[error("the model was silent for {} s", .after.as_secs_f32())]
    Silent {
        /// How long we waited.
        after: Duration,
    },
    /// A part of the answer was larger than we take.
    #[error("the model sent more than {limit} bytes in one piece")]
    TooLarge {
        /// The most that is taken.
        limit: usize,
    },
    /// What came is not the wire format: `base_url` may lead elsewhere.
    #[error("the model's server does not speak its wire format: {0}")]
    Malformed(String),
}

impl ModelError {
    /// A stable code for what happened, for figures.
    pub fn code(&self) -> &'static str {
        match self {
            Self::WrongKey { .. } => "wrong_key",
            Self::NotPermitted(_) => "not_permitted",
            Self::NoCredit(_) => "no_credit",
            Self::UnknownModel(_) => "unknown_model",
            Self::RateLimited { .. } => "model_rate_limited",
            Self::Overloaded { .. } => "model_overloaded",
            Self::ServerFailed { .. } => "model_failed",
            Self::ContextTooLong(_) => "context_too_long",
            Self::PictureRefused(_) => "picture_refused",
            Self::BadRequest(_) => "bad_request",
            Self::Unreachable(_) => "model_unreachable",
            Self::Interrupted(_) => "answer_broke_off",
            Self::Silent { .. } => "model_silent",
            Self::TooLarge { .. } => "answer_too_large",
            Self::Malformed(_) => "malformed_answer",
        }
    }

    /// What to tell the person, and what to do now.
    pub fn user_message(&self) -> Cow<'static, str> {
        match self {
            // The setting's name would name the vendor; the log has it.
            Self::WrongKey { .. } => "The model refused this server's key. Whoever runs the \
                                      server must set a valid one; its log says where."
                .into(),
            Self::NotPermitted(_) => {
                "This server's key may not use the model. Choose another model in the settings."
                    .into()
            }
            Self::NoCredit(_) => "The model's account has no credit left. Top it up.".into(),
            Self::UnknownModel(_) => {
                "The model does not exist. Check the settings \"model\" and \"base_url\".".into()
            }
            Self::RateLimited { retry_after } => {
                wait("The model takes no more requests right now.", *retry_after)
            }
            Self::Overloaded { retry_after } => wait("The model is overloaded.", *retry_after),
            Self::ServerFailed { retry_after, .. } => {
                wait("The model's server failed.", *retry_after)
            }
            Self::ContextTooLong(_) => {
                "This conversation is too long for the model. Start a new one.".into()
            }
            Self::PictureRefused(_) => "The model did not accept the picture or file. It is left \
                                        out from now on: send another one, or go on without it."
                .into(),
            Self::BadRequest(_) => {
                "The model did not accept the request. The server's log says why.".into()
            }
            Self::Unreachable(_) => {
                "The model cannot be reached. Check that its server is running and that the \
                 network is up, then try again."
                    .into()
            }
            Self::Interrupted(_) => "The answer broke off. Try again.".into(),
            Self::Silent { .. } => "The model did not answer in time. Try again.".into(),
            Self::TooLarge { .. } => {
                "The model sent more than this server takes. Try again.".into()
            }
            Self::Malformed(_) => {
                "The model's server gave an answer that makes no sense. Check the setting \
                 \"base_url\"."
                    .into()
            }
        }
    }

    /// Whether trying again, as it is, can help.
    pub fn is_recoverable(&self) -> bool {
        self.remedy() == Remedy::TryAgain
    }

    /// What helps.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::ServerFailed { .. }
            | Self::Unreachable(_)
            | Self::Interrupted(_)
            | Self::Silent { .. }
            | Self::TooLarge { .. } => Remedy::TryAgain,
            Self::WrongKey { .. }
            | Self::NotPermitted(_)
            | Self::NoCredit(_)
            | Self::UnknownModel(_)
            | Self::BadRequest(_)
            | Self::Malformed(_) => Remedy::Administrator,
            Self::ContextTooLong(_) => Remedy::NewConversation,
            Self::PictureRefused(_) => Remedy::AnotherPicture,
        }
    }

    /// An event of an answer is not the JSON that it should be.
    pub fn not_json(error: &serde_json::Error) -> Self {
        // Only the kind: serde's own text may quote the answer.
        let kind = error.classify();
        Self::Malformed(format!("an event is not the JSON that it should be ({kind:?})"))
    }

    /// The same error with other words for what somebody said.
    pub fn map_words(mut self, change: impl FnOnce(&str) -> String) -> Self {
        match &mut self {
            Self::NotPermitted(said)
            | Self::NoCredit(said)
            | Self::UnknownModel(said)
            | Self::ContextTooLong(said)
            | Self::PictureRefused(said)
            | Self::BadRequest(said)
            | Self::Unreachable(said)
            | Self::Interrupted(said)
            | Self::Malformed(said) => *said = change(said),
            Self::WrongKey { .. }
            | Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::ServerFailed { .. }
            | Self::Silent { .. }
            | Self::TooLarge { .. } => {}
        }
        self
    }

    /// How long the vendor asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after }
            | Self::Overloaded { retry_after }
            | Self::ServerFailed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

fn hint(retry_after: &Option<Duration>) -> String {
    retry_after.map(|d| format!("; it asks to wait {} s", d.as_secs())).unwrap_or_default()
}

fn wait(what: &'static str, retry_after: Option<Duration>) -> Cow<'static, str> {
    match retry_after {
        Some(delay) => format!("{what} Try again in {} seconds.", delay.as_secs().max(1)).into(),
        None => format!("{what} Try again in a moment.").into(),
    }
}
