//! S-6: what a project may change about masking, and the error texts.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use parlor_guard::sanitizer::{Sanitizer, SanitizerError, SanitizerSettings, builtin_rules};
use serde_json::{Value, json};

fn settings(value: Value) -> SanitizerSettings {
    serde_json::from_value(value).expect("the settings are readable")
}

fn sanitizer(value: Value) -> Sanitizer {
    Sanitizer::new(&settings(value)).expect("the settings are valid")
}

fn refusal(value: Value) -> SanitizerError {
    Sanitizer::new(&settings(value)).expect_err("the settings are wrong")
}

fn added(pattern: &str) -> Value {
    json!({"add": [{"id": "own", "pattern": pattern, "replacement": "<own>"}]})
}

/// S-6: the defaults mask everything.
#[test]
fn defaults() {
    let settings = settings(json!({}));
    assert!(settings.mask_provider && settings.behind_bridge.is_none());
    assert_eq!(Sanitizer::default().sanitize("Anthropic"), "[provider]");
}

/// S-6: every rule except those for secrets can be switched off, alone and with all others.
#[test]
fn rules_can_be_switched_off() {
    let off = sanitizer(json!({"off": ["codex"]}));
    assert_eq!(off.sanitize("Codex by OpenAI"), "Codex by [provider]");
    let names: Vec<_> =
        builtin_rules().iter().filter(|rule| !rule.is_secret()).map(|rule| rule.id).collect();
    let off = sanitizer(json!({"off": names}));
    assert_eq!(off.sanitize("Codex sk-ant-a1"), "Codex [token]");
}

/// S-6: the replacement can be changed.
#[test]
fn replacements_can_be_changed() {
    let text = "Codex in /w/s/a, /w/s and /w/h/b: sk-ant-a1";
    let changed = sanitizer(json!({
        "replace": {"codex": "Hal", "provider-key": "***", "workspace": "$W", "home": "$H"},
        "workspace": "/w/s",
        "home": "/w/h",
    }));
    assert_eq!(changed.sanitize(text), "Hal in $W/a, $W and $H: ***");
}

/// S-6: rules can be added.
#[test]
fn rules_can_be_added() {
    for (pattern, text, expected) in [
        (r"\bacme\b", "ACME, acmes", "<own>, acmes"),
        (r"^secret.*$", "a secret\nsecret b\nc", "a secret\n<own>\nc"),
        ("ação", "Ação e AÇÃO", "<own> e <own>"),
        (r"caf.\b{end}", "cafe cafes", "<own> cafes"),
        (r"\\b", r"a \b", "a <own>"),
        ("x", "axbx", "a<own>b<own>"),
        // An added rule takes precedence over a built-in one that matches the same text.
        ("codex", "codex", "<own>"),
        (r"é\w*", "café étoile", "caf<own> <own>"),
    ] {
        assert_eq!(sanitizer(added(pattern)).sanitize(text), expected, "for {pattern}");
    }
    let sensitive =
        json!({"id": "a", "pattern": "Acme", "replacement": "", "case_sensitive": true});
    assert_eq!(sanitizer(json!({"add": [sensitive]})).sanitize("Acme acme"), " acme");
}

/// A match must be complete within 256 bytes.
#[test]
fn added_rules_are_bounded() {
    let own = sanitizer(added("<a>.*</a>"));
    assert_eq!(own.sanitize(&format!("<a>{}</a>", "x".repeat(200))), "<own>");
    let long = format!("<a>{}</a>", "x".repeat(300));
    assert_eq!(own.sanitize(&long), long);
}

/// S-6: an error says what is wrong and what to do.
#[test]
fn errors_say_what_to_do() {
    let cases = [
        (json!({"off": ["kodex"]}), "there is no sanitizer rule `kodex`; did you mean `codex`?"),
        (
            json!({"replace": {"githubtoken": "x"}}),
            "there is no sanitizer rule `githubtoken`; did you mean `github-token`?",
        ),
        (
            json!({"off": ["provider-key"]}),
            "rule `provider-key` masks secrets and cannot be switched off; remove it from `off`",
        ),
        (
            json!({"add": [{"id": "gpt", "pattern": "x", "replacement": "y"}]}),
            "there is already a sanitizer rule `gpt`; give the added rule another id",
        ),
        (
            added("a*"),
            "the pattern of rule `own` matches the empty text; require at least one character",
        ),
        (
            added("a{300}"),
            "the pattern of rule `own` can never match: it needs more than 255 bytes, or nothing \
             fits; shorten it",
        ),
        (
            added(r"\Aabc"),
            concat!(
                r"the pattern of rule `own` can never match: a stream has no `\A` and no `\z`; ",
                "use `^` and `$`, the borders of a line"
            ),
        ),
        (
            added(r"(?:\w{1,200}x){2,100}"),
            concat!(
                "the pattern of rule `own` is too large; use smaller repetitions such as ",
                r"`{1,20}`, and `[a-z]` for `\w`"
            ),
        ),
        (
            json!({"home": "/"}),
            "`home` must be an absolute path of 2 to 128 bytes and not the root, but it is `/`",
        ),
        (
            json!({"workspace": "src"}),
            "`workspace` must be an absolute path of 2 to 128 bytes and not the root, but it is \
             `src`",
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(refusal(settings).to_string(), expected);
    }
    for pattern in ["(", "a)(b", r"(?-u:\xFF)", r"[a"] {
        let error = refusal(added(pattern));
        assert!(matches!(error, SanitizerError::InvalidPattern { .. }), "{pattern}: {error}");
    }
}

#[test]
fn unknown_keys_are_refused() {
    assert!(serde_json::from_value::<SanitizerSettings>(json!({"mask": true})).is_err());
}
