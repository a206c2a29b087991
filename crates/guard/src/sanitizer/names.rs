//! The built-in rules that mask who answers: assistants, their models, and the
//! companies behind them (S-1, S-2).

use super::rules::{
    ANY, BLANK, CAMEL, MaskGroup, MaskRule, NO_LETTER, NO_WORD, gap, near, pattern,
};

/// The rest of a model's name: `-4o-mini`, `.5-turbo`, `@20240307`.
macro_rules! tail {
    () => {
        r"(?:[a-z0-9]|(?:[_-]|\xE2\x80[\x90\x91])[a-z0-9]|[.@][0-9])*"
    };
}

pub(super) const NAMES: &[MaskRule] = &[
    MaskRule {
        id: "claude-code",
        about: "Claude Code and its kin: the CLI, the SDK, the web site.",
        patterns: &[
            pattern(ANY, concat!("claude", gap!(), "{0,4}code")),
            pattern(
                ANY,
                concat!(
                    "claude",
                    gap!(),
                    "{1,4}(?:cli|sdk|api|desktop|agent(?:",
                    gap!(),
                    r"{1,4}sdk)?)\b"
                ),
            ),
            pattern(ANY, r"claude\.(?:ai|com)\b"),
        ],
        ..ASSISTANT
    },
    MaskRule {
        id: "claude-model",
        about: "Claude models: claude-3-5-sonnet-20241022, Claude Opus 4.1, Sonnet 4.5.",
        patterns: &[
            pattern(
                ANY,
                concat!(
                    "claude",
                    near!(),
                    "{1,3}v?[0-9]",
                    tail!(),
                    "(?:",
                    gap!(),
                    r"{1,2}(?:opus|sonnet|haiku|instant)\b)?"
                ),
            ),
            pattern(
                ANY,
                concat!(
                    "claude",
                    gap!(),
                    r"{1,3}(?:opus|sonnet|haiku|instant)(?:",
                    near!(),
                    "{1,2}v?[0-9]",
                    tail!(),
                    r"|-[a-z0-9]",
                    tail!(),
                    r"|\b)"
                ),
            ),
            pattern(ANY, concat!("claude-[a-z]{1,16}-[0-9]", tail!())),
            pattern(NO_WORD, r"(?:opus|sonnet|haiku)[ -][0-9]\.[0-9]\b"),
        ],
        ..ASSISTANT
    },
    MaskRule {
        id: "claude-name",
        about: "The bare name Claude; active only behind a bridge.",
        patterns: &[pattern(NO_LETTER, "claude"), pattern(CAMEL, "(?-i:Claude)")],
        spares: &[
            pattern(ANY, "(?-i:[Cc]laude[a-z]|CLAUDE[A-Z])"),
            pattern(ANY, r"(?-i:Claude (?:Monet|Debussy|Shannon|Chabrol|Lorrain|Bernard)\b)"),
        ],
        bridge_only: true,
        ..ASSISTANT
    },
    MaskRule {
        id: "codex",
        about: "Codex and its CLI.",
        patterns: &[
            pattern(ANY, "codex"),
            pattern(ANY, concat!("codex", gap!(), r"{1,2}(?:cli|rs|sdk)\b")),
            pattern(ANY, concat!("codex-(?:mini|max|[0-9])", tail!())),
        ],
        ..ASSISTANT
    },
    MaskRule {
        id: "gpt",
        about: "ChatGPT and GPT models: GPT-4, gpt4, GPT-4o, gpt-oss-120b, o3-mini.",
        patterns: &[
            pattern(ANY, concat!("chat", gap!(), "{0,2}gpt")),
            pattern(ANY, concat!("chat", gap!(), "{0,2}gpt", near!(), "{0,2}[0-9]", tail!())),
            pattern(ANY, concat!("gpt", near!(), "{0,2}[0-9]", tail!())),
            pattern(ANY, concat!("gpt-(?:oss|image|realtime|audio)", tail!())),
            pattern(NO_WORD, concat!("o[0-9]-(?:mini|pro|preview)", tail!())),
        ],
        // A GUID partition table has 128 entries.
        spares: &[pattern(ANY, r"gpt\s[0-9]{2}[0-9]*")],
        ..ASSISTANT
    },
    MaskRule {
        id: "gemini",
        about: "Gemini, its models and its CLI.",
        patterns: &[
            pattern(NO_LETTER, concat!("(?:google", gap!(), "{1,2})?gemini")),
            pattern(CAMEL, "(?-i:Gemini)"),
            pattern(
                NO_LETTER,
                concat!(
                    "(?:google",
                    gap!(),
                    "{1,2})?gemini",
                    near!(),
                    r"{1,2}(?:(?:cli|pro|flash|ultra|nano|advanced)\b|[0-9]",
                    tail!(),
                    "(?:",
                    gap!(),
                    r"{1,2}(?:pro|flash|ultra|nano)\b)?)"
                ),
            ),
        ],
        spares: &[pattern(ANY, "(?-i:[Gg]emini[a-z]|GEMINI[A-Z])")],
        ..ASSISTANT
    },
    MaskRule {
        id: "copilot",
        about: "Copilot, of GitHub or Microsoft.",
        patterns: &[
            pattern(NO_LETTER, concat!("(?:(?:github|microsoft)", gap!(), "{1,2})?copilot")),
            pattern(CAMEL, "(?-i:Copilot)"),
            pattern(NO_LETTER, concat!("(?:github", gap!(), "{1,2})?copilot", gap!(), r"cli\b")),
        ],
        spares: &[pattern(ANY, "(?-i:[Cc]opilot[a-z]|COPILOT[A-Z])")],
        ..ASSISTANT
    },
    MaskRule {
        id: "anthropic",
        about: "Anthropic, but not philanthropic.",
        patterns: &[pattern(NO_LETTER, "anthropic"), pattern(CAMEL, "(?-i:Anthropic)")],
        ..PROVIDER
    },
    MaskRule {
        id: "openai",
        about: "OpenAI.",
        patterns: &[pattern(ANY, "openai"), pattern(NO_LETTER, r"(?-i:Open AI)\b")],
        ..PROVIDER
    },
];

const ASSISTANT: MaskRule = MaskRule { replacement: "[assistant]", ..BLANK };

const PROVIDER: MaskRule =
    MaskRule { group: MaskGroup::Provider, replacement: "[provider]", ..BLANK };
