//! The built-in rules that mask secrets. They cannot be switched off (S-6).
//!
//! A bare prefix is not enough: `sk-learn`, `msg_type` and `req_body` are ordinary
//! words. A body counts as random if it has a digit, or is sixteen characters long.

use crate::sanitizer::rule::{BLANK, MaskGroup, MaskRule, NO_WORD, pattern};

/// No letter or digit may stand before: `task-` and `disk-` are words.
const BORDER: &str = "[^A-Za-z0-9]";

/// The body of an internal id.
macro_rules! random {
    () => {
        "(?:[A-Za-z]{0,15}[0-9]|[A-Za-z]{16})[A-Za-z0-9]*"
    };
}

pub(super) const SECRETS: &[MaskRule] = &[
    MaskRule {
        id: "provider-key",
        about: "API keys that begin with sk-, as most model providers write them.",
        patterns: &[
            pattern(BORDER, r"sk-(?:ant|proj|svcacct|admin|or|lf|None)-\w[\w-]*"),
            pattern(BORDER, r"sk-(?:[A-Za-z_-]{0,15}[0-9]|[A-Za-z_-]{16})[\w-]*"),
            pattern(BORDER, r"[sr]k_(?:live|test)_[A-Za-z0-9]{8}\w*"),
        ],
        ..SECRET
    },
    MaskRule {
        id: "github-token",
        about: "Tokens of GitHub and GitLab.",
        patterns: &[
            pattern(BORDER, r"gh[pousr]_[A-Za-z0-9]{16}\w*"),
            pattern(BORDER, r"github_pat_[A-Za-z0-9]{16}\w*"),
            pattern(BORDER, r"glpat-[\w-]{16}[\w-]*"),
        ],
        ..SECRET
    },
    MaskRule {
        id: "google-key",
        about: "API keys and access tokens of Google.",
        patterns: &[
            pattern(BORDER, r"AIza[\w-]{20}[\w-]*"),
            pattern(BORDER, r"ya29\.[\w-]{16}[\w-]*"),
        ],
        ..SECRET
    },
    MaskRule {
        id: "slack-token",
        about: "Tokens of Slack.",
        patterns: &[pattern(BORDER, r"xox[abeprs]-[\w-]{8}[\w-]*")],
        ..SECRET
    },
    MaskRule {
        id: "aws-key",
        about: "Access key ids of AWS.",
        patterns: &[pattern(BORDER, r"(?:AKIA|ASIA)[A-Z0-9]{16}")],
        ..SECRET
    },
    MaskRule {
        id: "bearer-token",
        about: "What an Authorization header carries, and JSON web tokens.",
        patterns: &[
            pattern(BORDER, r"(?i:bearer)\s{1,4}[\w.~+/=-]{20}(?:[\w~+/=-]|\.[\w~+/=-])*"),
            pattern(NO_WORD, r"eyJ[\w-]{20}(?:[\w-]|\.[\w-])*"),
        ],
        ..SECRET
    },
    MaskRule {
        id: "private-key",
        about: "Private keys in PEM form, up to their last line.",
        patterns: &[pattern(
            "[^-]",
            concat!(
                "-----BEGIN (?:[A-Z]{1,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----",
                r"(?:[A-Za-z0-9+/=\s\\:,]|-[A-Za-z0-9])*",
                "(?:-----END (?:[A-Z]{1,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----)?"
            ),
        )],
        ..SECRET
    },
    MaskRule {
        id: "request-id",
        group: MaskGroup::Id,
        about: "Ids of requests to a model provider, of its answers and of sessions.",
        patterns: &[
            pattern(NO_WORD, concat!("req_", random!())),
            pattern(NO_WORD, "(?:resp_|ses_|chatcmpl-)[A-Za-z0-9]{16}[A-Za-z0-9]*"),
        ],
        ..SECRET
    },
    MaskRule {
        id: "tool-call-id",
        group: MaskGroup::Id,
        replacement: "[tool]",
        about: "Ids of tool calls: toolu_…, call_….",
        patterns: &[
            pattern(BORDER, r"(?:srv)?toolu_[A-Za-z0-9]\w*"),
            pattern(NO_WORD, concat!("call_", random!())),
        ],
        ..SECRET
    },
    MaskRule {
        id: "message-id",
        group: MaskGroup::Id,
        replacement: "[msg]",
        about: "Ids of a model provider's messages: msg_….",
        patterns: &[pattern(NO_WORD, concat!("msg_(?:bdrk_|vrtx_)?", random!()))],
        ..SECRET
    },
];

const SECRET: MaskRule =
    MaskRule { group: MaskGroup::Token, replacement: "[token]", ignore_case: false, ..BLANK };
