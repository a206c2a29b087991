//! The golden file of an approval that words of others may be behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod support;

use parlor_protocol::{Found, Influence, Source, Timestamp, UserPrompt, ValueOrigin};
use support::golden;

const APPROVAL: &str = include_str!("golden/prompt_confirm.json");

/// F-2: what was read before a call, and where its values stand.
#[test]
fn an_approval_says_what_others_wrote() {
    let approval: UserPrompt = serde_json::from_str(APPROVAL).unwrap();
    let influence = Influence {
        sources: vec![Source {
            server: "mail".into(),
            tool: "mail_read".into(),
            what: Some("Invoice 7".into()),
            at: Some(Timestamp(1_700_000_000_000)),
            suspicious: true,
        }],
        more: 2,
        values: vec![
            ValueOrigin { pointer: "/recipe_id".into(), found: Found::Person },
            ValueOrigin {
                pointer: "/to".into(),
                found: Found::Source {
                    source: 0,
                    before: "Please send it to ".into(),
                    text: "US1330".into(),
                    after: " today.".into(),
                },
            },
            ValueOrigin { pointer: "/amount".into(), found: Found::Nowhere },
        ],
    };
    golden("prompt_influence.json", &UserPrompt { influence: Some(influence), ..approval });
}
