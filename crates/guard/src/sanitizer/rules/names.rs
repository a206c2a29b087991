//! The built-in rules that mask names: assistants, their models, and the companies
//! behind them (S-1, S-2).

use crate::sanitizer::rule::{
    ANY, BLANK, CAMEL, MaskGroup, MaskRule, NO_LETTER, NO_WORD, gap, near, pattern,
};

/// The rest of a model's name: `-4o-mini`, `.5-turbo`, `@20240307`.
macro_rules! tail {
    () => {
        r"(?:[a-z0-9]|(?:[_-]|\xE2\x80[\x90\x91])[a-z0-9]|[.@][0-9])*"
    };
}

/// What a CLI writes behind a model's name: the size of its context (`[1m]`), or how
/// much it reasons (`[medium]`).
macro_rules! variant {
    () => {
        r"(?:\[(?:[0-9]{1,4}[km]|minimal|low|medium|x?high|max)\])"
    };
}

/// The families of Claude models.
macro_rules! family {
    () => {
        "(?:opus|sonnet|haiku|fable)"
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
        about: "Claude models: claude-3-5-sonnet-20241022, Claude Opus 4.1, Sonnet 4.5, opus[1m].",
        patterns: &[
            pattern(
                ANY,
                concat!(
                    "claude",
                    near!(),
                    "{1,3}v?[0-9]",
                    tail!(),
                    "(?:",
                    variant!(),
                    "|",
                    gap!(),
                    "{1,2}(?:",
                    family!(),
                    r"|instant)\b)?"
                ),
            ),
            pattern(
                ANY,
                concat!(
                    "claude",
                    gap!(),
                    "{1,3}(?:",
                    family!(),
                    "|instant)(?:",
                    near!(),
                    "{1,2}v?[0-9]",
                    tail!(),
                    variant!(),
                    "?|-[a-z0-9]",
                    tail!(),
                    variant!(),
                    r"?|\b)"
                ),
            ),
            pattern(ANY, concat!("claude-[a-z]{1,16}-[0-9]", tail!(), variant!(), "?")),
            pattern(NO_WORD, concat!(family!(), r"[ -][0-9]\.[0-9]{1,2}\b", variant!(), "?")),
            pattern(NO_WORD, concat!(family!(), "-[0-9]-[0-9]", tail!(), variant!(), "?")),
            pattern(NO_WORD, concat!(family!(), "(?:plan)?", variant!())),
        ],
        ..ASSISTANT
    },
    MaskRule {
        id: "claude-family",
        about: "Bare names of Claude models: Opus, Sonnet, Haiku; active only behind a bridge.",
        patterns: &[
            pattern(NO_WORD, r"(?-i:(?:Opus|Sonnet|Haiku)(?: [0-9])?\b)"),
            pattern(NO_WORD, r"(?-i:Fable [0-9]\b)"),
            // In lower case they are words, unless nothing else is said, or a model is spoken of.
            pattern(r"[\n]", concat!(family!(), "(?:plan)?$")),
            pattern(NO_WORD, concat!(r"--?model(?:\s{1,2}|=)", family!(), r"(?:plan)?\b")),
            pattern(ANY, concat!(r"/model\s{1,2}", family!(), r"(?:plan)?\b")),
            pattern(
                NO_WORD,
                concat!(
                    r#"model(?:["'`]?\s{0,2}[:=]\s{0,2}["'`]?|\s{1,2}["'`]| (?:is|to) ["'`]?)"#,
                    family!(),
                    r"(?:plan)?\b"
                ),
            ),
        ],
        // Music and poems are numbered higher than models are.
        spares: &[
            pattern(NO_WORD, "(?-i:(?:Opus|Sonnet|Haiku)[a-z])"),
            pattern(NO_WORD, "(?-i:(?:Opus|Sonnet) (?:[0-9]{2}|[Nn]o|[IVXLC]{2}))"),
        ],
        bridge_only: true,
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
            pattern(ANY, concat!("gpt", near!(), "{0,2}[0-9]", tail!(), variant!(), "?")),
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
        id: "opencode",
        about: "OpenCode, and the models that it offers under its own name.",
        patterns: &[
            pattern(NO_LETTER, "opencode"),
            pattern(NO_LETTER, r"opencode/[a-z0-9](?:[\w:-]|\.[\w-])*"),
        ],
        spares: &[pattern(NO_LETTER, "opencode[a-z]")],
        ..ASSISTANT
    },
    MaskRule {
        id: "qwen",
        about: "Qwen, its models and its CLI: qwen3-coder-plus, Qwen Code.",
        patterns: &[
            pattern(NO_LETTER, "qwen"),
            pattern(NO_LETTER, concat!("qwen", near!(), "{0,2}[0-9]", tail!())),
            pattern(NO_LETTER, concat!("qwen-[a-z0-9]", tail!())),
            pattern(NO_LETTER, concat!("qwen", gap!(), r"{1,2}(?:code|cli)\b")),
        ],
        spares: &[pattern(NO_LETTER, "(?-i:[Qq]wen[a-z])")],
        ..ASSISTANT
    },
    MaskRule {
        id: "other-model",
        about: "Numbered models of other companies: deepseek-v3, Grok 4; only behind a bridge.",
        patterns: &[pattern(
            NO_WORD,
            concat!(
                "(?:deepseek|grok|kimi|glm|gemma|llama|mistral|codestral|devstral|minimax)",
                "(?:-[a-z]{1,10}){0,2}[ -]?[kvr]?[0-9]",
                tail!()
            ),
        )],
        bridge_only: true,
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
