//! The built-in rules that mask what an agent CLI writes around its model's text:
//! tags, reminders and instructions to the model, CLI sessions, gateways (S-5). All of
//! them are active only behind a bridge; elsewhere such text is the author's own.
//!
//! A tag is removed and its content stays, because that is the tool's output. A reminder
//! is for the model alone: it becomes `[note]`, so that a reader sees that something was
//! there.

use crate::sanitizer::rule::{ANY, BLANK, MaskGroup, MaskRule, NO_LETTER, NO_WORD, pattern};

/// A line begins.
const LINE: &str = r"[\n]";

/// The id of a CLI session, as the CLIs and their protocols write it.
macro_rules! session_id {
    () => {
        concat!(
            "(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "|ses_[0-9A-Za-z]{16,32})"
        )
    };
}

/// The names of tags: those that the CLIs use, and those that begin like them.
macro_rules! tag {
    () => {
        concat!(
            "(?:(?:system|tool[_-](?:use|call|result)|local-command|bash|ide|harness|environment",
            "|persisted|turn|subagent|function|untrusted|user-prompt)[_-][a-z]{2,16}(?:[_-][a-z]{2,16}){0,2}",
            "|command-(?:name|message|args|contents)|task-(?:id|notification|status|type)",
            "|output-file|new-diagnostics|user_instructions|session-start-hook)"
        )
    };
}

/// What a reminder holds: everything up to `</sy…`, or to the end.
macro_rules! reminder {
    () => {
        r"(?:[^<]|<+[^</]|<+/[^s<]|<+/s[^y<])*(?:<+/system[_-][a-z_-]{2,24}>)?"
    };
}

pub(super) const HARNESS: &[MaskRule] = &[
    MaskRule {
        id: "harness-reminder",
        replacement: "[note]",
        about: "Reminders to the model, such as <system-reminder>…</system-reminder>.",
        patterns: &[pattern(ANY, concat!("<system[_-][a-z_-]{2,24}>", reminder!()))],
        ..FOR_THE_MODEL
    },
    MaskRule {
        id: "harness-tag",
        about: "Tags around what a CLI says, such as <tool_use_error>; what is in them stays.",
        patterns: &[pattern(ANY, concat!("</?", tag!(), r"(?:\s[^<>\n]{0,80})?>"))],
        ..FOR_THE_MODEL
    },
    MaskRule {
        id: "harness-note",
        about: "Notes to the model: (file state is current in your context — …), agentId: ….",
        patterns: &[
            pattern(
                ANY,
                concat!(
                    r" ?\([^()\n]{0,44}(?:(?:current|already|now) in your context",
                    r"|(?:do not|never) (?:mention|quote))[^()\n]*\)?"
                ),
            ),
            pattern(LINE, r"agentId: ?[0-9a-z]{6}[^\n]*"),
            pattern(
                NO_LETTER,
                concat!(
                    r"(?-i:Do NOT (?:Read|tail|cat|poll) |You will be notified (?:automatically )?when it",
                    r"|Do not duplicate this agent|STOP what you are doing|To check interim output",
                    r"|Ensure that you continue to use the |(?:Warning: )?Model metadata for )[^\n]*"
                ),
            ),
        ],
        ..FOR_THE_MODEL
    },
    MaskRule {
        id: "session",
        replacement: "[session]",
        about: "Ids of sessions, where they are called so.",
        patterns: &[
            pattern(
                NO_WORD,
                concat!(
                    r#"["'`]?(?:session|thread|conversation)(?:[ _-]?id| not found)?["'`]?"#,
                    r#"\s{0,2}[:=]?\s{0,2}["'`]?"#,
                    session_id!(),
                    r#"["'`]?"#
                ),
            ),
            pattern(NO_WORD, concat!("--(?:resume|session-id|session)[ =]", session_id!())),
        ],
        ..FOR_THE_MODEL
    },
    MaskRule {
        id: "variable",
        replacement: "[config]",
        about: "Environment variables of the CLIs, as a whole.",
        patterns: &[pattern(
            NO_WORD,
            "(?:ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|QWEN|OPENCODE)_[A-Z0-9][A-Z0-9_]*",
        )],
        ignore_case: false,
        ..FOR_THE_MODEL
    },
    MaskRule {
        id: "gateway",
        replacement: "[service]",
        about: "The address of a gateway to the model.",
        patterns: &[
            // With a port it is no gateway that an application has.
            pattern(NO_LETTER, r"gateway \([\w.\[\]-]{1,60}:[0-9]{2,5}\)"),
            pattern(
                NO_LETTER,
                concat!(
                    r#"gateway(?: (?:at|is|set to|url))?[:=]? ?["'`(]?https?://[\w.\[\]-]{1,60}:[0-9]{2,5}"#,
                    r"(?:/(?:[\w/-]|\.\w)*)?"
                ),
            ),
        ],
        ..FOR_THE_MODEL
    },
];

const FOR_THE_MODEL: MaskRule = MaskRule { group: MaskGroup::Harness, bridge_only: true, ..BLANK };
