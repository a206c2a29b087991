//! The built-in rules that mask links to the companies behind the assistants: a link
//! goes as a whole, because `www.[provider].com/legal` says as much as the name (S-2).
//!
//! Where a link begins is known at once, which host it names only after the host. The
//! text up to there is held back, hence the bounded labels before the host.

use crate::sanitizer::rule::{ANY, BLANK, MaskGroup, MaskRule, NO_LETTER, pattern};

/// No part of a host, of an address or of a path may stand before.
const NO_HOST: &str = r"[^A-Za-z0-9_.@/-]";

/// The hosts of model providers, and where they keep their code.
macro_rules! host {
    () => {
        concat!(
            r"(?:(?:anthropic|claude|claudeusercontent|openai|chatgpt|geminicli|deepseek|githubcopilot",
            r"|moonshot)\.com|(?:claude|openrouter|opencode|qwen|mistral|x|z)\.ai",
            r"|(?:generativelanguage|aiplatform|cloudcode-pa)\.googleapis\.com",
            r"|(?:gemini|aistudio)\.google\.com|ai\.google\.dev|goo\.gle/gemini",
            r"|dashscope(?:-intl)?\.aliyuncs\.com",
            r"|github\.com/(?:anthropics?|openai|google-gemini|QwenLM|sst/opencode)",
            r"|npmjs\.com/package/@?(?:anthropic-ai|openai|google/gemini|qwen-code|opencode))\b"
        )
    };
}

/// What may follow a host. What ends a sentence is no part of it.
macro_rules! link_tail {
    () => {
        r"(?::[0-9]{1,5})?(?:[/?#](?:[\w@%+=/?#&~$*:-]|\.[\w@%+=/?#&-])*)?"
    };
}
pub(in crate::sanitizer) use link_tail;

pub(super) const LINKS: &[MaskRule] = &[MaskRule {
    id: "provider-link",
    group: MaskGroup::Provider,
    replacement: "[provider]",
    about: "Links and hosts of model providers, as a whole, and their packages.",
    patterns: &[
        pattern(NO_LETTER, concat!(r"https?://(?:[\w-]{1,12}\.)?", host!(), link_tail!())),
        pattern(
            NO_HOST,
            concat!(r"(?:www|api|docs|code|console|platform|support)\.", host!(), link_tail!()),
        ),
        pattern(
            NO_LETTER,
            concat!(
                r"(?:(?:anthropic|openai|chatgpt|geminicli)\.com|(?:openrouter|opencode|claude)\.ai",
                r"|claude\.com)\b",
                link_tail!()
            ),
        ),
        pattern(ANY, r"@anthropic-ai(?:/(?:[\w-]|\.[\w-])*)?"),
    ],
    ..BLANK
}];
