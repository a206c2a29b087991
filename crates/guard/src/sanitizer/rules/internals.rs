//! The built-in rules that mask internals of an agent: commands, services, flags and
//! directories (S-3).

use crate::sanitizer::{
    paths::path_tail,
    rule::{ANY, BLANK, CAMEL, MaskGroup, MaskRule, NO_LETTER, NO_WORD, gap, pattern},
};

/// No part of a file name may stand before, nor the end of a replacement, which
/// is what the reader sees before the dot in `[provider].codex`.
const NO_NAME: &str = r"[^A-Za-z0-9_.\]-]";

/// A quotation mark, perhaps escaped.
macro_rules! quote {
    () => {
        r#"\\?["'`]"#
    };
}

/// What follows the name of a field: its value, and in JSON the comma.
macro_rules! field_value {
    () => {
        concat!(r"\s{0,4}[:=]\s{0,4}(?:[\w-]+|", quote!(), r"[\w-]+(?:", quote!(), ",?)?)")
    };
}

/// What the CLIs call their directories.
macro_rules! cli {
    () => {
        "(?:claude|codex|gemini|opencode|qwen)"
    };
}

/// The path of a CLI's directory: in the home directory, or among those of all
/// programs (`.config` and the like).
macro_rules! directory {
    () => {
        concat!(
            r"(?:(?:~|\$HOME|\$\{HOME\}|/root|/(?:home|Users)/[\w.-]{1,20})/)?",
            r"\.(?:(?:config|cache|local/(?:share|state))/)?",
            cli!()
        )
    };
}

/// The path of the CLIs' temporary files: tasks, sockets, output.
macro_rules! temporary {
    () => {
        concat!(
            r"(?:(?:/private)?/(?:tmp|var/tmp|dev/shm|run/user/[0-9]{1,6}",
            r"|var/folders/\w{2}/\w{1,32}/T)|\$TMPDIR|\$\{TMPDIR\})/[._]?",
            "(?:",
            cli!(),
            "|anthropic|openai|cc-socks)"
        )
    };
}

/// The same on Windows, where a backslash may be escaped.
macro_rules! windows_directory {
    () => {
        concat!(r"(?:\\{1,2}Users\\{1,2}[\w.-]{1,20}|%USERPROFILE%)\\{1,2}", r"\.", cli!())
    };
}

/// The flags of the CLIs that take no value.
macro_rules! switches {
    () => {
        concat!(
            "(?:allow-)?dangerously-skip-permissions|dangerously-bypass-approvals-and-sandbox",
            "|include-partial-messages|include-hook-events|strict-mcp-config|fork-session",
            "|replay-user-messages|no-session-persistence|skip-git-repo-check|full-auto|yolo",
            "|(?:experimental-)?acp"
        )
    };
}

/// The flags of the CLIs that take a value.
macro_rules! options {
    () => {
        concat!(
            "(?:input|output)-format|(?:dis)?allowed-?tools|permission-(?:mode|prompt-tool)",
            "|(?:append-)?system-prompt(?:-file)?|mcp-config|thinking-display|fallback-model",
            "|setting-sources|ask-for-approval|approval-mode|allowed-mcp-server-names",
            "|max-thinking-tokens|max-budget-usd|output-(?:schema|last-message)"
        )
    };
}

/// The value of a flag: quoted, or names with `(…)` behind them, joined by commas.
macro_rules! value {
    () => {
        concat!(r#"(?:"[^"\n]*"?|'[^'\n]*'?"#, r"|[\w*](?:[\w*]|[.,:/@+-][\w*]|\([^()\n]*\)?)*)")
    };
}

pub(super) const INTERNALS: &[MaskRule] = &[
    MaskRule {
        id: "gsd-command",
        group: MaskGroup::Workflow,
        replacement: "[workflow]",
        about: "Internal commands such as /gsd:plan-phase.",
        patterns: &[pattern(ANY, r"/gsd:\w+(?:-\w+)*")],
        ..BLANK
    },
    MaskRule {
        id: "mcp-server",
        group: MaskGroup::Service,
        replacement: "[service]",
        about: "MCP server, also plural, hyphenated or as one word.",
        patterns: &[
            pattern(NO_LETTER, concat!("mcp", gap!(), "{0,4}servers?")),
            pattern(CAMEL, "(?-i:M(?:CP|cp)Servers?)"),
        ],
        spares: &[pattern(NO_LETTER, concat!("mcp", gap!(), "{0,4}server(?-i:[a-rt-z]|s[a-z])"))],
        ..BLANK
    },
    MaskRule {
        id: "tool-use-id",
        about: "The field tool_use_id with its value, as prose or as JSON.",
        patterns: &[
            pattern(NO_WORD, concat!("tool_?use_?id", field_value!())),
            pattern(ANY, concat!(quote!(), "tool_?use_?id", quote!(), field_value!())),
        ],
        ..FLAG
    },
    MaskRule {
        id: "cli-flag",
        about: "Flags of the agent CLIs with their value, from a closed list.",
        patterns: &[
            pattern(NO_WORD, concat!("--(?:", switches!(), ")")),
            pattern(NO_WORD, concat!("--(?:", options!(), r")(?:(?:[ \t]{1,4}|=)", value!(), ")?")),
        ],
        spares: &[pattern(NO_WORD, concat!("--(?:", switches!(), "|", options!(), r")[\w-]"))],
        ..FLAG
    },
    MaskRule {
        id: "config-directory",
        group: MaskGroup::Path,
        replacement: "[config]",
        about: "The directories of the CLIs (.claude, .codex, .gemini, …) and what is in them.",
        patterns: &[
            pattern(NO_NAME, directory!()),
            pattern(NO_NAME, concat!(directory!(), r"(?:/|\.\w)", path_tail!())),
            pattern(ANY, windows_directory!()),
            pattern(ANY, concat!(windows_directory!(), r"(?:\\|\.\w)", path_tail!())),
        ],
        // `.claude-3` is the end of a model's name, `.claudette` is another directory.
        spares: &[
            pattern(NO_NAME, concat!(directory!(), r"[\w-]")),
            pattern(ANY, concat!(windows_directory!(), r"[\w-]")),
        ],
        ignore_case: false,
        ..BLANK
    },
    MaskRule {
        id: "temporary-directory",
        group: MaskGroup::Path,
        replacement: "[config]",
        about: "What the CLIs keep among temporary files, such as /tmp/claude-1000/….",
        patterns: &[
            pattern(NO_NAME, temporary!()),
            pattern(NO_NAME, concat!(temporary!(), r"(?:[/0-9_-]|\.\w)", path_tail!())),
        ],
        spares: &[pattern(NO_NAME, concat!(temporary!(), "[A-Za-z]"))],
        ..BLANK
    },
];

const FLAG: MaskRule = MaskRule { group: MaskGroup::Flag, ..BLANK };
