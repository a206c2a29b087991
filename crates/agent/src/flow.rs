//! Whose words a tool brings into a conversation, and what a call of it can do (F-1). Each label
//! knows why it is so, for administrators.

use parlor_protocol::Content;
use serde::Serialize;

use crate::action::ToolAction;

/// The labels of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ToolFlow {
    /// Whose words its results can hold.
    pub content: Label<Content>,
    /// Whether its results can hold what is not public.
    pub private: Label<bool>,
    /// Whether a call can do harm that others would have it do: it changes something, or carries
    /// something out.
    pub sink: Label<bool>,
    /// Whether a call is known to carry its arguments to somebody outside.
    pub reaches_out: bool,
    /// What becomes of a call that is a sink once words of others were read.
    pub tainted: ToolAction,
}

/// A label, and why it is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Label<T> {
    /// What it is.
    pub is: T,
    /// Why.
    pub why: LabelReason,
}

/// Why a label is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelReason {
    /// The configuration says so.
    Configured,
    /// The server says so, and is believed.
    Believed,
    /// Nothing is known, so the safe side is taken.
    Default,
}

/// What a server says of one result. It was checked whether that is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResultLabel {
    /// Whose words it holds.
    pub content: Option<Content>,
    /// Whether it holds what is not public.
    pub is_private: Option<bool>,
}

/// The safe side.
impl Default for ToolFlow {
    fn default() -> Self {
        Self {
            content: Label::unknown(Content::Others),
            private: Label::unknown(true),
            sink: Label::unknown(true),
            reaches_out: false,
            tainted: ToolAction::Ask,
        }
    }
}

impl<T> Label<T> {
    /// As the configuration says.
    pub fn configured(is: T) -> Self {
        Self { is, why: LabelReason::Configured }
    }

    /// As the server says.
    pub fn believed(is: T) -> Self {
        Self { is, why: LabelReason::Believed }
    }

    /// The safe side.
    pub fn unknown(is: T) -> Self {
        Self { is, why: LabelReason::Default }
    }
}
